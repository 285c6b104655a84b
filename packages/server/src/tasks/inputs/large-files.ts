import { createHash } from 'node:crypto';
import { lfsPointer } from '../../gate/index.ts';
import { inStretches } from '../../platform/index.ts';
import { type Outbound, openOutbound, redirects, urlProblem } from '../../platform/outbound/index.ts';
import { type ArchiveEntry, encodeArchive, readArchive } from '../../sandbox/index.ts';
import { basicAuthorization } from './basic-authorization.ts';

/** The contents of Git LFS: its batch interface with basic transfers, and nothing of the repository's settings. */

const mediaType = 'application/vnd.git-lfs+json';
/** Objects of one request, as Git LFS asks for them. */
const batchObjects = 100;
/** Objects of a clone; the files of others stay pointers. */
const mostObjects = 1_000;
const maxReplyBytes = 1024 ** 2;
const mostHeaders = 20;

interface LargeObject {
  oid: string;
  size: number;
}

interface Wanted {
  /** Null for a bundle, whose contents are nowhere. */
  url: string | null;
  token: string | null;
  allowLoopback: boolean;
  /** Hosts of the operator's. */
  trustedHosts: readonly string[];
  /** Of all contents together. */
  maxBytes: number;
  signal: AbortSignal;
}

type AtServer = Wanted & { url: string };

export interface Filled {
  archive: Buffer;
  /** Bytes that the contents have more than their pointers. */
  bytes: number;
  /** Paths of pointers, whether or not they have their contents now. */
  paths: string[];
  /** Paths whose contents could not be had. */
  pointers: string[];
}

/** A tree with the contents of its large files in the place of their pointers, as far as they can be had. Never fails for them. */
export async function withLargeFiles(archive: Buffer, wanted: Wanted): Promise<Filled> {
  const pointers = new Map<string, LargeObject>();
  await inStretches(readArchive(archive), ({ type, path, content }) => {
    const pointer = type === 'file' ? lfsPointer(content) : null;
    if (pointer !== null) pointers.set(path, pointer);
  });
  if (pointers.size === 0) return { archive, bytes: 0, paths: [], pointers: [] };
  const { url } = wanted;
  const contents: ReadonlyMap<string, Buffer> =
    url === null ? new Map() : await contentsOf(fitting(pointers, wanted.maxBytes), { ...wanted, url });
  let bytes = 0;
  for (const { oid } of pointers.values()) bytes += contents.get(oid)?.length ?? 0;
  return {
    archive: contents.size === 0 ? archive : await encodeArchive(filled(archive, pointers, contents)),
    bytes,
    paths: [...pointers.keys()],
    // A workspace comes out in no order.
    pointers: [...pointers].flatMap(([path, { oid }]) => (contents.has(oid) ? [] : path)).sort(),
  };
}

/** Those that fit, each as often as it lies in the tree. */
function fitting(pointers: ReadonlyMap<string, LargeObject>, maxBytes: number): LargeObject[] {
  const sums = new Map<string, { object: LargeObject; bytes: number }>();
  for (const object of pointers.values()) {
    const { bytes } = sums.get(object.oid) ?? { bytes: 0 };
    sums.set(object.oid, { object, bytes: bytes + object.size });
  }
  let left = maxBytes;
  const objects: LargeObject[] = [];
  for (const { object, bytes } of sums.values()) {
    if (bytes > left || objects.length === mostObjects) continue;
    left -= bytes;
    objects.push(object);
  }
  return objects;
}

function* filled(
  archive: Buffer,
  pointers: ReadonlyMap<string, LargeObject>,
  contents: ReadonlyMap<string, Buffer>,
): Generator<ArchiveEntry> {
  for (const entry of readArchive(archive)) {
    const pointer = pointers.get(entry.path);
    const content = pointer && contents.get(pointer.oid);
    yield content === undefined ? entry : { ...entry, content };
  }
}

async function contentsOf(objects: readonly LargeObject[], wanted: AtServer): Promise<Map<string, Buffer>> {
  const contents = new Map<string, Buffer>();
  const { allowLoopback, maxBytes, signal, token } = wanted;
  const { hostname } = new URL(wanted.url);
  // The repository's own host alone: its answers name addresses, which lead nowhere else in the operator's network.
  const trustedHosts = token !== null && wanted.trustedHosts.includes(hostname) ? [hostname] : [];
  const outbound = openOutbound({ allowLoopback, trustedHosts, maxReplyBytes: Math.max(maxBytes, maxReplyBytes) });
  try {
    for (let at = 0; at < objects.length; at += batchObjects) {
      const batch = objects.slice(at, at + batchObjects);
      const actions = await actionsFor(outbound, batch, wanted).catch(() => null);
      // Its server has no LFS, or keeps it from us: so it is with the others.
      if (actions === null) break;
      for (const object of batch) {
        const action = actions.get(object.oid);
        const content = action && (await download(outbound, object, action, wanted).catch(() => null));
        if (content) contents.set(object.oid, content);
        if (signal.aborted) return contents;
      }
    }
    return contents;
  } finally {
    await outbound.close();
  }
}

interface Action {
  href: string;
  header: Record<string, string>;
}

/** Where the contents of these objects are, as the repository's server says. */
async function actionsFor(
  outbound: Outbound,
  objects: readonly LargeObject[],
  { url, token, signal }: AtServer,
): Promise<Map<string, Action>> {
  const home = url.replace(/\/+$/, '');
  const endpoint = `${home.endsWith('.git') ? home : `${home}.git`}/info/lfs/objects/batch`;
  let authorization = token === null ? null : basicAuthorization(token);
  const ask = (address: string) =>
    outbound.request(address, {
      method: 'POST',
      headers: {
        accept: mediaType,
        'content-type': mediaType,
        ...(authorization !== null && { authorization }),
      },
      body: JSON.stringify({ operation: 'download', transfers: ['basic'], hash_algo: 'sha256', objects }),
      signal,
    });
  let asked = await ask(endpoint);
  if (authorization !== null && [401, 403, 404].includes(asked.statusCode)) {
    // As for the clone: a token that has ended must not keep anybody from a public repository.
    authorization = null;
    await asked.body.dump();
    asked = await ask(endpoint);
  }
  if (redirects.includes(asked.statusCode)) {
    // As for the clone: a repository that was renamed, at the same server.
    const location = new URL(String(asked.headers.location), endpoint);
    await asked.body.dump();
    if (location.origin !== new URL(endpoint).origin) throw new Error('the batch was redirected to another server');
    asked = await ask(location.href);
  }
  const { statusCode, body } = asked;
  const reply = await read(body, maxReplyBytes);
  if (statusCode !== 200) throw new Error(`the batch was answered with ${statusCode}`);
  const listed = (JSON.parse(reply.toString('utf8')) as { objects?: unknown }).objects;
  const actions = new Map<string, Action>();
  for (const each of Array.isArray(listed) ? listed.slice(0, batchObjects) : []) {
    const { oid, actions: { download = {} } = {} } = (each ?? {}) as {
      oid?: unknown;
      actions?: { download?: { href?: unknown; header?: unknown } };
    };
    const { href, header } = download;
    if (typeof oid === 'string' && typeof href === 'string') actions.set(oid, { href, header: headersOf(header) });
  }
  return actions;
}

/** Those that the server asks for, but for what the connection itself says. */
function headersOf(given: unknown): Record<string, string> {
  const ours = /^(host|connection|content-length|transfer-encoding|upgrade|expect|te|trailer)$/i;
  const pairs = Object.entries((given ?? {}) as Record<string, unknown>).filter(
    (pair): pair is [string, string] => typeof pair[1] === 'string' && /^[\w-]+$/.test(pair[0]) && !ours.test(pair[0]),
  );
  return Object.fromEntries(pairs.slice(0, mostHeaders));
}

/** Null where it is something else than its pointer says. No redirect is followed, and no token is sent. */
async function download(
  outbound: Outbound,
  { oid, size }: LargeObject,
  { href, header }: Action,
  { allowLoopback, signal }: AtServer,
): Promise<Buffer | null> {
  if (urlProblem(href, { allowLoopback }) !== null) return null;
  const { statusCode, body } = await outbound.request(href, { headers: header, signal });
  if (statusCode !== 200) {
    await body.dump();
    return null;
  }
  const hash = createHash('sha256');
  const content = await read(body, size, (chunk) => hash.update(chunk));
  return content.length === size && hash.digest('hex') === oid ? content : null;
}

async function read(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
  seen: (chunk: Buffer) => unknown = () => undefined,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error('the reply is longer than it may be');
    chunks.push(chunk);
    seen(chunk);
  }
  return Buffer.concat(chunks);
}
