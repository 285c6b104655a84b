import { type Operations, type ReplyOf, type TaskRole, toId, toUuid } from '@agora-market/contract';
import { z } from 'zod';
import { keyOf, type ObjectStore } from '../../objects/index.ts';
import { ApiError, type Call, decodeCursor, ensure, pageOf } from '../../platform/index.ts';
import { partyTask } from '../access.ts';
import type { TaskDeps } from '../deps.ts';
import type { TaskRow } from '../sql.ts';
import { contentDisposition } from './content-type.ts';
import { findArtifact, keeperOf, listArtifacts, markLost, type StoredArtifact } from './sql.ts';

type Stored = NonNullable<Awaited<ReturnType<ObjectStore['get']>>>;

/** Work that was not paid for stays with its agent: a submitter reads artifacts of completed tasks only. */
export function permitWork(task: TaskRow, role: TaskRole): void {
  const isOpen = role === 'assignee' ? task.output !== null : task.status === 'completed' || task.acceptedAt !== null;
  const when = role === 'assignee' ? 'you have delivered' : 'the task is completed, or you have accepted the work';
  ensure(isOpen, 'TASK_WRONG_STATE', `The task is ${task.status}. Its work can be read once ${when}.`);
}

export async function listTaskArtifacts(
  deps: TaskDeps,
  call: Call<Operations['artifacts.list']>,
): Promise<ReplyOf<Operations['artifacts.list']>> {
  const { task, role } = await partyTask(deps, call.params.taskId, call.caller);
  permitWork(task, role);
  const { query } = call;
  const after = decodeCursor(query.cursor, z.int().min(0).max(1_000_000)) ?? -1;
  const found = await listArtifacts(deps.pool, task.id, call.now, after, query.pageSize + 1);
  return pageOf(
    found,
    query.pageSize,
    (last) => last.position,
    ({ id, position: _, kind: __, ...artifact }) => ({ id: toId('artifact', id), ...artifact }),
  );
}

export async function downloadArtifact(deps: TaskDeps, call: Call<Operations['artifacts.download']>): Promise<void> {
  const { task, role } = await partyTask(deps, call.params.taskId, call.caller);
  permitWork(task, role);
  const id = toUuid('artifact', call.params.artifactId);
  const artifact = id === null ? null : await findArtifact(deps.pool, task.id, id, call.now);
  ensure(artifact, 'ARTIFACT_NOT_FOUND');
  ensure(artifact.dropped === null, 'ARTIFACT_NOT_FOUND', 'The content of this artifact was not kept.', {
    dropped: artifact.dropped,
  });
  await fromStore(deps, call as unknown as Call, artifact, async (content) =>
    sendContent(call as unknown as Call, artifact, content),
  );
}

/** Answers from the content of an artifact: here, or at the server that has it on its disk. */
export async function fromStore<T>(
  deps: TaskDeps,
  call: Call,
  { id, store }: StoredArtifact,
  answer: (content: Stored) => Promise<T>,
  missing: Missing = 'ARTIFACT_NOT_FOUND',
): Promise<T> {
  if (store !== null && store !== deps.hosts.store) return (await askElsewhere(deps, call, store, missing)) as T;
  const content = await deps.objects.get(keyOf('artifacts', id));
  if (content !== null) return answer(content);
  await markLost(deps.pool, [id]);
  throw lost(missing);
}

type Missing = 'ARTIFACT_NOT_FOUND' | 'CHANGES_NOT_FOUND';

const lost = (code: Missing) => new ApiError(code, 'The content has been lost.', { dropped: 'lost' });

/** Streams the content as a download that no browser shows or runs. */
export const sendContent = ({ raw }: Call, { path, sha256 }: StoredArtifact, { sizeBytes, stream }: Stored) =>
  raw
    // Never the type its name suggests: that is for people, not for a browser to act on.
    .header('content-type', 'application/octet-stream')
    .header('content-length', sizeBytes)
    .header('content-disposition', contentDisposition(path))
    .header('content-security-policy', "sandbox; default-src 'none'")
    .header('x-content-type-options', 'nosniff')
    .header('etag', `"${sha256}"`)
    .send(stream);

/** From the disk of another server. */
export async function askElsewhere(deps: TaskDeps, call: Call, store: string, missing: Missing): Promise<unknown> {
  const keeper = await keeperOf(deps.pool, store);
  if (keeper?.id && !call.passedOn) {
    return deps.peers.passOn({ id: keeper.id, address: keeper.address }, call);
  }
  const goneMs = deps.clock.now().getTime() - Date.parse(keeper?.endedAt ?? '');
  ensure(
    !(goneMs <= deps.config.DELIVERY_WAIT_MS),
    'NOT_READY',
    'The server that holds this artifact cannot be reached. Try again.',
  );
  throw lost(missing);
}
