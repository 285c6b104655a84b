import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readBuilt, reporterEntries, users } from '../docker/image.ts';
import { AGENT_PATH } from '../docker/spec.ts';
import { encodeTar, type TarEntry } from '../docker/tar.ts';
import { buildNative } from '../native.ts';
import { DOOR_HOME } from './door-terms.ts';
import { AGENT_UID } from './spec.ts';

/** The image of the door, which also brings what is laid into sandboxes: the same for every sandbox of this version. */

const PROGRAMS = ['run-door.js', 'door.js', 'door-terms.js'];

const builtPrograms = (): TarEntry[] =>
  PROGRAMS.map((path) => ({
    path,
    mode: 0o644,
    content: readFileSync(fileURLToPath(new URL(path, import.meta.url))),
  }));

/** Everything below `DOOR_HOME`. */
export function doorEntries(nativeDir: string): TarEntry[] {
  const under = (place: string, entries: TarEntry[]) =>
    entries.map((entry) => ({ ...entry, path: join(place, entry.path) }));
  const laid = under('lay', [
    { path: 'agent', mode: 0o755, content: readBuilt(nativeDir, 'agent') },
    { path: 'agent.seccomp', mode: 0o644, content: readBuilt(nativeDir, 'seccomp.bpf') },
    { path: 'calls/', mode: 0o755 },
    { path: 'calls/delivered', mode: 0o777, link: AGENT_PATH },
    { path: 'calls/closed/', mode: 0o755 },
    { path: 'calls/closed/end', mode: 0o644, content: Buffer.alloc(0) },
    ...under('reporters', reporterEntries('')),
    { path: 'etc/', mode: 0o755 },
    ...under('etc', users([AGENT_UID])),
    { path: 'etc/hosts', mode: 0o644, content: Buffer.from('127.0.0.1 localhost sandbox\n') },
  ]);
  return [{ path: 'package.json', mode: 0o644, content: Buffer.from('{"type":"module"}\n') }, ...laid];
}

const DOCKERFILE = (base: string) => `FROM ${base}\nCOPY agora ${DOOR_HOME}\n`;

/** What \`docker build\` takes from its input. `base` has Node 22 or later, a shell, cp, mkdir and chmod. */
export function doorImage(base: string): Buffer {
  const entries = [...builtPrograms(), ...doorEntries(buildNative())];
  return encodeTar([
    { path: 'Dockerfile', mode: 0o644, content: Buffer.from(DOCKERFILE(base)) },
    ...entries.map((entry) => ({ ...entry, path: `agora/${entry.path}` })),
  ]);
}
