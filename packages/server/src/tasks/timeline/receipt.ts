import { createHash } from 'node:crypto';
import {
  canonicalJson,
  inTotoType,
  type Operations,
  type Receipt,
  type ReceiptStatement,
  type ReplyOf,
  receiptPredicateType,
  type TaskStatus,
  terminalStatuses,
  toId,
} from '@agora-market/contract';
import { type ToldEvent, taskStatusIn } from '../../events/index.ts';
import { rowsForSeller, strongestProof } from '../../gate/index.ts';
import { ApiError, type Call, packageVersion, publicUrl } from '../../platform/index.ts';
import { partyTask } from '../access.ts';
import type { TaskDeps } from '../deps.ts';
import { isNotSelected, isWithheld } from '../groups/attempts.ts';
import { type TaskRow, taskEvents } from '../sql.ts';
import { eventView } from '../view.ts';
import { judgedBy, keptArtifacts } from './receipt-sql.ts';

const pageSize = 200;

/**
 * A receipt proves to anybody, without this server, what was delivered, how it was assessed and which events the task had.
 * Each entry's hash covers the one before it, and the signature covers the last. It is made on request, so it costs the
 * steps nothing.
 */
export async function taskReceipt(
  deps: TaskDeps,
  call: Call<Operations['tasks.receipt']>,
): Promise<ReplyOf<Operations['tasks.receipt']>> {
  const { task, role } = await partyTask(deps, call.params.taskId, call.caller);
  if (!terminalStatuses.includes(task.status)) throw notEnded(task.status);
  // Read after the task, so that the event of the status it has is among them.
  const events = await allEvents(deps, task.id);
  const taskId = toId('task', task.id);
  const entries = chain(
    taskId,
    events.map((event) => eventView(event, taskId)),
  );
  // Work that was not paid for is not told of to the submitter, not even by its digest.
  const isDelivered = role === 'assignee' || !isWithheld(task);
  const isShown = role === 'assignee' || !isNotSelected(task);
  const log = { count: entries.length, head: entries.at(-1)?.hash ?? '' };
  const statement: ReceiptStatement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: isDelivered ? await subjectOf(deps, task, log.head, call.now) : [ofEvents(log.head)],
    predicateType: receiptPredicateType,
    predicate: {
      issuer: publicUrl(deps.config),
      issuedAt: call.now.toISOString(),
      task: {
        id: taskId,
        type: task.taskType,
        status: statusAfter(events) ?? task.status,
        agentId: task.agentId === null ? null : toId('agent', task.agentId),
        createdAt: task.createdAt,
        finishedAt: task.finishedAt,
      },
      assessment: await assessmentOf(deps, task, isShown),
      events: log,
      versions: { agora: packageVersion },
    },
  };
  const key = await deps.signing.key();
  return {
    format: 'agora-receipt-2',
    jws: key.signJws({ typ: 'JOSE', cty: inTotoType }, JSON.stringify(statement)),
    entries,
  };
}

/** The key that signs receipts now. */
export async function receiptKey(deps: TaskDeps): Promise<ReplyOf<Operations['tasks.receiptKey']>> {
  const { kid, publicKey, pem } = await deps.signing.key();
  return { keyId: kid, algorithm: 'Ed25519', publicKey: publicKey.toString('base64'), pem };
}

const notEnded = (status: TaskStatus) =>
  new ApiError('TASK_WRONG_STATE', `The task is ${status}. It gets a receipt when it ends.`, { status });

/** A statement must be about something (in-toto), so one of a task without a delivery is about its events. */
async function subjectOf(deps: TaskDeps, task: TaskRow, head: string, now: Date): Promise<ReceiptStatement['subject']> {
  const kept = await keptArtifacts(deps.pool, task.id, now);
  const ofKind = (wanted: 'output' | 'patch') => kept.filter(({ kind }) => kind === wanted);
  const files = ofKind('output').map(({ path, sha256 }) => ({ name: `output/${path}`, digest: { sha256 } }));
  const patch = ofKind('patch').map(({ path, sha256 }) => ({ name: path, digest: { sha256 } }));
  if (files.length > 0) return [...files, ...patch];
  if (task.output === null) return [ofEvents(head)];
  return [{ name: 'output.json', digest: { sha256: sha256(canonicalJson(task.output)) } }, ...patch];
}

const ofEvents = (head: string) => ({ name: 'events', digest: { sha256: head } });

/** Both parties may show the receipt around, so it tells of the checks what the agent may read, and none of the evidence. */
async function assessmentOf(
  deps: TaskDeps,
  task: TaskRow,
  isShown: boolean,
): Promise<ReceiptStatement['predicate']['assessment']> {
  const found = task.assessmentId === null ? null : await judgedBy(deps.pool, task.assessmentId);
  if (found === null) return null;
  const { id, score, passed, criteria, judge, createdAt } = found;
  return {
    id: toId('assessment', id),
    score,
    passed,
    checks: (isShown ? rowsForSeller(criteria) : []).map((row) => ({
      name: row.name,
      score: row.score,
      weight: row.weight,
    })),
    proof: strongestProof(criteria),
    judge: isShown && judge ? { status: judge.status, model: judge.model, score: judge.score } : null,
    createdAt,
  };
}

async function allEvents(deps: TaskDeps, taskId: string): Promise<ToldEvent[]> {
  const all: ToldEvent[] = [];
  for (;;) {
    const found = await taskEvents(deps.pool, { taskId, agentId: null }, all.at(-1)?.seq ?? 0, pageSize);
    all.push(...found);
    if (found.length < pageSize) return all;
  }
}

/** The status by the events, because the task may have been refunded since it was read. */
const statusAfter = (events: ToldEvent[]) => events.map(taskStatusIn).findLast((status) => status !== undefined);

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function chain(taskId: string, events: Receipt['entries'][number]['event'][]): Receipt['entries'] {
  let previous = sha256(taskId);
  return events.map((event, at) => {
    const number = at + 1;
    previous = sha256(`${previous}\n${canonicalJson({ number, event })}`);
    return { number, event, hash: previous };
  });
}
