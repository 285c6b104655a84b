import { isUtf8 } from 'node:buffer';
import { parentPort, workerData } from 'node:worker_threads';
import type { ChangedFile, PullRequestReason } from '@agora-market/contract';
import { type ArchiveEntry, isNotText, readArchive } from '../../sandbox/archive.ts';
import type { TreeFacts } from '../inputs/clean.ts';
import { encodeChanges } from '../pulls/changed-files.ts';
import { pullLimits, type Rules, type Selected, select } from '../pulls/select.ts';
import { type Change, changesBetween } from '../workspace/diff/changes.ts';
import { gitPatch } from './git-patch.ts';
import { leadsOut, partOfDelivery } from './part-of-delivery.ts';

/** Reads a delivery and what was laid before its agent: once, for the patch and for the pull request. */

export interface CompareJob {
  laid: ArrayBuffer;
  workspace: ArrayBuffer;
  /** The tree of the commit; null where no pull request is wanted. */
  base: { archive: ArrayBuffer; facts: TreeFacts } | null;
  /** A longer patch is left out. */
  patchBytes: number;
}

/** The first line of the stored list; a `ChangedFile` is each other. */
export interface ChangeSummary {
  /** Of all files, also of those that are not listed. */
  total: { files: number; added: number; removed: number };
  /** Links that lead out of the tree. */
  linksLeftOut: number;
}

export type PullReply = { changes: Uint8Array<ArrayBuffer> } | { reason: PullRequestReason };

export interface Described {
  /** How many are changed. */
  files: number;
  /** Lines of JSON: a `ChangeSummary`, and the files by path. */
  index: Uint8Array<ArrayBuffer>;
  /** Null where it is too long. */
  patch: Uint8Array<ArrayBuffer> | null;
}

/** The pull request comes first: it costs less, and must not be lost with the patch. */
export type CompareMessage = { pull: PullReply | null } | { described: Described };

/** Rules of one file what to ignore; git's own are a few kilobytes. */
const maxRulesBytes = 64 * 1024;
/** Of one .gitattributes, which may name thousands of large files one by one. */
const maxAttributesBytes = 1024 ** 2;
/** Of the list of files, in characters of its JSON. */
const maxListedChars = 4 * 1024 ** 2;
/** For the lines of all texts; what is left of the time is for everything else. */
const linesMs = 8_000;

function refusalOf({ files, deleted, leftOut }: Selected): PullRequestReason | null {
  const bytes = files.reduce((sum, { content }) => sum + content.length, 0);
  const binary = files.filter(({ content }) => !isUtf8(content)).length;
  if (files.length + deleted.length === 0) {
    return Object.values(leftOut).some((count) => count > 0) ? 'left_out' : 'no_changes';
  }
  if (files.length + deleted.length > pullLimits.files || binary > pullLimits.binaryFiles) return 'too_many_files';
  if ([...files.map(({ path }) => path), ...deleted].some(isNotText)) return 'unnameable';
  return bytes > pullLimits.bytes ? 'too_large' : null;
}

function pathsOf(archive: Buffer): Set<string> {
  const paths = new Set<string>();
  for (const { path, type } of readArchive(archive)) if (type !== 'directory') paths.add(path);
  return paths;
}

/** The files of a tree with rules, by their directory ('' or ending in /). */
function rulesOf(tree: Buffer): Rules {
  const ignores = new Map<string, string>();
  const attributes = new Map<string, Buffer>();
  for (const { path, type, content } of readArchive(tree)) {
    const [, directory, name] = /^(|.*\/)\.git(ignore|attributes)$/.exec(path) ?? [];
    if (directory === undefined || type !== 'file') continue;
    if (name === 'ignore' && content.length <= maxRulesBytes) ignores.set(directory, content.toString('utf8'));
    if (name === 'attributes' && content.length <= maxAttributesBytes) attributes.set(directory, content);
  }
  return { ignores, attributes };
}

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text));

/** The list and the patch, each as far as it has room. */
function described(all: readonly Change[], patchBytes: number): Described {
  const outward = new Set(all.filter(({ after }) => after && leadsOut(after)).map(({ path }) => path));
  // A file that became such a link stays.
  const changes = all.filter(({ path }) => !outward.has(path));
  const total = { files: 0, added: 0, removed: 0 };
  const lines: string[] = [];
  let listed = 0;
  const parts: (string | null)[] = [];
  for (const { patch, ...file } of gitPatch(changes, { timeoutMs: linesMs, chars: patchBytes })) {
    total.files += 1;
    total.added += file.lines?.added ?? 0;
    total.removed += file.lines?.removed ?? 0;
    const line = JSON.stringify(file satisfies ChangedFile);
    listed += line.length;
    if (listed <= maxListedChars) lines.push(line);
    parts.push(patch);
  }
  const summary: ChangeSummary = { total, linksLeftOut: outward.size };
  const patch = parts.includes(null) ? null : bytesOf(parts.join(''));
  return {
    files: total.files,
    index: bytesOf([JSON.stringify(summary), ...lines].join('\n')),
    patch: patch && patch.length <= patchBytes ? patch : null,
  };
}

async function pullOf(
  changes: readonly Change[],
  workspace: Buffer,
  { archive, facts }: NonNullable<CompareJob['base']>,
): Promise<PullReply> {
  const tree = Buffer.from(archive);
  const entries = new Map<string, ArchiveEntry>();
  for (const entry of readArchive(tree)) if (entry.type !== 'directory') entries.set(entry.path, entry);
  const selected = select(changes, { entries, attributes: rulesOf(tree).attributes, facts }, rulesOf(workspace));
  const reason = refusalOf(selected);
  return reason === null ? { changes: new Uint8Array(await encodeChanges(selected)) } : { reason };
}

async function compare(job: CompareJob): Promise<void> {
  const [laid, workspace] = [Buffer.from(job.laid), Buffer.from(job.workspace)];
  const changes = changesBetween(laid, workspace);
  const pull = job.base && (await pullOf(changes, workspace, job.base));
  say({ pull });
  // By the buyer's rules: an agent's own would hide what its work needs.
  say({ described: described(partOfDelivery(changes, pathsOf(laid), rulesOf(laid).ignores), job.patchBytes) });
}

const say = (message: CompareMessage) => parentPort?.postMessage(message);

await compare(workerData as CompareJob);
