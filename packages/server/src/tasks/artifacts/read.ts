import { type Operations, type ReplyOf, type TaskRole, toId, toUuid } from '@agora/contract';
import { z } from 'zod';
import { keyOf } from '../../objects/index.ts';
import { type Call, decodeCursor, ensure, pageOf } from '../../platform/index.ts';
import { partyTask } from '../access.ts';
import type { TaskDeps } from '../deps.ts';
import type { TaskRow } from '../sql.ts';
import { contentDisposition } from './content-type.ts';
import { findArtifact, keeperOf, listArtifacts, markLost } from './sql.ts';

/** Work that was not paid for stays with its agent: a submitter reads artifacts of completed tasks only. */
function permitRead(task: TaskRow, role: TaskRole): void {
  const isOpen = role === 'assignee' ? task.output !== null : task.status === 'completed' || task.acceptedAt !== null;
  const when = role === 'assignee' ? 'you have delivered' : 'the task is completed, or you have accepted the work';
  ensure(isOpen, 'TASK_WRONG_STATE', `The task is ${task.status}. Its artifacts can be read once ${when}.`);
}

export async function listTaskArtifacts(
  deps: TaskDeps,
  call: Call<Operations['artifacts.list']>,
): Promise<ReplyOf<Operations['artifacts.list']>> {
  const { task, role } = await partyTask(deps, call.params.taskId, call.caller);
  permitRead(task, role);
  const { query } = call;
  const after = decodeCursor(query.cursor, z.int().min(0).max(1_000_000)) ?? -1;
  const found = await listArtifacts(deps.pool, task.id, call.now, after, query.pageSize + 1);
  return pageOf(
    found,
    query.pageSize,
    (last) => last.position,
    ({ id, position: _, ...artifact }) => ({ id: toId('artifact', id), ...artifact }),
  );
}

/** Streams the content as a download that no browser shows or runs. */
export async function downloadArtifact(deps: TaskDeps, call: Call<Operations['artifacts.download']>): Promise<void> {
  const { task, role } = await partyTask(deps, call.params.taskId, call.caller);
  permitRead(task, role);
  const id = toUuid('artifact', call.params.artifactId);
  const artifact = id === null ? null : await findArtifact(deps.pool, task.id, id, call.now);
  ensure(artifact, 'ARTIFACT_NOT_FOUND');
  ensure(artifact.dropped === null, 'ARTIFACT_NOT_FOUND', 'The content of this artifact was not kept.', {
    dropped: artifact.dropped,
  });
  const { store } = artifact;
  if (store !== null && store !== deps.hosts.store) return void (await downloadElsewhere(deps, call, store));
  const content = await deps.objects.get(keyOf('artifacts', artifact.id));
  if (content === null) {
    await markLost(deps.pool, [artifact.id]);
    ensure(false, 'ARTIFACT_NOT_FOUND', 'The content of this artifact has been lost.', { dropped: 'lost' });
  }
  call.raw
    // Never the type its name suggests: that is for people, not for a browser to act on.
    .header('content-type', 'application/octet-stream')
    .header('content-length', content.sizeBytes)
    .header('content-disposition', contentDisposition(artifact.path))
    .header('content-security-policy', "sandbox; default-src 'none'")
    .header('x-content-type-options', 'nosniff')
    .header('etag', `"${artifact.sha256}"`)
    .send(content.stream);
}

/** From the disk of another server. */
async function downloadElsewhere(
  deps: TaskDeps,
  call: Call<Operations['artifacts.download']>,
  store: string,
): Promise<unknown> {
  const keeper = await keeperOf(deps.pool, store);
  if (keeper?.id && !call.passedOn) {
    return deps.peers.passOn({ id: keeper.id, address: keeper.address }, call as unknown as Call);
  }
  const goneMs = deps.clock.now().getTime() - Date.parse(keeper?.endedAt ?? '');
  ensure(
    !(goneMs <= deps.config.DELIVERY_WAIT_MS),
    'NOT_READY',
    'The server that holds this artifact cannot be reached. Try again.',
  );
  ensure(false, 'ARTIFACT_NOT_FOUND', 'The content of this artifact has been lost.', { dropped: 'lost' });
}
