import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Pin, unpacked } from './archives.ts';
import { goModule, type Served, wheel } from './registries.ts';

/** Three projects that many use, from Debian's sources, each with a slip in its last commit that its own tests see. */

export interface RealProject {
  /** Of the repository. */
  name: string;
  language: string;
  /** A directory with its files as they were before the slip, and the `.agora.yml`. */
  sources: string;
  slip: Edit & { message: string };
  issue: { title: string; body: string };
  /** What the agent runs to see whether it is repaired. */
  test: string;
}

export interface Edit {
  path: string;
  from: string;
  to: string;
}

const pins = {
  jinja2: {
    pool: 'pool/main/j/jinja2/jinja2_3.1.2.orig.tar.gz',
    sha256: '31351a702a408a9e7595a8fc6150fc3f43bb6bf7e319770cbc0db9df9437e852',
    version: '3.1.2',
  },
  'css-what': {
    pool: 'pool/main/n/node-css-what/node-css-what_6.1.0.orig.tar.gz',
    sha256: '147df0eca9c4f1b06529a7ba22a7fe30a12de2bd419c226ed90dc6d19c6f8314',
    version: '6.1.0',
  },
  'go-multierror': {
    pool: 'pool/main/g/golang-github-hashicorp-go-multierror/golang-github-hashicorp-go-multierror_1.1.1.orig.tar.gz',
    sha256: '8d1bb3377310e8ffe4c7b5672c5de1eaed153402aebd15d6e5b9673c356a065f',
    version: '1.1.1',
  },
  errwrap: {
    pool: 'pool/main/g/golang-github-hashicorp-errwrap/golang-github-hashicorp-errwrap_1.1.0.orig.tar.gz',
    sha256: '0d73891a7a179e50a142ac8832db97b17c792d29ae205b0e6aeedde4c43d51a4',
    version: '1.1.0',
  },
} as const satisfies Record<string, Pin>;

/** The project's files in a directory of its own, without what a task has no use for. */
async function sourcesOf(cache: string, name: keyof typeof pins, leftOut: string[] = []): Promise<string> {
  const directory = join(cache, 'projects', name);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  cpSync(await unpacked(join(cache, 'archives'), name, pins[name]), directory, { recursive: true });
  for (const path of leftOut) rmSync(join(directory, path), { recursive: true, force: true });
  return directory;
}

const write = (directory: string, files: Record<string, string>) => {
  for (const [path, text] of Object.entries(files)) writeFileSync(join(directory, path), text);
};

/** Checks and environment are the repository's own: whoever labels an issue needs to say nothing. */
const agoraFile = (command: string, environment: string, more = '') =>
  `checks:\n  - name: tests\n    command: ${command}\nenvironment:\n${environment.replace(/^/gm, '  ')}\n${more}`;

async function python(cache: string): Promise<{ project: RealProject; served: Served[] }> {
  const sources = await sourcesOf(cache, 'jinja2', ['artwork', 'docs', 'examples', 'requirements', 'tox.ini']);
  const markupsafe = wheel(debianPackage(cache, 'python3-markupsafe'));
  // Those of loaders are written for another pytest than Debian's.
  const test = 'python3 -m pytest -q --ignore tests/test_loader.py';
  write(sources, {
    'requirements.txt': `markupsafe==${markupsafe.version} --hash=sha256:${markupsafe.hash}\n`,
    '.agora.yml': agoraFile(
      test,
      'tools: [pytest]\nsetup: for d in .venv/lib/python3*/site-packages; do echo /workspace/src > "$d/project.pth"; done',
      "tests:\n  mayFail: ['tests/test_loader.py > *']\n",
    ),
  });
  const project = {
    ...{ name: 'jinja2', language: 'Python', sources, test },
    slip: {
      path: 'src/jinja2/filters.py',
      from: 'return soft_str(s).capitalize()',
      to: 'return soft_str(s).title()',
      message: 'Simplify the filters of strings',
    },
    issue: {
      title: 'The filter capitalize changes every word',
      body: '`{{ "foo bar"|capitalize }}` gives `Foo Bar`. It gave `Foo bar` before the last commit, as the documentation says.',
    },
  };
  return { project, served: markupsafe.served };
}

async function typescript(cache: string): Promise<{ project: RealProject; served: Served[] }> {
  const sources = await sourcesOf(cache, 'css-what');
  const test = 'npx jest';
  write(sources, { '.agora.yml': agoraFile(test, 'memoryMb: 1024') });
  const project = {
    ...{ name: 'css-what', language: 'TypeScript', sources, test },
    slip: {
      path: 'src/stringify.ts',
      from: '.join(", ");',
      to: '.join(" ");',
      message: 'Write selectors with fewer characters',
    },
    issue: {
      title: 'stringify loses the comma between selectors',
      body: 'After `parse("h1, h2")`, `stringify` gives `h1 h2`, which is another selector.',
    },
  };
  return { project, served: [] };
}

async function go(cache: string): Promise<{ project: RealProject; served: Served[] }> {
  const [sources, errwrap] = await Promise.all([sourcesOf(cache, 'go-multierror'), sourcesOf(cache, 'errwrap')]);
  const [module, version] = ['github.com/hashicorp/errwrap', 'v1.1.0'];
  const test = 'go test ./...';
  write(sources, {
    'go.mod': readFileSync(join(sources, 'go.mod'), 'utf8').replace(`${module} v1.0.0`, `${module} ${version}`),
    // As Go's own checksum database has them.
    'go.sum': [
      `${module} ${version} h1:OxrOeh75EUXMY8TBjag2fzXGZ40LB6IKw45YeGUDY2I=`,
      `${module} ${version}/go.mod h1:YH+1FKiLXxHSkmPseP+kNlulaMuP3n2brvKWEqk/Jc4=\n`,
    ].join('\n'),
    '.agora.yml': agoraFile(test, 'tools: [go]'),
  });
  const project = {
    ...{ name: 'go-multierror', language: 'Go', sources, test },
    slip: {
      path: 'format.go',
      from: 'if len(es) == 1 {',
      to: 'if len(es) == 0 {',
      message: 'Write lists of errors in one way',
    },
    issue: {
      title: 'A single error is told as "1 errors occurred"',
      body: 'Since the last commit the format of one error says `1 errors occurred:`, with a plural.',
    },
  };
  return { project, served: goModule(module, version, errwrap) };
}

/** The files of a package that apt knows; apt checks what it fetches. */
function debianPackage(cache: string, name: string): string {
  const directory = join(cache, 'packages', name);
  const downloads = join(cache, 'downloads', name);
  if (existsSync(directory)) return directory;
  for (const path of [downloads, directory]) mkdirSync(path, { recursive: true });
  execFileSync('apt-get', ['download', '-q', name], { cwd: downloads, stdio: ['ignore', 'ignore', 'pipe'] });
  const [file] = readdirSync(downloads).filter((each) => each.endsWith('.deb'));
  execFileSync('dpkg-deb', ['-x', join(downloads, file as string), directory]);
  return directory;
}

/** All three with what registries must serve for them. */
export async function realProjects(cache: string): Promise<{ projects: RealProject[]; served: Served[] }> {
  const made = await Promise.all([python(cache), typescript(cache), go(cache)]);
  return { projects: made.map(({ project }) => project), served: made.flatMap(({ served }) => served) };
}
