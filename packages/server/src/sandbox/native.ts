import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SandboxError } from './driver.ts';

/** The same places seen from `src/sandbox` and from `dist/sandbox`. */
const SOURCES = fileURLToPath(new URL('../../native/', import.meta.url));
export const NATIVE_DIR = join(SOURCES, 'build');

const COMPILER = 'cc';
const FLAGS = ['-std=c11', '-D_GNU_SOURCE', '-O2', '-Wall', '-Wextra', '-Werror', '-fstack-protector-strong'];
const FILTERS = [
  { name: 'seccomp.bpf', args: [] },
  { name: 'seccomp-degraded.bpf', args: ['degraded'] },
];
const PRODUCTS = ['agent', 'lay', ...FILTERS.map(({ name }) => name)];

const CURE = 'Cure: apt-get install -y gcc libc6-dev';

/**
 * Builds the C programs of the sandbox: the sandbox agent and the mounting of layers (static), and the seccomp filter for
 * this machine's architecture. Does nothing where they were built from these very sources. Set-up comes here, and the first
 * start of a server that was installed as a package. Throws with what to do.
 */
export function buildNative({ log = () => {} }: { log?: (line: string) => void } = {}): string {
  const key = keyOfSources();
  const stamp = join(NATIVE_DIR, 'stamp');
  const isBuilt = [...PRODUCTS, 'stamp'].every((name) => existsSync(join(NATIVE_DIR, name)));
  if (isBuilt && readFileSync(stamp, 'utf8') === key) return NATIVE_DIR;
  log('building the sandbox agent and its seccomp filter (a few seconds)');
  try {
    mkdirSync(NATIVE_DIR, { recursive: true });
    build();
    writeFileSync(stamp, key);
  } catch (error) {
    throw new SandboxError('SANDBOX_UNAVAILABLE', `The sandbox agent cannot be built: ${(error as Error).message}`);
  }
  return NATIVE_DIR;
}

/** Everything appears under its final name complete: a server may be starting meanwhile. */
function build(): void {
  const fresh = (name: string) => join(NATIVE_DIR, `${name}.${process.pid}`);
  compile([...FLAGS, '-static', '-s', '-o', fresh('agent'), '@agent.sources']);
  compile([...FLAGS, '-static', '-s', '-o', fresh('lay'), 'lay.c']);
  compile([...FLAGS, '-o', fresh('make-seccomp'), 'seccomp.c']);
  for (const { name, args } of FILTERS) {
    const filter = spawnSync(fresh('make-seccomp'), args, { maxBuffer: 1 << 20 });
    if (filter.status !== 0 || filter.stdout.length === 0) throw new Error(`${name} could not be made.`);
    writeFileSync(fresh(name), filter.stdout);
  }
  for (const name of [...PRODUCTS, 'make-seccomp']) renameSync(fresh(name), join(NATIVE_DIR, name));
}

function compile(args: readonly string[]): void {
  const { status, error, stderr } = spawnSync(COMPILER, args, { cwd: SOURCES, encoding: 'utf8' });
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT')
    throw new Error(`there is no C compiler (${COMPILER}). ${CURE}`);
  if (status === 0) return;
  const why = error?.message ?? stderr;
  const cure = /stdio\.h|cannot find -lc/.test(why) ? ` ${CURE}` : '';
  throw new Error(`${COMPILER} ${args.join(' ')} failed:\n${why}${cure}`);
}

function keyOfSources(): string {
  const hash = createHash('sha256').update(JSON.stringify([process.arch, FLAGS]));
  const names = readdirSync(SOURCES).filter((file) => /\.([ch]|sources)$/.test(file));
  for (const name of names.sort()) hash.update(name).update(readFileSync(join(SOURCES, name)));
  return hash.digest('hex');
}
