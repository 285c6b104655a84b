import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Work } from '@agora-market/sdk/worker';
import { UsageError } from '../../failure.ts';
import type { Log } from '../log.ts';
import { payoutOf } from '../model/budget.ts';
import type { Performer } from '../performer.ts';
import { answerOf, limited, type Read, sayReady } from './answer.ts';
import {
  commonEnv,
  commonHidden,
  type Preset,
  type PresetName,
  presetMinutes,
  presets,
  promptOf,
  textOf,
} from './presets.ts';
import { isKnown, type Place, resolveCommand } from './resolve-command.ts';
import type { CommandRun } from './run-command.ts';
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
  read: Read;
}

/** The most that the probe of a coding agent may cost. */
const probeCents = 100;

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
  const { program, line, env, hidden, read = textOf, signIn, source }: Preset = presets[name];
  if (!isKnown(program)) {
    throw new UsageError(`--preset ${name}: there is no program ${program} in PATH. Install it: ${source}`);
  }
  const place = { directory, workspace: true };
  const envWithin = (cents: number) => ({ ...commonEnv, ...env, AGORA_TASK_BUDGET_USD: (cents / 100).toFixed(2) });
  const probeEnv = { ...inherited(), ...envWithin(maxCostCents ?? probeCents) };
  return {
    ...performing(line, place, log, {
      stdin: promptOf,
      env: ({ task }) => envWithin(maxCostCents ?? payoutOf(task.price)),
      hidden: [...commonHidden, ...hidden],
      minutes: presetMinutes,
      read,
    }),
    // Each says in its own words, which change with its versions, that it is signed out or at a limit. So it is asked.
    isOutage: () => true,
    probe: (signal) => inDirectory((directory) => sayReady(line, { directory, env: probeEnv, signal }, read)),
    cure: `If ${program} is signed out: ${signIn}.`,
  };
}

function performing(command: string, place: Place, log: Log, manner: Manner): Performer {
  return {
    name: command,
    handle: (work) =>
      inDirectory(async (directory) => {
        const time = limited(work.signal, manner.minutes);
        try {
          const before = place.workspace ? await takeWorkspace(work.sandbox, directory, manner.hidden) : null;
          const run: CommandRun = {
            directory,
            env: { ...environmentOf(work, place), ...manner.env(work) },
            stdin: manner.stdin(work),
            signal: time.signal,
            onLine: tellProgress(work, log),
          };
          const output = await answerOf(command, run, manner.read);
          if (before !== null) {
            const { skipped, ...changes } = await sendChanges(work.sandbox, directory, before, manner.hidden);
            log.line('changes', { task: work.task.id, ...changes, skipped: skipped.join(', ') || undefined });
          }
          return output;
        } finally {
          time.end();
        }
      }),
  };
}

/** Works in a new directory that is removed afterwards. */
async function inDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'agora-worker-'));
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  }
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
  return { ...inherited(), AGORA_TASK_ID: task.id, AGORA_TASK_TYPE: task.taskType, AGORA_WORKER_DIR: directory };
}

const inherited = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('AGORA_')));

/** A JSON object is the output itself; any other text is its `result`. */
function outputOf(stdout: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(stdout);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // It is text.
  }
  return textOf(stdout);
}
