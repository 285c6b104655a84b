import { isUtf8 } from 'node:buffer';
import { parentPort, workerData } from 'node:worker_threads';
import type { PullRequestReason } from '@agora/contract';
import { readArchive } from '../../sandbox/archive.ts';
import { changesBetween } from '../workspace/diff/changes.ts';
import { encodeChanges } from './changed-files.ts';
import { pullLimits, type Selected, select } from './select.ts';

/** What was laid before the agent, what it delivered, and the tree of the commit. */
export interface CompareJob {
  laid: ArrayBuffer;
  workspace: ArrayBuffer;
  tree: ArrayBuffer;
}

export type CompareReply = { changes: Uint8Array<ArrayBuffer> } | { reason: PullRequestReason };

/** Rules of one file; git's own are a few kilobytes. */
const maxRulesBytes = 64 * 1024;

function refusalOf({ files, deleted }: Selected): PullRequestReason | null {
  const bytes = files.reduce((sum, { content }) => sum + content.length, 0);
  const binary = files.filter(({ content }) => !isUtf8(content)).length;
  if (files.length + deleted.length === 0) return 'no_changes';
  if (files.length + deleted.length > pullLimits.files || binary > pullLimits.binaryFiles) return 'too_many_files';
  return bytes > pullLimits.bytes ? 'too_large' : null;
}

async function compare(job: CompareJob): Promise<CompareReply> {
  const workspace = Buffer.from(job.workspace);
  const changes = changesBetween(Buffer.from(job.laid), workspace);
  const tree = new Set<string>();
  for (const { path, type } of readArchive(Buffer.from(job.tree))) if (type !== 'directory') tree.add(path);
  const rules = new Map<string, string>();
  for (const { path, type, content } of readArchive(workspace)) {
    const directory = /^(|.*\/)\.gitignore$/.exec(path)?.[1];
    if (directory === undefined || type !== 'file' || content.length > maxRulesBytes) continue;
    rules.set(directory, content.toString('utf8'));
  }
  const selected = select(changes, tree, rules);
  const reason = refusalOf(selected);
  return reason === null ? { changes: new Uint8Array(await encodeChanges(selected)) } : { reason };
}

const reply = await compare(workerData as CompareJob);
parentPort?.postMessage(reply, 'changes' in reply ? [reply.changes.buffer] : []);
