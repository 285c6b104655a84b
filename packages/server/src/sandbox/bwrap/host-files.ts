import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { SandboxError } from '../driver.ts';
import { REPORTERS_PATH, reporters } from '../reporters.ts';

/** What the sandboxes see of the host: paths, and a few files made for them. */

export interface HostFiles {
  agent: string;
  /** Mounts layers; only root can use it. */
  lay: string;
  seccomp: string;
  seccompDegraded: string;
  /** Becomes `/etc`. */
  etc: string;
  /** Becomes `REPORTERS_PATH`. */
  reporters: string;
}

const ETC: Record<string, string> = {
  passwd: 'agent:x:1000:1000:agent:/tmp:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n',
  group: 'agent:x:1000:\nnogroup:x:65534:\n',
  hosts: '127.0.0.1 localhost sandbox\n::1 localhost\n',
  hostname: 'sandbox\n',
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\n',
  'resolv.conf': '',
};

/** Parts of the host's own `/etc` that programs under `/usr` need and that say nothing about the host. */
const ETC_FROM_HOST = [
  ...['ssl/certs', 'ssl/openssl.cnf', 'alternatives', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d'],
  // Debian keeps the settings there without which no Java starts.
  ...[11, 17, 21, 25].map((version) => `java-${version}-openjdk`),
  // And what turns PHP's extensions on, and starts Maven; other settings of theirs may have passwords.
  ...['8.2', '8.3', '8.4', '8.5'].flatMap((php) => [`php/${php}/cli/conf.d`, `php/${php}/mods-available`]),
  ...['maven/m2.conf', 'maven/logging'],
];

/** `mode`: null for a link, which has none. */
function put(path: string, write: (path: string) => void, mode: number | null): void {
  // A sandbox of another server may be reading the old one, so it is replaced and never rewritten.
  const fresh = `${path}.${process.pid}`;
  rmSync(fresh, { force: true });
  write(fresh);
  if (mode !== null) chmodSync(fresh, mode);
  renameSync(fresh, path);
}

/**
 * Checks before it changes anything: in /tmp somebody else may have made this directory, or a link to one of ours. If
 * it is ours and no link, the sticky bit keeps others from replacing it.
 */
function makeOwnDirectory(dir: string): void {
  mkdirSync(dir, { recursive: true });
  const found = lstatSync(dir);
  if (!found.isDirectory() || found.uid !== process.getuid?.()) {
    throw new Error(`${dir} is a link or belongs to somebody else. Cure: remove it, or find out who made it`);
  }
  chmodSync(dir, 0o755);
}

/** Writes the reporters into a directory of ours. */
export function placeReporters(place: string): void {
  const { directories, files } = reporters();
  for (const directory of ['', ...directories]) makeOwnDirectory(join(place, directory));
  for (const { path, mode, content, link } of files) {
    const target = join(place, path);
    if (content !== undefined) put(target, (fresh) => writeFileSync(fresh, content), mode);
    else if (link !== undefined) put(target, (fresh) => symlinkSync(link, fresh), null);
  }
}

/**
 * Writes the sandbox agent, the reporters and `/etc` where every sandbox user can read them, because the checkout may be
 * in a closed home directory. Throws with what to do if something has not been built.
 */
export function placeHostFiles(nativeDir: string, placeDir: string): HostFiles {
  const built = {
    agent: join(nativeDir, 'agent'),
    lay: join(nativeDir, 'lay'),
    seccomp: join(nativeDir, 'seccomp.bpf'),
    seccompDegraded: join(nativeDir, 'seccomp-degraded.bpf'),
  };
  if (!Object.values(built).every((path) => existsSync(path))) {
    throw new SandboxError('SANDBOX_UNAVAILABLE', `The sandbox agent is not in ${nativeDir}.`);
  }
  const files = {
    ...built,
    agent: join(placeDir, 'agent'),
    etc: join(placeDir, 'etc'),
    reporters: join(placeDir, 'reporters'),
  };
  for (const dir of [placeDir, files.etc, join(files.etc, 'ssl')]) makeOwnDirectory(dir);
  put(files.agent, (path) => copyFileSync(built.agent, path), 0o755);
  placeReporters(files.reporters);
  for (const [name, text] of Object.entries(ETC))
    put(join(files.etc, name), (path) => writeFileSync(path, text), 0o644);
  for (const name of ETC_FROM_HOST) {
    const source = join('/etc', name);
    const target = join(files.etc, name);
    if (!existsSync(source) || existsSync(target)) continue;
    mkdirSync(dirname(target), { recursive: true });
    if (statSync(source).isDirectory()) mkdirSync(target);
    else writeFileSync(target, '');
  }
  return files;
}

/** Arguments of bubblewrap for the read-only parts of the host. */
export function hostBinds(files: HostFiles): string[] {
  const args = ['--ro-bind', '/usr', '/usr', '--ro-bind', files.etc, '/etc'];
  for (const name of ETC_FROM_HOST) {
    if (existsSync(join('/etc', name)) && existsSync(join(files.etc, name))) {
      args.push('--ro-bind', realpathSync(join('/etc', name)), `/etc/${name}`);
    }
  }
  // On merged systems these lead into /usr; elsewhere they are directories of their own.
  for (const name of ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32']) {
    if (!existsSync(`/${name}`)) continue;
    const real = realpathSync(`/${name}`);
    if (real.startsWith('/usr/')) args.push('--symlink', real.slice(1), `/${name}`);
    else args.push('--ro-bind', real, `/${name}`);
  }
  return [...args, '--ro-bind', files.agent, '/agent', '--ro-bind', files.reporters, REPORTERS_PATH];
}

/** The first of these names that can be run, or undefined. */
export function findProgram(candidates: string[]): string | undefined {
  return candidates.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
