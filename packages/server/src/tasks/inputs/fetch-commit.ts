import git, { type HttpClient } from 'isomorphic-git';
import { errors as undiciErrors } from 'undici';
import { OutboundRefused, openOutbound, redirects } from '../../platform/outbound/index.ts';
import { basicAuthorization } from './basic-authorization.ts';
import { memoryFs } from './memory-fs.ts';
import { type CloneReason, CloneRefused, inspectPack, limitsOf } from './pack.ts';

/** Fetches one commit of a foreign repository. For worker threads: it remembers why a reply broke off. */

export interface FetchJob {
  url: string;
  /** Branch, tag or commit; null takes the default branch. */
  ref: string | null;
  /** For a private repository; null asks as anybody. */
  token: string | null;
  allowLoopback: boolean;
  /** That may be called with a token whatever their addresses. */
  trustedHosts: readonly string[];
  maxBytes: number;
  maxFiles: number;
}

/** How many commits to search for one that its server does not return by id. */
const depths = [100, 2_000];
const isCommitId = (ref: string) => /^[0-9a-f]{40}$/i.test(ref);

/** A server says what it can beside the first of its references. */
const capabilityBytes = 4_096;

/** Why a reply broke off. The library reads on and then regards what it has as damaged. */
let broken: unknown;

async function* noticing(
  body: AsyncIterable<Uint8Array>,
  isDiscovery: boolean,
): AsyncGenerator<Uint8Array, void, undefined> {
  let said = '';
  try {
    for await (const chunk of body) {
      if (isDiscovery && said.length < capabilityBytes) said += Buffer.from(chunk).toString('latin1');
      // The library would take half of each id for an id.
      if (said.includes('object-format=sha256')) throw new CloneRefused('sha256');
      yield chunk;
    }
  } catch (error) {
    broken ??= error;
    throw error;
  }
}

/** How a repository's address begins, and with what its server wants it to begin. */
type Move = readonly [from: string, to: string];

const discovery = '/info/refs';

/** As Git, which follows the first request alone: the rest goes to where that one led. Only the same server's. */
function moveOf(asked: string, location: string | string[] | undefined): Move {
  const from = new URL(asked);
  const given = typeof location === 'string' && URL.canParse(location, asked) ? new URL(location, asked) : null;
  if (given === null || given.origin !== from.origin || given.username !== '' || given.password !== '') {
    throw new CloneRefused('redirected');
  }
  // Both end in the same request, or they are about something else.
  if (!from.pathname.endsWith(discovery) || !given.pathname.endsWith(discovery)) throw new CloneRefused('redirected');
  const home = ({ origin, pathname }: URL) => origin + pathname.slice(0, -discovery.length);
  return [home(from), home(given)];
}

const movedTo = (url: string, move: Move | null) =>
  move !== null && url.startsWith(`${move[0]}/`) ? move[1] + url.slice(move[0].length) : url;

function httpOver(job: FetchJob): HttpClient {
  const outbound = openOutbound({
    allowLoopback: job.allowLoopback,
    // An owner with a token for it has come there by a forge that it has connected.
    trustedHosts: job.token === null ? [] : job.trustedHosts,
    maxReplyBytes: job.maxBytes,
  });
  let authorization = job.token === null ? null : basicAuthorization(job.token);
  let moved: Move | null = null;
  return {
    async request({ url: asked, method = 'GET', headers = {}, body }) {
      const sent: Uint8Array[] = [];
      for await (const chunk of body ?? []) sent.push(chunk);
      const ask = () =>
        outbound.request(movedTo(asked, moved), {
          method: method as 'GET' | 'POST',
          headers: { ...headers, ...(authorization !== null && { authorization }) },
          ...(body && { body: Buffer.concat(sent) }),
        });
      let reply = await ask();
      if (authorization !== null && [401, 403, 404].includes(reply.statusCode)) {
        // A token that has ended must not keep anybody from a public repository.
        authorization = null;
        await reply.body.dump();
        reply = await ask();
      }
      if (redirects.includes(reply.statusCode) && moved === null) {
        moved = moveOf(asked, reply.headers.location);
        await reply.body.dump();
        reply = await ask();
      }
      if (reply.statusCode >= 300 && reply.statusCode < 400) throw new CloneRefused('redirected');
      return {
        url: asked,
        method,
        statusCode: reply.statusCode,
        statusMessage: String(reply.statusCode),
        headers: Object.fromEntries(Object.entries(reply.headers).map(([name, value]) => [name, String(value)])),
        body: noticing(reply.body, new URL(asked).pathname.endsWith(discovery)),
      };
    },
  };
}

export type Repo = { fs: ReturnType<typeof memoryFs>; http: HttpClient; gitdir: string; cache: object };

async function byName(repo: Repo, ref: string | null): Promise<string> {
  const { fetchHead } = await git.fetch({
    ...repo,
    ...(ref !== null && { ref, remoteRef: ref }),
    singleBranch: true,
    depth: 1,
  });
  if (fetchHead === null) throw new CloneRefused('empty');
  return fetchHead;
}

/** Objects that a server left out although it sent references to them. */
export const present = <T>(reading: Promise<T>): Promise<T> =>
  reading.catch((error) => {
    throw error.code === 'NotFoundError' ? new CloneRefused('damaged', { cause: error }) : error;
  });

const has = (repo: Repo, oid: string) =>
  git.readCommit({ ...repo, oid }).then(
    () => true,
    () => false,
  );

/** Servers need not give a commit by its id; then the branches and tags are followed back, so far and no further. */
async function byId(repo: Repo, oid: string): Promise<string> {
  try {
    await git.fetch({ ...repo, ref: oid, remoteRef: oid, singleBranch: true, depth: 1 });
    if (await has(repo, oid)) return oid;
  } catch (error) {
    if (broken !== undefined || !['ref_not_found', 'damaged'].includes(reasonOf(error))) throw error;
  }
  for (const depth of depths) {
    await git.fetch({ ...repo, depth, tags: true });
    if (await has(repo, oid)) return oid;
  }
  throw new CloneRefused('ref_not_found');
}

/** Why the clone failed, in our words. */
function reasonOf(error: unknown): CloneReason {
  if (error instanceof CloneRefused) return error.reason;
  if (error instanceof OutboundRefused) return 'refused_address';
  if (error instanceof undiciErrors.ResponseExceededMaxSizeError) return 'too_large';
  const {
    code = '',
    message = '',
    data,
  } = error as { code?: string; message?: string; data?: { statusCode?: number } };
  if (code === 'HttpError') return [401, 403, 404, 410].includes(data?.statusCode ?? 0) ? 'not_found' : 'unreachable';
  if (code === 'NotFoundError' || /not our ref|couldn't find|unadvertised/i.test(message)) return 'ref_not_found';
  if (code === 'ObjectTypeError') return 'ref_not_found';
  if (code === 'SmartHttpError' || code === 'RemoteCapabilityError' || code === 'EmptyServerResponseError')
    return 'not_a_repository';
  if (code === 'ParseError') return 'not_a_repository';
  if (/^(E[A-Z]+|UND_ERR_|CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code)) return 'unreachable';
  return 'damaged';
}

/** Why a fetch failed, in our words and in those of what failed. */
export function failureOf(error: unknown): { reason: CloneReason; cause: string } {
  const first = broken ?? error;
  return { reason: reasonOf(first), cause: String(innermost(first)) };
}

const innermost = (error: unknown): unknown =>
  error instanceof Error && error.cause !== undefined ? innermost(error.cause) : error;

export interface FetchedCommit {
  repo: Repo;
  commit: string;
  packs: Buffer[];
}

export async function fetchCommit(job: FetchJob): Promise<FetchedCommit> {
  const limits = limitsOf(job);
  const packs: Buffer[] = [];
  // If history must be fetched too, the number of later packs limits their size.
  const fs = memoryFs((path, content) => {
    if (!path.endsWith('.pack')) return;
    inspectPack(content, limits);
    packs.push(content);
  });
  const repo = { fs, http: httpOver(job), gitdir: '/git', cache: {} };
  await git.init({ ...repo, bare: true });
  await git.addRemote({ ...repo, remote: 'origin', url: job.url.replace(/\/+$/, '') });
  const commit =
    job.ref !== null && isCommitId(job.ref) ? await byId(repo, job.ref.toLowerCase()) : await byName(repo, job.ref);
  return { repo, commit, packs };
}
