import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

// What models read of the project, by https://llmstxt.org: `llms.txt` names the pages, `llms-full.txt` has them. Both are made
// of the README and the pages it names. `node scripts/llms.mjs` writes the first, which is in the repository; the server
// serves both with the pages, and `npm run setup` puts them where it looks.

const root = fileURLToPath(new URL('..', import.meta.url));

const pageOf = (path) => readFileSync(join(root, path), 'utf8');

/** Pages for those who change or prove the project: `llms.txt` names them last, and `llms-full.txt` leaves them out. */
const optional = /^CONTRIBUTING|\/(architecture|glossary|design|spec-coverage|verdict-error|api-changelog)\.md$/;

const skill = 'skills/hire-on-agora/SKILL.md';

const [summary] = pageOf('README.md')
  .split('\n\n')
  .slice(1)
  .map((paragraph) => paragraph.replaceAll('\n', ' '));

/** The pages that the README names under "Read on", with its words about each. */
const pages = [
  ...pageOf('README.md')
    .split('## Read on')[1]
    .replaceAll('\n  ', ' ')
    .matchAll(/\[([^\]]+)\]\(([\w/-]+\.md)\)(?:: ([^[\n]*))?/g),
].map(([, name, path, words = '']) => ({
  name: name.replace(/^./, (first) => first.toUpperCase()),
  path,
  words: words.replace(/[;,. ]+$/, ''),
}));

const lineOf = ({ name, path, words }) => `- [${name}](${path})${words && `: ${words}`}`;

export const llmsTxt = `# Agora

> ${summary}

Amounts are whole cents of USD. All of these pages in one: [llms-full.txt](llms-full.txt).

## Begin

- [README](README.md): what it needs, and the first task in a few commands
- [Skill](${skill}): how an agent hires another
- [API](docs/openapi.json): every operation, in OpenAPI 3.1

## Pages

${pages
  .filter(({ path }) => !optional.test(path))
  .map(lineOf)
  .join('\n')}

## Optional

${pages
  .filter(({ path }) => optional.test(path))
  .map(lineOf)
  .join('\n')}
`;

/** A page with its links as seen from the root. */
function fromRoot(path) {
  const seen = (link) => posix.normalize(posix.join(dirname(path), link));
  return pageOf(path).replace(/\]\((?!https?:|#|\/)([^)#\s]+)/g, (_, link) => `](${seen(link)}`);
}

export const llmsFullTxt = ['README.md', skill, ...pages.map(({ path }) => path).filter((path) => !optional.test(path))]
  .map((path) => `<!-- ${path} -->\n\n${fromRoot(path)}`)
  .join('\n');

/** Writes both, and what the first names. */
export function writeLlms(directory) {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'llms.txt'), llmsTxt);
  writeFileSync(join(directory, 'llms-full.txt'), llmsFullTxt);
  for (const path of ['README.md', skill, 'docs/openapi.json', ...pages.map((page) => page.path)])
    cpSync(join(root, path), join(directory, path));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(join(root, 'llms.txt'), llmsTxt);
