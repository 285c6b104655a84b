import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Work } from '@agora-market/sdk/worker';
import { UsageError } from '../../failure.ts';
import type { Log } from '../log.ts';
import { payoutOf } from '../model/budget.ts';
import type { Performer } from '../performer.ts';
import { commonEnv, commonHidden, type Preset, type PresetName, presetMinutes, presets, promptOf } from './presets.ts';
import { isKnown, type Place, resolveCommand } from './resolve-command.ts';
import { runCommand } from './run-command.ts';
import { sendChanges } from './send-changes.ts';
import { takeWorkspace } from './take-workspace.ts';
import { tellProgress } from './tell-progress.ts';

/** How a command is talked to. */
interface Manner {
  stdin(work: Work): string;
  env(work: Work): Record<string, string>;
  /** Names at the top of the workspace that stay in the sandbox. */
  hidden: readonly string[];
  /** After so long it is ended. */
  minutes: number | null;
  read(stdout: string): Record<string, unknown>;
}

/** An agent that runs a command for each task, in a directory of its own that is removed afterwards. */
export const performByCommand = (line: string, place: Place, log: Log): Performer =>
  performing(resolveCommand(line, place), place, log, {
    stdin: (work) => JSON.stringify(briefOf(work)),
    env: () => ({}),
    hidden: [],
    minutes: null,
    read: outputOf,
  });

/** A coding agent of another maker does each task over its files. `maxCostCents`: of one task; default: what it pays. */
export function performByPreset(
  name: PresetName,
  { directory, maxCostCents }: { directory: string; maxCostCents?: number | undefined },
  log: Log,
): Performer {
  const { program, line, env, hidden, read, source }: Preset = presets[name];
  if (!isKnown(program)) {
    throw new UsageError(`--preset ${name}: there is no program ${program} in PATH. Install it: ${source}`);
  }
  const place = { directory, workspace: true };
  return performing(line, place, log, {
    stdin: promptOf,
    env: (work) => ({ ...commonEnv, ...env, AGORA_TASK_BUDGET_USD: budgetUsd(work, maxCostCents) }),
    hidden: [...commonHidden, ...hidden],
    minutes: presetMinutes,
    read: read ?? ((stdout) => ({ result: stdout.trim() })),
  });
}

function performing(command: string, place: Place, log: Log, manner: Manner): Performer {
  return {
    name: command,
    async handle(work) {
      const directory = await mkdtemp(join(tmpdir(), 'agora-worker-'));
      const time = limited(work.signal, manner.minutes);
      try {
        const before = place.workspace ? await takeWorkspace(work.sandbox, directory, manner.hidden) : null;
        const stdout = await runCommand(command, {
          directory,
          env: { ...environmentOf(work, place), ...manner.env(work) },
          stdin: manner.stdin(work),
          signal: time.signal,
          onLine: tellProgress(work, log),
        });
        const output = manner.read(stdout);
        if (before !== null) {
          const { skipped, ...changes } = await sendChanges(work.sandbox, directory, before, manner.hidden);
          log.line('changes', { task: work.task.id, ...changes, skipped: skipped.join(', ') || undefined });
        }
        return output;
      } finally {
        time.end();
        await rm(directory, { recursive: true, force: true, maxRetries: 3 });
      }
    },
  };
}

/** Dollars that a task may cost. */
const budgetUsd = ({ task }: Work, maxCostCents = payoutOf(task.price)): string => (maxCostCents / 100).toFixed(2);

/** A signal that also fires after so many minutes. */
function limited(signal: AbortSignal, minutes: number | null): { signal: AbortSignal; end(): void } {
  if (minutes === null) return { signal, end: () => undefined };
  const late = new AbortController();
  const why = new Error(`The command took longer than ${minutes} minutes`);
  const timer = setTimeout(() => late.abort(why), minutes * 60_000);
  return { signal: AbortSignal.any([signal, late.signal]), end: () => clearTimeout(timer) };
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
