import type { ProofRequest } from '@agora-market/contract';
import type { Dependencies } from '../dependencies/index.ts';
import type { Environments } from '../environments/index.ts';
import type { TriedCheck, Verdict } from '../gate/index.ts';
import type { ObjectStore } from '../objects/index.ts';
import type {
  Cache,
  Claim,
  Clock,
  Config,
  Disk,
  Faults,
  Hosts,
  Hub,
  Logger,
  Peers,
  Pool,
  Signing,
  StepWriter,
} from '../platform/index.ts';
import type { Hireable, Liveness } from '../registry/index.ts';
import type { SandboxState } from '../sandbox/index.ts';
import type { Artifacts } from './artifacts/artifacts.ts';
import type { GateCpu } from './assessment/gate-cpu.ts';
import type { Inputs } from './inputs/inputs.ts';
import type { QueueHints } from './queue/hints.ts';
import type { Random } from './routing/beta.ts';
import type { TaskRow } from './sql.ts';
import type { UnderWay } from './under-way.ts';
import type { ArchiveStore } from './workspace/archive-store.ts';
import type { Deliveries } from './workspace/deliveries.ts';
import type { SessionDeps } from './workspace/session-registry.ts';
import type { Storage } from './workspace/storage.ts';
import type { TaskSandboxes } from './workspace/task-sandboxes.ts';

/** A task and the size of its input, which is the bulk of it. */
export interface RememberedTask {
  task: TaskRow;
  inputBytes: number;
}

/** Dependencies of this district's rules. */
export interface TaskDeps {
  pool: Pool;
  clock: Clock;
  config: Config;
  disk: Disk;
  hub: Hub;
  hosts: Hosts;
  peers: Peers;
  log: Logger;
  writer: StepWriter;
  sandboxes: TaskSandboxes;
  /** Whether sandboxes can be started here. */
  sandboxState(): Promise<SandboxState>;
  loadTask(id: string): Promise<TaskRow | undefined>;
  loadHireable(agentId: string): Promise<Hireable | undefined>;
  /** Hints about tasks and agents that this process met lately, by UUID; of schemas their fault or null, by digest. */
  cache: {
    tasks: Cache<RememberedTask>;
    hireables: Cache<Hireable>;
    schemas: Cache<string | null>;
    /** How fast queues move, by category and size of the budget (see `queue/waiting.ts`). */
    paces: Cache<{ stepMs: number | null }>;
  };
  liveness: Liveness;
  faults: Faults;
  queue: QueueHints;
  /** Where routing takes its chance from: numbers from 0 up to 1. */
  random: Random;
  underWay: UnderWay;
  deliveries: Deliveries;
  archives: ArchiveStore;
  carryOver: SessionDeps['carryOver'];
  objects: ObjectStore;
  inputs: Inputs;
  environments: Environments;
  dependencies: Dependencies;
  artifacts: Artifacts;
  storage: Storage;
  gateCpu: GateCpu;
  /** Signs receipts. */
  signing: Signing;
  /** Aborts when the server stops: long polls and streams end then. */
  stopping: AbortSignal;
  gate: GateRunner;
}

export interface GateRunner {
  /**
   * Runs the gate over a delivered task and its workspace (null: none was used). Resolves with the task as it then is:
   * ended, or still in quality_check where the gate could not run and will be tried again. Never rejects. `missing`
   * says why the buyer's repository cannot be had.
   */
  run(task: TaskRow, workspace: Buffer | null, missing?: string | null): Promise<TaskRow>;
  /**
   * Judges a delivery that calls for no command and no other service, and stores delivery and verdict in one step:
   * half the writes of two. Null if that cannot be, so that the delivery is stored first and judged after.
   */
  atOnce(task: TaskRow, by: { agentId: string; claim: Claim | undefined }): Promise<TaskRow | null>;
  /** Tasks whose gate runs here. */
  running(): string[];
  /** A run that failed for a reason of ours: the task is judged again later, and in the end not at all. Never rejects. */
  putOff(task: TaskRow, error: unknown): Promise<TaskRow>;
  /**
   * Runs the gate again over an assessed delivery, without settling anything. Null if its input was erased or its
   * workspace is gone. `dispute` has the statements of the parties. It is null for an appeal, whose run does not count
   * against the buyer. Rejects only for reasons of the platform.
   */
  again(taskId: string, dispute: string | null): Promise<NewRun | null>;
  /**
   * Runs the commands of a party over the untouched input and over the delivery, against the CPU time of its owner. Null
   * if one of them is not kept any more; `onDelivery` is null if the sandbox did not give out the work. Rejects only for
   * reasons of the platform.
   */
  prove(
    taskId: string,
    proof: ProofRequest,
    ownerId: string,
  ): Promise<{ onInput: TriedCheck[]; onDelivery: TriedCheck[] | null } | null>;
}

/** Result of a new run. */
export interface NewRun {
  verdict: Verdict;
  /** Books the CPU time of the run, once its assessment is stored. */
  book(assessmentId: string): void;
}
