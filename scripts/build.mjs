import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Compiles each package without checking its types, which `npm run check` and `npm test` do: a start takes seconds.

const root = fileURLToPath(new URL('..', import.meta.url));
const packages = [
  ...['contract', 'sdk', 'mcp', 'server', 'cli'].map((name) => `packages/${name}`),
  'examples',
  'bench',
];
const compiler = join('node_modules', 'typescript-native');
const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
const shared = ['target', 'module', 'verbatimModuleSyntax', 'rewriteRelativeImportExtensions'];
const options = [
  ...['--ignoreConfig', '--noCheck', '--noResolve', '--skipLibCheck', '--sourceMap', '--types', ''],
  ...shared.flatMap((name) => [`--${name}`, String(compilerOptions[name])]),
];

/** Compiles what has changed since the last build. Throws if a source cannot be read as TypeScript. */
export function compile({ log = () => {} } = {}) {
  const stale = packages.map((name) => inspect(name)).filter((each) => !each.isFresh);
  if (stale.length === 0) return;
  for (const [index, { name, sources, key, stamp }] of stale.entries()) {
    log(`compiling package ${index + 1} of ${stale.length}: ${name}`);
    const [src, dist] = [join(root, name, 'src'), join(root, name, 'dist')];
    rmSync(stamp, { force: true });
    const files = sources.map((source) => join(src, source));
    const args = [join(root, compiler, 'bin', 'tsc'), ...options, '--rootDir', src, '--outDir', dist, ...files];
    const { status, error } = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
    if (status !== 0) throw new Error(`${name} does not compile${error ? `: ${error.message}` : ''}`);
    removeStrays(dist, sources);
    writeFileSync(stamp, key);
  }
}

function inspect(name) {
  const src = join(root, name, 'src');
  const sources = readdirSync(src, { recursive: true })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .sort();
  const hash = createHash('sha256').update(options.join(' '));
  hash.update(readFileSync(join(root, compiler, 'package.json')));
  for (const source of sources) hash.update(`${source}\0`).update(readFileSync(join(src, source)));
  const key = hash.digest('hex');
  const stamp = join(root, name, 'dist', '.sources');
  return { name, sources, key, stamp, isFresh: existsSync(stamp) && readFileSync(stamp, 'utf8') === key };
}

/** Removes what the sources do not have any more: whoever lists a directory, or packs it, must not meet it. */
function removeStrays(dist, sources) {
  const known = new Set(sources.flatMap((source) => ['', '.map'].map((end) => source.replace(/\.ts$/, `.js${end}`))));
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !known.has(path.slice(dist.length + 1))) rmSync(path, { force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    compile({ log: console.error });
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
