import { type Route, route } from '../platform/index.ts';
import type { TaskDeps } from './deps.ts';
import { workspaceDiff } from './sandbox-diff.ts';
import { killProcess, listProcesses, processOutput, resumeSandbox, startProcess } from './sandbox-processes.ts';

/** What goes on in a sandbox beside single commands. */
export const sandboxWorkRoutes = (deps: TaskDeps): Route[] => [
  route('sandbox.resume', (call) => resumeSandbox(deps, call)),
  route('sandbox.startProcess', (call) => startProcess(deps, call)),
  route('sandbox.listProcesses', (call) => listProcesses(deps, call)),
  route('sandbox.processOutput', (call) => processOutput(deps, call)),
  route('sandbox.killProcess', (call) => killProcess(deps, call)),
  route('sandbox.diff', (call) => workspaceDiff(deps, call)),
];
