import type { TaskInput, TaskType } from '@agora-market/contract';
import type { Sandbox, SandboxFile } from '../sandbox/index.ts';
import type { AcceptanceRules } from './acceptance.ts';
import type { Advisories } from './advisories/index.ts';
import type { Reader } from './reading/readers.ts';
import type { Link } from './restore/bins.ts';
import type { Baselines } from './runs/baselines.ts';

/** All that the gate may look at. Nothing else, the clock included, has a say in the rules' own score. */
export interface EvidenceSource {
  task: {
    id: string;
    ownerId: string;
    taskType: TaskType;
    input: TaskInput;
    output: Record<string, unknown> | null;
    /** The agent's own qualityScore, 0 to 100. */
    declaredScore: number | null;
  };
  /** The delivered workspace as an archive; null if the agent never used a sandbox. */
  workspace: { export(): Promise<Buffer> } | null;
  /** A new, empty sandbox; the gate ends every one it opens. */
  openSandbox(): Promise<Sandbox>;
  /** The buyer's files as the agent's sandbox got them. */
  originalFiles: readonly SandboxFile[];
  /** Links among them that decide which programs are started. */
  originalLinks?: readonly Link[];
  /** Submodules of the buyer's repository that could not be had. */
  emptySubmodules?: number;
  /** The buyer's whole input as an archive, links included. If given, it is unpacked as a whole. */
  originalArchive?: Buffer | null;
  /** The buyer's files that the agent never sees. Checks and tests find them in the workspace. */
  heldOut?: readonly SandboxFile[];
  /** The packages that the buyer's files name. */
  packages?: Packages;
  /** Why the buyer's repository cannot be had, as a sentence; then nothing is run over the delivery. */
  originalsMissing?: string | null;
  /** What the parties of a dispute say about the delivery. Only the judge reads it, as data. */
  dispute?: string | null;
}

export interface Packages {
  /** Distinguishes what lies in each sandbox from the start; null where nothing does. */
  installation: string | null;
  /** Why some are not there, for people. */
  lacking: readonly string[];
  /** Why what the files lack cannot be told from what a command prints, as a sentence; null where it can. */
  hidden: string | null;
}

export interface GateCaps {
  /** For all commands together. */
  totalMs: number;
  checkMs: number;
  testsMs: number;
}

export const defaultCaps: GateCaps = { totalMs: 300_000, checkMs: 60_000, testsMs: 120_000 };

/** A buyer who gives commands more time (`input.environment.timeouts.commandMs`) gives it to the gate's, too. */
export function capsFor({ environment }: Pick<TaskInput, 'environment'>): GateCaps {
  const commandMs = environment?.timeouts?.commandMs ?? 0;
  const { totalMs, checkMs, testsMs } = defaultCaps;
  return {
    // The tests run over the untouched files and over the delivery, and then the checks.
    totalMs: Math.max(totalMs, 3 * commandMs),
    checkMs: Math.max(checkMs, commandMs),
    testsMs: Math.max(testsMs, commandMs),
  };
}

/** One delivery being looked at. */
export interface Gathering {
  source: EvidenceSource;
  acceptance: AcceptanceRules;
  caps: GateCaps;
  startedMs: number;
  /** Reads text of the parties. */
  reader: Reader;
  /** Known vulnerabilities; null if the operator has set up none. */
  advisories: Advisories | null;
  baselines: Baselines;
  /** Decides which defects tests must notice. */
  seed: string;
  /** Whether the changed files are read for a judge. */
  showsFiles: boolean;
}

/** A changed file as far as it is shown to a judge. */
export interface ChangedFile {
  path: string;
  text: string;
}
