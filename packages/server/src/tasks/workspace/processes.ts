import { type Operations, toId, toUuid } from '@agora-market/contract';
import { ApiError, type Call, ensure, newUuid } from '../../platform/index.ts';
import { type BackgroundProcess, isText, type Sandbox, wholeCharacters } from '../../sandbox/index.ts';
import type { TaskDeps } from '../deps.ts';
import { assigned, ownSandbox, workspace } from './handlers.ts';
import { inSandbox } from './session.ts';

/** Background processes of a task's sandbox, and the end of its pauses. */

const tailBytes = 1024;
/** At most this much of a process's output in one reply; the caller asks on with `next`. */
const replyBytes = 256 * 1024;

const view = ({ id, ...rest }: BackgroundProcess) => ({ processId: id, ...rest });

export async function startProcess(deps: TaskDeps, call: Call<Operations['sandbox.startProcess']>) {
  const sandbox = await workspace(deps, call, 'work');
  const id = toId('process', newUuid(deps.clock));
  return { data: view(await inSandbox(() => sandbox.processes.start(id, call.body))) };
}

export async function listProcesses(deps: TaskDeps, call: Call<Operations['sandbox.listProcesses']>) {
  const { processes } = await workspace(deps, call, 'look');
  const tailOf = ({ id, outputBytes }: BackgroundProcess) =>
    processes.output(id, Math.max(0, outputBytes - tailBytes))?.bytes.toString('utf8') ?? '';
  return { data: { processes: processes.list().map((each) => ({ ...view(each), outputTail: tailOf(each) })) } };
}

export async function processOutput(deps: TaskDeps, call: Call<Operations['sandbox.processOutput']>) {
  const sandbox = await workspace(deps, call, 'look');
  const found = sandbox.processes.output(knownId(sandbox, call.params.processId), call.query.after);
  ensure(found, 'PROCESS_NOT_FOUND');
  const cut = found.bytes.subarray(0, replyBytes);
  // Half a character waits for its other half, unless nothing comes any more.
  const isLast = found.process.state === 'exited' && cut.length === found.bytes.length;
  const bytes = isLast || !isText(cut, true) ? cut : wholeCharacters(cut);
  const encoding = isText(bytes, false) ? ('utf8' as const) : ('base64' as const);
  const { from } = found;
  return {
    data: {
      process: view(found.process),
      content: bytes.toString(encoding),
      encoding,
      from,
      next: from + bytes.length,
    },
  };
}

export async function killProcess(deps: TaskDeps, call: Call<Operations['sandbox.killProcess']>) {
  const sandbox = await workspace(deps, call, 'look');
  const id = knownId(sandbox, call.params.processId);
  const ended = await inSandbox(() => sandbox.processes.kill(id));
  ensure(ended, 'PROCESS_NOT_FOUND');
  return { data: view(ended) };
}

function knownId({ processes }: Sandbox, id: string): string {
  ensure(toUuid('process', id) !== null && processes.list().some((each) => each.id === id), 'PROCESS_NOT_FOUND');
  return id;
}

export async function resumeSandbox(deps: TaskDeps, call: Call<Operations['sandbox.resume']>): Promise<void> {
  const task = await assigned(deps, call);
  ensure(await ownSandbox(deps, task), 'SANDBOX_NOT_FOUND');
  const pause = await deps.sandboxes.pauseOf(task.id);
  ensure(pause, 'SANDBOX_NOT_PAUSED');
  if (pause.resumesLeft < 1) throw new ApiError('RESUMES_USED_UP');
  await deps.sandboxes.resume(task.id);
}
