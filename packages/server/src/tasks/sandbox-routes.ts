import type { Route } from '../platform/index.ts';
import type { TaskDeps } from './deps.ts';
import { heldRoute } from './holder.ts';
import { workspaceDiff } from './sandbox-diff.ts';
import { killProcess, listProcesses, processOutput, resumeSandbox, startProcess } from './sandbox-processes.ts';

/** What goes on in a sandbox beside single commands. */
export const sandboxWorkRoutes = (deps: TaskDeps): Route[] => [
  heldRoute(deps, 'sandbox.resume', (call) => resumeSandbox(deps, call)),
  heldRoute(deps, 'sandbox.startProcess', (call) => startProcess(deps, call)),
  heldRoute(deps, 'sandbox.listProcesses', (call) => listProcesses(deps, call)),
  heldRoute(deps, 'sandbox.processOutput', (call) => processOutput(deps, call)),
  heldRoute(deps, 'sandbox.killProcess', (call) => killProcess(deps, call)),
  heldRoute(deps, 'sandbox.diff', (call) => workspaceDiff(deps, call)),
];
