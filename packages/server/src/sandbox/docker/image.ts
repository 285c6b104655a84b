import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CALLS_DIR } from '../bwrap/launch.ts';
import { SandboxError } from '../driver.ts';
import { REPORTERS_PATH, reporters } from '../reporters.ts';
import { type Engine, reason, statusOf } from './engine.ts';
import { AGENT_PATH, FILTER_PATH, LABELS } from './spec.ts';
import { encodeTar, type TarEntry } from './tar.ts';

/**
 * The operator's image with our files added, made once and then found by its tag. The files are copied and not mounted,
 * so the engine may be on another machine.
 */

const REPOSITORY = 'agora-sandbox';

export interface Uids {
  first: number;
  count: number;
}

export interface ImageOrder {
  installationId: string;
  /** The image that the operator named. */
  base: string;
  /** All that the operator names: the images that were made of others go. */
  bases: readonly string[];
  nativeDir: string;
  /** The users that containers run as; each gets the name `agent`. */
  uids: Uids;
}

const refused = (message: string) => new SandboxError('SANDBOX_UNAVAILABLE', message);

export function readBuilt(nativeDir: string, name: string): Buffer {
  const path = join(nativeDir, name);
  if (existsSync(path)) return readFileSync(path);
  throw refused(`The sandbox agent is not in ${nativeDir}.`);
}

export function reporterEntries(home: string): TarEntry[] {
  const { directories, files } = reporters();
  return [
    ...['', ...directories].map((path) => ({ path: `${join(home, path)}/`, mode: 0o755 })),
    ...files.map((file) => ({ ...file, path: join(home, file.path) })),
  ];
}

/** The files in which these users are called `agent`. */
export function users(uids: readonly number[]): TarEntry[] {
  const named = uids.map((uid) => `agent:x:${uid}:${uid}:agent:/tmp:/bin/sh\n`).join('');
  const groups = uids.map((gid) => `agent:x:${gid}:\n`).join('');
  const nobody = 'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n';
  return [
    { path: 'passwd', mode: 0o644, content: Buffer.from(named + nobody) },
    { path: 'group', mode: 0o644, content: Buffer.from(`${groups}nogroup:x:65534:\n`) },
  ];
}

function layer({ nativeDir, uids }: ImageOrder): TarEntry[] {
  const all = [1000, ...Array.from({ length: uids.count }, (_, n) => uids.first + n)];
  return [
    { path: AGENT_PATH.slice(1), mode: 0o755, content: readBuilt(nativeDir, 'agent') },
    { path: FILTER_PATH.slice(1), mode: 0o644, content: readBuilt(nativeDir, 'seccomp.bpf') },
    { path: `${CALLS_DIR.slice(1)}/`, mode: 0o755 },
    { path: `${CALLS_DIR.slice(1)}/delivered`, mode: 0o777, link: AGENT_PATH },
    // Some runtimes give a tmpfs the mode of the directory below it, not the requested one.
    { path: 'workspace/', mode: 0o755 },
    { path: 'tmp/', mode: 0o1777 },
    { path: 'input/', mode: 0o755 },
    ...reporterEntries(REPORTERS_PATH.slice(1)),
    ...users(all).map((file) => ({ ...file, path: `etc/${file.path}` })),
  ];
}

async function inspectBase(engine: Engine, base: string) {
  const found = await engine.inspectImage(base).catch((error) => {
    if (statusOf(error) !== 404) throw error;
    throw refused(`The container engine has no image ${base}. Pull, build or import it there first.`);
  });
  const volumes = Object.keys(found.Config?.Volumes ?? {});
  if (volumes.length > 0) {
    // Each would be a writable directory on the engine's disk, without a size.
    throw refused(`The image ${base} declares volumes (${volumes.join(', ')}); use one without.`);
  }
  return found;
}

/** Returns the name of the image to run. */
export async function prepareImage(engine: Engine, order: ImageOrder): Promise<string> {
  const base = await inspectBase(engine, order.base);
  const archive = encodeTar(layer(order));
  const hash = createHash('sha256').update(base.Id).update(archive).digest('hex');
  const tag = `${tagStart(order, order.base)}${hash.slice(0, 16)}`;
  const name = `${REPOSITORY}:${tag}`;
  const isThere = await engine.inspectImage(name).then(
    () => true,
    () => false,
  );
  if (!isThere) await fitOut(engine, order, base.Id, { archive, tag });
  await removeFormer(engine, order, name);
  return name;
}

async function fitOut(
  engine: Engine,
  { installationId, base }: ImageOrder,
  image: string,
  { archive, tag }: { archive: Buffer; tag: string },
): Promise<void> {
  const { Id: id } = await engine.createContainer({
    Image: image,
    Entrypoint: [AGENT_PATH],
    Cmd: [],
    Labels: { [LABELS.installation]: installationId },
    HostConfig: { NetworkMode: 'none' },
  });
  try {
    await engine.unpackInto(id, archive);
    await engine.commit(id, REPOSITORY, tag);
  } catch (error) {
    throw refused(`The image ${base} could not be fitted out: ${reason(error)}`);
  } finally {
    await engine.removeContainer(id).catch(() => undefined);
  }
}

const tagStart = ({ installationId }: ImageOrder, base: string): string =>
  `${installationId.toLowerCase()}-${createHash('sha256').update(base).digest('hex').slice(0, 8)}-`;

/**
 * Images of an older sandbox agent, of what the base was, or of a base that is no longer named. One that a container still
 * uses stays until the next time.
 */
async function removeFormer(engine: Engine, order: ImageOrder, current: string): Promise<void> {
  const others = order.bases.filter((base) => base !== order.base).map((base) => tagStart(order, base));
  // Podman puts the name of a registry before names that have none.
  const isOurs = new RegExp(`^(?:\\S+/)?${REPOSITORY}:(${order.installationId.toLowerCase()}-[0-9a-f-]{16,25})$`);
  const isFormer = (name: string) => {
    const [, tag] = isOurs.exec(name) ?? [];
    return tag !== undefined && !current.endsWith(tag) && !others.some((start) => tag.startsWith(start));
  };
  for (const { RepoTags } of await engine.images()) {
    for (const name of (RepoTags ?? []).filter(isFormer)) {
      await engine.removeImage(name).catch(() => undefined);
    }
  }
}
