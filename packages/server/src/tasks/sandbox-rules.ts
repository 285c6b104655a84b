import { can, type OperationId, type Operations, type ReplyOf, toId } from '@agora/contract';
import { asksForEvents, type Call, ensure, invalidField } from '../platform/index.ts';
import type { SandboxFile } from '../sandbox/index.ts';
import { partyTask, permit } from './access.ts';
import type { TaskDeps } from './deps.ts';
import { streamExec } from './sandbox-stream.ts';
import { inSandbox } from './sandboxes.ts';
import { latestSandbox, type SandboxRow, type TaskRow } from './sql.ts';

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
export async function workspace(deps: TaskDeps, call: SandboxCall) {
  const task = await assigned(deps, call);
  permit(can.complete(task, 'assignee'));
  return deps.sandboxes.workspace(task);
}

async function view(deps: TaskDeps, task: TaskRow, row: SandboxRow): Promise<View> {
  const live = row.status === 'ready' ? await deps.sandboxes.live(task.id) : null;
  const pause = live ? await deps.sandboxes.pauseOf(task.id) : undefined;
  return {
    data: {
      sandboxId: task.sandboxId ?? toId('sandbox', row.id),
      taskId: toId('task', task.id),
      status: pause ? 'paused' : row.status === 'ready' && !live ? 'destroyed' : row.status,
      pause: pause ? { ...pause, since: pause.since.toISOString() } : null,
      workspace: '/workspace',
      outputPath: '/workspace/output',
      expiresAt: row.expiresAt,
      limits: live?.limits ?? null,
      enforcement: live?.enforcement ?? null,
    },
  };
}

/** Starts the sandbox; before the agent has committed it is empty. */
export async function provisionSandbox(deps: TaskDeps, call: Call<Operations['sandbox.provision']>): Promise<View> {
  const task = await assigned(deps, call);
  if (task.status !== 'executing') permit(can.start(task, 'assignee'));
  const row = await deps.sandboxes.provision(task);
  if (task.status === 'executing') await deps.sandboxes.workspace(task);
  // Until the agent has committed, the task has the sandbox that was provisioned last; from then on the id it named.
  const sandboxId = (task.status === 'executing' && task.sandboxId) || toId('sandbox', row.id);
  return view(deps, { ...task, sandboxId }, row);
}

export async function getSandbox(deps: TaskDeps, call: Call<Operations['sandbox.get']>): Promise<View> {
  const task = await assigned(deps, call);
  const row = await latestSandbox(deps.pool, task);
  ensure(row, 'SANDBOX_NOT_FOUND');
  return view(deps, task, row);
}

export async function destroySandbox(deps: TaskDeps, call: Call<Operations['sandbox.destroy']>): Promise<void> {
  const task = await assigned(deps, call);
  const row = await latestSandbox(deps.pool, task);
  ensure(row, 'SANDBOX_NOT_FOUND');
  const named = call.body?.sandboxId;
  const known = [task.sandboxId, toId('sandbox', row.id)];
  ensure(named === undefined || known.includes(named), 'SANDBOX_MISMATCH');
  await deps.sandboxes.end(task.id);
}

export async function listFiles(deps: TaskDeps, call: Call<Operations['sandbox.list']>) {
  const sandbox = await workspace(deps, call);
  return { data: { entries: await inSandbox(() => sandbox.list(call.query.path)) } };
}

export async function readFile(deps: TaskDeps, call: Call<Operations['sandbox.read']>) {
  const sandbox = await workspace(deps, call);
  return { data: await inSandbox(() => sandbox.read(call.query.path)) };
}

export async function writeFile(deps: TaskDeps, call: Call<Operations['sandbox.write']>) {
  const { path, content, encoding, executable } = call.body;
  if (encoding === 'base64' && !/^[A-Za-z0-9+/]*={0,2}$/.test(content)) throw invalidField('content', 'is not base64');
  const sandbox = await workspace(deps, call);
  const file: SandboxFile = { path, content: Buffer.from(content, encoding), executable };
  await inSandbox(() => sandbox.write(file));
  return { data: { path, sizeBytes: file.content.length } };
}

/** Runs a command; its fields come in the body, or in the query where the method has no body. */
export async function execCommand(deps: TaskDeps, call: Call<Operations['sandbox.exec']>) {
  const { command, ...rest } = { ...call.query, ...call.body };
  if (command === undefined) throw invalidField('command', 'is required');
  const timeoutMs = rest.timeoutMs ?? deps.config.SANDBOX_EXEC_TIMEOUT_MS;
  if (timeoutMs > deps.config.SANDBOX_MAX_EXEC_MS) {
    throw invalidField('timeoutMs', `must be at most ${deps.config.SANDBOX_MAX_EXEC_MS}`);
  }
  const sandbox = await workspace(deps, call);
  const request = { ...rest, command, timeoutMs };
  if (asksForEvents(call.raw.request)) return streamExec(deps, call, sandbox, request);
  return { data: await inSandbox(() => sandbox.exec(request)) };
}
