import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A container engine for tests and benches: Podman's service with its own socket and storage, and an image made of this
 * machine's programs, because there may be no registry to pull from. It leaves nothing behind.
 */

export interface TestEngine {
  /** As SANDBOX_DOCKER_HOST takes it. */
  host: string;
  image: string;
  /** The runtime it was started with. */
  runtime: string;
  /** Runs `podman` on the same storage. */
  podman(...args: string[]): string;
  stop(): Promise<void>;
}

const RUNTIME = 'runc';
const IMAGE = 'agora-test:1';
/** What the test suites run. */
const PROGRAMS = [
  ...['cat', 'chmod', 'chown', 'cksum', 'cp', 'cut', 'dash', 'date', 'dd', 'df', 'echo', 'env', 'find', 'grep', 'head'],
  ...['hostname', 'id', 'ln', 'ls', 'mkdir', 'mkfifo', 'mknod', 'mount', 'mv', 'perl', 'ps', 'rm', 'sed'],
  ...[
    'seq',
    'setsid',
    'sleep',
    'sort',
    'stat',
    'su',
    'tail',
    'tar',
    'touch',
    'tr',
    'true',
    'truncate',
    'umount',
    'uname',
    'unshare',
  ],
  ...['wc', 'whoami', 'xargs', 'yes'],
];
const START_TIMEOUT_MS = 20_000;
const ERASE_TRIES = 50;
/** After which the service ends by itself, should the run that started it have been killed. */
const IDLE_SECONDS = '600';

function findOnPath(program: string): string | undefined {
  const found = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin'].map((dir) => join(dir, program));
  return found.find((path) => existsSync(path));
}

/** The programs of this machine and the libraries they are linked with, in the places they have here. */
export function layRoot(root: string, wanted: readonly string[] = PROGRAMS): void {
  for (const dir of ['usr/bin', 'usr/lib', 'lib', 'lib64', 'etc', 'tmp', 'var/tmp', 'proc', 'dev', 'sys', 'run']) {
    mkdirSync(join(root, dir), { recursive: true });
  }
  symlinkSync('usr/bin', join(root, 'bin'));
  const programs = wanted.flatMap((program) => (program.startsWith('/') ? program : (findOnPath(program) ?? [])));
  for (const program of programs) {
    copyFileSync(program, join(root, 'usr/bin', program.split('/').at(-1)!));
  }
  symlinkSync('dash', join(root, 'usr/bin/sh'));
  const linked = spawnSync('ldd', programs, { encoding: 'utf8' }).stdout.match(/\/\S*\.so\S*/g) ?? [];
  for (const library of new Set(linked)) {
    mkdirSync(dirname(join(root, library)), { recursive: true });
    copyFileSync(library, join(root, library));
  }
}

function writeSettings(home: string): Record<string, string> {
  const engine = { root: join(home, 'root'), run: join(home, 'run'), tmp: join(home, 'tmp') };
  const conf = join(home, 'containers.conf');
  const storage = join(home, 'storage.conf');
  writeFileSync(
    conf,
    `[containers]
base_hosts_file = "none"
[engine]
cgroup_manager = "cgroupfs"
events_logger = "none"
lock_type = "file"
runtime = "${RUNTIME}"
tmp_dir = "${engine.tmp}"
`,
  );
  writeFileSync(storage, `[storage]\ndriver = "overlay"\ngraphroot = "${engine.root}"\nrunroot = "${engine.run}"\n`);
  return { CONTAINERS_CONF: conf, CONTAINERS_STORAGE_CONF: storage, HOME: home };
}

function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const ping = request({ socketPath, path: '/_ping', timeout: 2_000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    ping.on('timeout', () => ping.destroy());
    ping.on('error', () => resolve(false));
    ping.end();
  });
}

async function untilItAnswers(service: ChildProcess, socketPath: string, said: () => string): Promise<void> {
  for (const end = performance.now() + START_TIMEOUT_MS; performance.now() < end; await sleep(20)) {
    if (service.exitCode !== null) throw new Error(`podman's service ended: ${said()}`);
    if (await answers(socketPath)) return;
  }
  throw new Error(`podman's service did not answer: ${said()}`);
}

/**
 * The storage mounts directories on themselves, some more than once. The process that cleans up after a container
 * outlives it a little.
 */
async function erase(home: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n');
    const places = mounts.flatMap((line) => line.split(' ')[1] ?? []).filter((place) => place.startsWith(`${home}/`));
    for (const place of places.reverse()) spawnSync('umount', ['-l', place]);
    try {
      return rmSync(home, { recursive: true, force: true });
    } catch (error) {
      if (tries === ERASE_TRIES) throw error;
      await sleep(100);
    }
  }
}

/** `path` is where programs are looked for; the tests' own, since nothing else reads the environment. */
export async function startPodman(
  path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
): Promise<TestEngine> {
  const home = mkdtempSync(join(tmpdir(), 'agora-podman-'));
  const env = { ...writeSettings(home), PATH: path };
  // The monitor of a container writes into the directory in which Podman was started.
  const place = { cwd: home, env };
  const podman = (...args: string[]) => execFileSync('podman', args, { ...place, encoding: 'utf8', stdio: 'pipe' });
  const socket = join(home, 'api.sock');
  let service: ChildProcess | undefined;
  const stop = async () => {
    try {
      podman('rm', '--all', '--force', '--time', '0', '--volumes');
    } catch {
      // It may never have started.
    }
    if (service && service.exitCode === null) {
      const ended = new Promise((resolve) => service?.once('exit', resolve));
      service.kill('SIGKILL');
      await ended;
    }
    await erase(home);
  };
  try {
    const root = join(home, 'image');
    layRoot(root);
    execFileSync('tar', ['-C', root, '-cf', join(home, 'rootfs.tar'), '.']);
    podman('import', '--quiet', join(home, 'rootfs.tar'), IMAGE);
    let said = '';
    service = spawn('podman', ['system', 'service', '--time', IDLE_SECONDS, `unix://${socket}`], {
      ...place,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    service.stderr?.on('data', (bytes) => {
      said = (said + String(bytes)).slice(-2_000);
    });
    await untilItAnswers(service, socket, () => said);
  } catch (error) {
    await stop();
    throw new Error(`Podman could not be started (apt-get install -y podman ${RUNTIME}): ${(error as Error).message}`);
  }
  return { host: `unix://${socket}`, image: IMAGE, runtime: RUNTIME, podman, stop };
}
