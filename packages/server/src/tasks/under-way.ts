import { type Clock, createTally } from '../platform/index.ts';
import type { TaskRow } from './sql.ts';
import { CommandLog } from './workspace/command-log.ts';
import { createExportLanes } from './workspace/lanes.ts';

/** Workspaces of a process on their way from sandbox to disk; each is held in memory meanwhile. */
const exportsAtOnce = 3;
/** Each holds a workspace and inputs in memory. */
const diffsAtOnce = 2;

/** What this process does for tasks beyond single requests. */
export const createUnderWay = (clock: Clock) => ({
  /** Open streams by caller. */
  streams: createTally(),
  /** What agents run in sandboxes here, until it is stored. */
  commands: new CommandLog(clock),
  /** Schemas by owner that are tried or wait for it. */
  schemas: createTally(),
  /** Tasks that are being routed to agents, by agent. */
  hires: createTally(),
  exports: createExportLanes(clock, exportsAtOnce),
  diffs: createExportLanes(clock, diffsAtOnce),
  /** Gates that wait for their turn or run, by task. */
  gates: new Map<string, Promise<TaskRow>>(),
  /** Tasks whose gate the sweep has begun. */
  resumed: new Set<string>(),
});

export type UnderWay = ReturnType<typeof createUnderWay>;
