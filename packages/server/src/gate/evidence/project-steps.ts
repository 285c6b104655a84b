import { posix } from 'node:path';
import type { SandboxFile } from '../../sandbox/index.ts';
import { parseRecord, record } from '../reading/parse-record.ts';
import type { TestCommand } from './test-commands.ts';

/** How a project declares that it is built and linted, by the manifest that says so. */

type Step = 'build' | 'lint';
type Rule = (text: string, step: Step) => Omit<TestCommand, 'directory'> | null;

const ofNpm: Rule = (text, step) => {
  const scripts = record(parseRecord(text)?.scripts) ?? {};
  const names = step === 'build' ? ['build'] : ['lint', 'typecheck'];
  const name = names.find((each) => typeof scripts[each] === 'string' && String(scripts[each]).trim() !== '');
  return name === undefined ? null : { command: `npm run ${name}`, tool: 'npm' };
};

const ofMake: Rule = (text, step) =>
  new RegExp(`^${step}\\s*:`, 'm').test(text) ? { command: `make -B ${step}`, tool: 'make' } : null;

const rules: Record<string, Rule> = {
  'package.json': ofNpm,
  'go.mod': (_text, step) => ({ command: step === 'build' ? 'go build ./...' : 'go vet ./...', tool: 'go' }),
  'Cargo.toml': (_text, step) => (step === 'build' ? { command: 'cargo build --offline', tool: 'cargo' } : null),
  Makefile: ofMake,
  makefile: ofMake,
  'ruff.toml': (_text, step) => (step === 'lint' ? { command: 'ruff check .', tool: 'ruff' } : null),
  'pyproject.toml': (text, step) =>
    step === 'lint' && /^\[tool\.ruff[.\]]/m.test(text) ? { command: 'ruff check .', tool: 'ruff' } : null,
};

const order = Object.keys(rules);
const depth = (path: string) => path.split('/').length;

/** Whether a directory above has a manifest of the same kind. */
function isWithin(path: string, paths: ReadonlySet<string>): boolean {
  const name = posix.basename(path);
  for (let at = path.lastIndexOf('/'); at > 0; ) {
    at = path.lastIndexOf('/', at - 1);
    if (paths.has(at < 0 ? name : `${path.slice(0, at)}/${name}`)) return true;
  }
  return false;
}

/** The build or the linter that the buyer's files declare, from the manifest nearest to the root; null if none does. */
export function declaredStep(step: Step, originalFiles: readonly SandboxFile[]): TestCommand | null {
  const found = originalFiles
    .map((file) => ({ path: posix.normalize(file.path).replace(/^\/+/, ''), file }))
    .map(({ path, file }) => ({ path, file, rank: order.indexOf(posix.basename(path)) }))
    .filter(({ path, rank }) => rank >= 0 && depth(path) <= 4 && !path.includes('node_modules/'))
    .sort((a, b) => depth(a.path) - depth(b.path) || a.rank - b.rank || (a.path < b.path ? -1 : 1));
  const paths = new Set(found.map(({ path }) => path));
  for (const { path, file } of found) {
    // One package of many does not speak for the project that holds it.
    if (isWithin(path, paths)) continue;
    const declared = rules[posix.basename(path)]!(file.content.toString('utf8'), step);
    const directory = posix.dirname(path);
    if (declared !== null) return { ...declared, directory: directory === '.' ? '' : directory };
  }
  return null;
}
