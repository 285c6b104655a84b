import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Work } from '@agora-market/sdk/worker';
import type { Log } from '../log.ts';
import type { Performer } from '../performer.ts';
import { type Place, resolveCommand } from './resolve-command.ts';
import { runCommand } from './run-command.ts';
import { sendChanges } from './send-changes.ts';
import { takeWorkspace } from './take-workspace.ts';
import { tellProgress } from './tell-progress.ts';

/** An agent that runs a command for each task, in a directory of its own that is removed afterwards. */
export function performByCommand(line: string, place: Place, log: Log): Performer {
  const command = resolveCommand(line, place);
  return {
    name: command,
    async handle(work) {
      const directory = await mkdtemp(join(tmpdir(), 'agora-worker-'));
      try {
        const before = place.workspace ? await takeWorkspace(work.sandbox, directory) : null;
        const stdout = await runCommand(command, {
          directory,
          env: environmentOf(work, place),
          stdin: JSON.stringify(briefOf(work)),
          signal: work.signal,
          onLine: tellProgress(work, log),
        });
        if (before !== null) {
          const { skipped, ...changes } = await sendChanges(work.sandbox, directory, before);
          log.line('changes', { task: work.task.id, ...changes, skipped: skipped.join(', ') || undefined });
        }
        return outputOf(stdout);
      } finally {
        await rm(directory, { recursive: true, force: true, maxRetries: 3 });
      }
    },
  };
}

/** What the command reads on stdin. Contents of files are in the workspace alone. */
const briefOf = ({ task: { id, taskType, price, deadline, input } }: Work) => ({
  id,
  taskType,
  priceCents: price,
  deadline,
  input,
});

/** The worker's own environment without what is Agora's, above all the agent's key. */
function environmentOf({ task }: Work, { directory }: Place): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('AGORA_'));
  const own = { AGORA_TASK_ID: task.id, AGORA_TASK_TYPE: task.taskType, AGORA_WORKER_DIR: directory };
  return { ...Object.fromEntries(inherited), ...own };
}

/** A JSON object is the output itself; any other text is its `result`. */
function outputOf(stdout: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(stdout);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // It is text.
  }
  return { result: stdout.trim() };
}
