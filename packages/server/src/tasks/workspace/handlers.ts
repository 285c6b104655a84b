import { can, isWorking, type OperationId, type Operations, type ReplyOf, toId, toUuid } from '@agora-market/contract';
import { z } from 'zod';
import { asksForEvents, type Call, decodeCursor, encodeCursor, ensure, invalidField } from '../../platform/index.ts';
import type { SandboxFile } from '../../sandbox/index.ts';
import { partyTask, permit } from '../access.ts';
import type { TaskDeps } from '../deps.ts';
import { withInput } from '../lifecycle/lack-input.ts';
import { latestSandbox, type SandboxRow, type TaskRow } from '../sql.ts';
import { type CommandEnd, programOf } from './command-log.ts';
import { streamExec } from './exec-stream.ts';
import type { JoinedCommands } from './joined-commands.ts';
import { inSandbox, SessionElsewhere } from './session.ts';
import { spared } from './spare.ts';
import { isLiving } from './sql.ts';

type SandboxId = Extract<OperationId, `sandbox.${string}`>;
type SandboxCall = Pick<Call<Operations[SandboxId]>, 'caller' | 'params'>;
type View = ReplyOf<Operations['sandbox.get']>;

/** The task for its assigned agent; anybody else, the submitter included, is refused. */
export async function assigned(deps: TaskDeps, call: SandboxCall): Promise<TaskRow> {
  const { task, role } = await partyTask(deps, call.params.taskId, call.caller);
  ensure(role === 'assignee', 'NOT_A_PARTY', 'Only the assigned agent can use the sandbox.');
  return task;
}

/** The workspace is open from the agent's commitment until it delivers. */
export async function openTask(deps: TaskDeps, call: SandboxCall): Promise<TaskRow> {
  const task = await assigned(deps, call);
  permit(can.complete(task, 'assignee'));
  return task;
}

export async function workspace(deps: TaskDeps, call: SandboxCall, use: 'look' | 'work') {
  const task = await openTask(deps, call);
  return withInput(deps, task, () => spared(deps, task, () => deps.sandboxes.workspace(task, use)));
}

/** The newest sandbox of the task's agent; refuses where only another server can say how it is. */
export async function ownSandbox(deps: TaskDeps, task: TaskRow): Promise<SandboxRow | null> {
  const found = await latestSandbox(deps.pool, task);
  if (found && isLiving(found) && found.host !== deps.hosts.id) throw new SessionElsewhere();
  return found;
}

/** The stored state, corrected by what this process knows. */
async function statusOf(
  deps: TaskDeps,
  task: TaskRow,
  { status }: SandboxRow,
  isLive: boolean,
): Promise<SandboxRow['status']> {
  // Its work is being taken out of it.
  if (status === 'ready' && !isLive && isWorking(task) && deps.sandboxes.holds(task.id)) return 'draining';
  const isOver = status === 'kept' || status === 'lost' || (status === 'ready' && !isLive);
  if (!isOver) return status;
  if (!isWorking(task)) return 'destroyed';
  if (await deps.sandboxes.isKept(task.id)) return 'kept';
  return status === 'ready' ? 'destroyed' : 'lost';
}

async function view(deps: TaskDeps, task: TaskRow, row: SandboxRow): Promise<View> {
  const live = row.status === 'ready' ? await deps.sandboxes.live(task.id) : null;
  const pause = live ? await deps.sandboxes.pauseOf(task.id) : undefined;
  const status = pause ? 'paused' : await statusOf(deps, task, row, live !== null);
  return {
    data: {
      sandboxId: task.sandboxId ?? toId('sandbox', row.id),
      taskId: toId('task', task.id),
      status,
      pause: pause ? { ...pause, since: pause.since.toISOString() } : null,
      workspace: '/workspace',
      outputPath: '/workspace/output',
      expiresAt: row.expiresAt,
      limits: live?.limits ?? null,
      enforcement: live?.enforcement ?? null,
      packages: live === null ? null : await packagesOf(deps, task),
      snapshotAt: live ? row.snapshotAt : status === 'lost' ? await deps.sandboxes.snapshotOf(task) : null,
    },
  };
}

/** Names of packages are the buyer's, so nobody reads them before the commitment. */
async function packagesOf({ sandboxes }: TaskDeps, task: TaskRow): Promise<View['data']['packages']> {
  const startedWith = isWorking(task) ? await sandboxes.startedWith(task.id) : null;
  if (startedWith === null) return null;
  const lacking = startedWith.problems.map(({ message }) => message);
  return { installed: [...(startedWith.start.layer?.paths ?? [])], lacking };
}

/** Starts the sandbox; before the agent has committed it is empty. */
export async function provisionSandbox(deps: TaskDeps, call: Call<Operations['sandbox.provision']>): Promise<View> {
  const task = await assigned(deps, call);
  if (!isWorking(task)) permit(can.start(task, 'assignee'));
  const row = await withInput(deps, task, () => spared(deps, task, () => deps.sandboxes.provision(task)));
  if (isWorking(task)) await spared(deps, task, () => deps.sandboxes.workspace(task, 'look'));
  // Until the agent has committed, the task has the sandbox that was provisioned last; from then on the id it named.
  const sandboxId = (isWorking(task) && task.sandboxId) || toId('sandbox', row.id);
  return view(deps, { ...task, sandboxId }, row);
}

export async function getSandbox(deps: TaskDeps, call: Call<Operations['sandbox.get']>): Promise<View> {
  const task = await assigned(deps, call);
  const row = await ownSandbox(deps, task);
  ensure(row, 'SANDBOX_NOT_FOUND');
  return view(deps, task, row);
}

export async function destroySandbox(deps: TaskDeps, call: Call<Operations['sandbox.destroy']>): Promise<void> {
  const task = await assigned(deps, call);
  const row = await ownSandbox(deps, task);
  ensure(row, 'SANDBOX_NOT_FOUND');
  const named = call.body?.sandboxId;
  const known = [task.sandboxId, toId('sandbox', row.id)];
  ensure(named === undefined || known.includes(named), 'SANDBOX_MISMATCH');
  await deps.sandboxes.forgo(task);
}

/** Names of files need not be text; a cursor has the last one in hex. */
const afterName = z.string().regex(/^([0-9a-f]{2}){1,255}$/);

export async function listFiles(deps: TaskDeps, call: Call<Operations['sandbox.list']>) {
  const { path, pageSize, cursor } = call.query;
  const page = { count: pageSize, after: decodeCursor(cursor, afterName) ?? '' };
  const sandbox = await workspace(deps, call, 'look');
  const { entries, next, truncated } = await inSandbox(() => sandbox.list(path, page));
  const nextCursor = next === null ? null : encodeCursor(next);
  return { data: { entries, truncated, pagination: { pageSize, nextCursor } } };
}

export async function readFile(deps: TaskDeps, call: Call<Operations['sandbox.read']>) {
  const sandbox = await workspace(deps, call, 'look');
  return { data: await inSandbox(() => sandbox.read(call.query.path)) };
}

export async function writeFile(deps: TaskDeps, call: Call<Operations['sandbox.write']>) {
  const { path, content, encoding, executable } = call.body;
  if (encoding === 'base64' && !/^[A-Za-z0-9+/]*={0,2}$/.test(content)) throw invalidField('content', 'is not base64');
  const file: SandboxFile = { path, content: Buffer.from(content, encoding), executable };
  const task = await openTask(deps, call);
  await spared(deps, task, () => deps.sandboxes.write(task, file));
  return { data: { path, sizeBytes: file.content.length } };
}

/**
 * Runs a command, and ends it when its caller goes for good. Its fields come in the body, or in the query where the method
 * has no body.
 */
export async function execCommand(deps: TaskDeps, commands: JoinedCommands, call: Call<Operations['sandbox.exec']>) {
  const { command, label, ...rest } = { ...call.query, ...call.body };
  if (command === undefined) throw invalidField('command', 'is required');
  if ((rest.timeoutMs ?? 0) > deps.config.SANDBOX_MAX_EXEC_MS) {
    throw invalidField('timeoutMs', `must be at most ${deps.config.SANDBOX_MAX_EXEC_MS}`);
  }
  const sandbox = await workspace(deps, call, 'work');
  const request = { ...rest, command };
  const noted = {
    taskId: toUuid('task', call.params.taskId) as string,
    agentId: call.caller.agentId,
    label: label ?? programOf(command),
  };
  const note = <R extends CommandEnd>(run: () => Promise<R>) =>
    deps.underWay.commands.note(noted, () => inSandbox(run));
  if (asksForEvents(call.raw.request))
    return streamExec(deps, call, (sink, signal) => note(() => sandbox.execStreamed(request, sink, signal)));
  const run = (signal: AbortSignal) => note(() => sandbox.exec(request, { signal }));
  if (!call.claim?.subject) return { data: await run(call.whenGone()) };
  return { data: await commands.join(call.claim.subject, call.whenGone(), run) };
}
