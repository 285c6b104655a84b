// Builds the C programs of the sandbox: the sandbox agent and the mounting of layers (static), and the seccomp filter for
// this machine's architecture. Does nothing if the sources have not changed since the last build.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const NATIVE = fileURLToPath(new URL('../packages/server/native/', import.meta.url));
const BUILD = join(NATIVE, 'build');
const FLAGS = ['-std=c11', '-D_GNU_SOURCE', '-O2', '-Wall', '-Wextra', '-Werror', '-fstack-protector-strong'];
const FILTERS = [
  { name: 'seccomp.bpf', args: [] },
  { name: 'seccomp-degraded.bpf', args: ['degraded'] },
];

export const COMPILER_CURE = 'apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev';

function sourceHash() {
  const hash = createHash('sha256').update(JSON.stringify([process.arch, FLAGS]));
  hash.update(readFileSync(fileURLToPath(import.meta.url)));
  for (const name of readdirSync(NATIVE)
    .filter((file) => /\.([ch]|sources)$/.test(file))
    .sort()) {
    hash.update(name).update(readFileSync(join(NATIVE, name)));
  }
  return hash.digest('hex');
}

function compile(compiler, args) {
  const run = spawnSync(compiler, args, { cwd: NATIVE, encoding: 'utf8' });
  if (run.error?.code === 'ENOENT') {
    throw new Error(`No C compiler (${compiler}) was found. Install one, then run this again:\n  ${COMPILER_CURE}`);
  }
  if (run.status !== 0) {
    throw new Error(`${compiler} ${args.join(' ')} failed:\n${run.error?.message ?? run.stderr}`);
  }
}

/**
 * @param {{ compiler?: string, log?: (line: string) => void }} [options]
 * @returns {'built' | 'up to date' | 'not needed'} `not needed` on systems other than Linux, where no sandbox runs.
 */
export function buildNative({ compiler = process.env.CC || 'cc', log = () => {} } = {}) {
  if (process.platform !== 'linux') return 'not needed';
  const hash = sourceHash();
  const stamp = join(BUILD, 'stamp');
  const products = ['agent', 'lay', ...FILTERS.map(({ name }) => name), 'stamp'].map((name) => join(BUILD, name));
  if (products.every((path) => existsSync(path)) && readFileSync(stamp, 'utf8') === hash) return 'up to date';
  mkdirSync(BUILD, { recursive: true });
  log('building the sandbox agent and its seccomp filter');
  // Everything appears under its final name complete: a server may be starting meanwhile.
  const fresh = (name) => join(BUILD, `${name}.${process.pid}`);
  compile(compiler, [...FLAGS, '-static', '-s', '-o', fresh('agent'), '@agent.sources']);
  compile(compiler, [...FLAGS, '-static', '-s', '-o', fresh('lay'), 'lay.c']);
  compile(compiler, [...FLAGS, '-o', fresh('make-seccomp'), 'seccomp.c']);
  for (const { name, args } of FILTERS) {
    const filter = spawnSync(fresh('make-seccomp'), args, { maxBuffer: 1 << 20 });
    if (filter.status !== 0 || filter.stdout.length === 0) throw new Error(`${name} could not be made.`);
    writeFileSync(fresh(name), filter.stdout);
    renameSync(fresh(name), join(BUILD, name));
  }
  for (const name of ['agent', 'lay', 'make-seccomp']) renameSync(fresh(name), join(BUILD, name));
  writeFileSync(stamp, hash);
  return 'built';
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    console.log(`native parts: ${buildNative({ log: console.log })}`);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
