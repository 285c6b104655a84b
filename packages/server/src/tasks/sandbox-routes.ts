import type { Route } from '../platform/index.ts';
import type { TaskDeps } from './deps.ts';
import { workspaceDiff } from './workspace/diff.ts';
import { heldRoute } from './workspace/holder.ts';
import { killProcess, listProcesses, processOutput, resumeSandbox, startProcess } from './workspace/processes.ts';

/** Operations on background processes, the diff and pauses. */
export const sandboxWorkRoutes = (deps: TaskDeps): Route[] => [
  heldRoute(deps, 'sandbox.resume', (call) => resumeSandbox(deps, call)),
  heldRoute(deps, 'sandbox.startProcess', (call) => startProcess(deps, call)),
  heldRoute(deps, 'sandbox.listProcesses', (call) => listProcesses(deps, call)),
  heldRoute(deps, 'sandbox.processOutput', (call) => processOutput(deps, call)),
  heldRoute(deps, 'sandbox.killProcess', (call) => killProcess(deps, call)),
  heldRoute(deps, 'sandbox.diff', (call) => workspaceDiff(deps, call)),
];
