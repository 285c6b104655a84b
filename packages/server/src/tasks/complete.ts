import { can, maxInlineBytes, type Operations, type TaskView } from '@agora/contract';
import { ApiError, type Call, ensure } from '../platform/index.ts';
import { partyTask, permit, wrongState } from './access.ts';
import type { TaskDeps } from './deps.ts';
import { gateLeaseMs } from './judge.ts';
import { inSandbox } from './sandboxes.ts';
import type { TaskRow } from './sql.ts';
import { deliverStep } from './steps/index.ts';
import { taskView } from './view.ts';

/** How long the reply waits for the gate's verdict. */
const verdictWaitMs = 5_000;
/** The largest workspace the gate takes over. */
const maxWorkspaceBytes = 256 * 1024 ** 2;

/** Delivers; the gate runs at once, and the reply shows the task as it is by then. */
export async function completeTask(deps: TaskDeps, call: Call<Operations['tasks.complete']>): Promise<TaskView> {
  const { task, role } = await partyTask(deps, call.params.taskId, call.caller);
  permit(can.complete(task, role));
  const { output, executionTimeMs = null, qualityScore = null } = call.body;
  checkSize(output);
  // Kept on disk before anything is acknowledged: should this process die, the gate still has what was delivered.
  const workspace = await keepWorkspace(deps, task.id);
  const { outcome, status } = await deps.writer.write(
    deliverStep,
    {
      taskId: task.id,
      agentId: call.caller.agentId,
      output,
      declaredScore: qualityScore,
      executionTimeMs,
      at: call.now.toISOString(),
      gateDueAt: new Date(call.now.getTime() + gateLeaseMs).toISOString(),
    },
    call.claim && { ...call.claim, subject: task.id },
  );
  ensure(outcome !== 'not_party', 'NOT_A_PARTY');
  if (outcome !== 'ok') throw wrongState(status);
  const delivered: TaskRow = { ...task, status: 'quality_check', output, executionTimeMs, declaredScore: qualityScore };
  return taskView(await verdictOrDelivered(deps, delivered, workspace), role);
}

function checkSize(output: Record<string, unknown>): void {
  const sizeBytes = Buffer.byteLength(JSON.stringify(output));
  if (sizeBytes <= maxInlineBytes) return;
  throw new ApiError(
    'PAYLOAD_TOO_LARGE',
    `output has ${sizeBytes} bytes; the limit is ${maxInlineBytes}. Leave larger results under /workspace/output.`,
    { field: 'output', sizeBytes, maxBytes: maxInlineBytes },
  );
}

async function keepWorkspace(deps: TaskDeps, taskId: string): Promise<Buffer | null> {
  const sandbox = await deps.sandboxes.worked(taskId);
  if (!sandbox) return null;
  const archive = await inSandbox(() => sandbox.exportWorkspace(maxWorkspaceBytes));
  await deps.deliveries.keep(taskId, archive);
  return archive;
}

async function verdictOrDelivered(deps: TaskDeps, delivered: TaskRow, workspace: Buffer | null): Promise<TaskRow> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<TaskRow>((resolve) => {
    timer = setTimeout(() => resolve(delivered), verdictWaitMs);
  });
  try {
    return await Promise.race([deps.judge(delivered, workspace), patience]);
  } finally {
    clearTimeout(timer);
  }
}
