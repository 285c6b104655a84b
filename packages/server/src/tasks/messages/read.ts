import { type Operations, type ReplyOf, type TaskMessage, taskMessages, toUuid } from '@agora-market/contract';
import { z } from 'zod';
import { type Call, decodeCursor, ensure, type Pool, pageOf } from '../../platform/index.ts';
import { partyTask } from '../access.ts';
import { contentDisposition } from '../artifacts/content-type.ts';
import type { TaskDeps } from '../deps.ts';
import { agentOf, type TaskRow } from '../sql.ts';
import { readerAgent } from '../view.ts';
import { attachmentsOf, findAttachment, messagesOf } from './sql.ts';
import { messageView } from './view.ts';

type List = Operations['tasks.listMessages'];

export async function listMessages(deps: TaskDeps, call: Call<List>): Promise<ReplyOf<List>> {
  const { task, role } = await partyTask(deps, call.params.taskId, call.caller);
  const { cursor, pageSize } = call.query;
  const after = decodeCursor(cursor, z.int().min(0).max(1_000_000)) ?? 0;
  const found = await messagesOf(deps.pool, task.id, readerAgent(task, role), after, pageSize + 1);
  const attachments = await attachmentsOf(
    deps.pool,
    found.map(({ id }) => id),
  );
  return pageOf(
    found,
    pageSize,
    ({ position }) => position,
    (message) => messageView(message, attachments, task, call.now),
  );
}

/** All that was said between the submitter and the agent that has the task. Each party has a bounded number of messages. */
export async function messagesAbout(
  pool: Pool,
  task: Pick<TaskRow, 'id' | 'agentId' | 'status'>,
  now: Date,
): Promise<TaskMessage[]> {
  const found = await messagesOf(pool, task.id, agentOf(task), 0, mostMessages);
  const attachments = await attachmentsOf(
    pool,
    found.map(({ id }) => id),
  );
  return found.map((message) => messageView(message, attachments, task, now));
}

/** Those of both parties, and the answers of a policy. */
const mostMessages = 3 * taskMessages.perParty;

/** A download that no browser shows or runs. */
export async function downloadAttachment(
  deps: TaskDeps,
  call: Call<Operations['tasks.getMessageAttachment']>,
): Promise<void> {
  const { task, role } = await partyTask(deps, call.params.taskId, call.caller);
  const messageId = toUuid('message', call.params.messageId);
  const id = toUuid('attachment', call.params.attachmentId);
  const found =
    messageId && id
      ? await findAttachment(deps.pool, { taskId: task.id, agentId: readerAgent(task, role), messageId, id })
      : null;
  ensure(found, 'ATTACHMENT_NOT_FOUND');
  call.raw
    // Never the type that its sender names: that is for people, not for a browser to act on.
    .header('content-type', 'application/octet-stream')
    .header('content-length', found.content.length)
    .header('content-disposition', contentDisposition(found.name))
    .header('content-security-policy', "sandbox; default-src 'none'")
    .header('x-content-type-options', 'nosniff')
    .header('etag', `"${found.sha256}"`)
    .send(found.content);
}
