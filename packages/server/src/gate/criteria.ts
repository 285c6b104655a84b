import {
  type EvidenceKind as Kind,
  evidenceKinds as kinds,
  type Proof,
  type Reveal,
  type TaskType,
} from '@agora-market/contract';

// Each kind has one weight per task type and one ceiling.
export { type Kind, kinds };

/** How a command ended, and which of the buyer's tests matter for it. */
export interface Outcome {
  /** Null where it did not come to its end. */
  exitCode?: number | null;
  durationMs?: number;
  tests?: string[];
}

/** One thing a collector found out. `score` is null if it was not run, which says nothing either way. */
export interface Finding extends Outcome {
  kind: Kind;
  name: string;
  score: number | null;
  /** Share within its kind: the buyer's own weight of a check, 1 for everything else. */
  weight: number;
  evidence: string;
  /** How strong the proof is; left out where nothing is proved. */
  proof?: Proof;
  /** The part of the evidence that the agent may read, if not all. */
  reveal?: Reveal;
}

type Weights = Record<Kind, number>;

/** These prove nothing by being in order, so they weigh nothing: they can only lower. */
const lowering = { build: 0, lint: 0, secrets: 0, advisories: 0 };
const code: Weights = { output: 20, checks: 60, tests: 40, schema: 20, ...lowering };
const repair: Weights = { output: 20, checks: 60, tests: 50, schema: 20, ...lowering };
const report: Weights = { output: 20, checks: 60, tests: 0, schema: 40, ...lowering };

/**
 * Weight of every kind of evidence by task type. A kind that was not run drops out of the mean.
 * `tests` above 0 means that the task changes code: only then are the delivered project's own tests, its build and
 * its linter run, and secrets and vulnerable dependencies looked for.
 */
export const weights: Record<TaskType, Weights> = {
  code_generation: code,
  bug_fix: repair,
  refactor: repair,
  testing: code,
  devops: code,
  security: code,
  code_review: report,
  security_audit: report,
  data_analysis: report,
  content_creation: report,
  research: report,
  design: report,
  general: report,
};

/**
 * The highest total once a kind has failed. All ceilings except the linter's are below the pass score, so other rows
 * cannot make up for a failed measure. New complaints of a linter alone do not fail a delivery; they keep it where a
 * judge looks at it. Checks fail as a group if the failed ones carry at least half of the weight.
 */
export const ceilings: Record<Kind, number> = {
  output: 20,
  checks: 49,
  tests: 40,
  schema: 40,
  build: 40,
  lint: 55,
  secrets: 30,
  advisories: 45,
};

/** The highest total by the strongest proof among what passes. Below 60, for a plain answer without a measure has that. */
export const proofCeilings: Record<Proof, number> = { held_out: 100, apart: 100, sentinels: 94, exit_code: 59 };

/** Whether the task's work is a change of code, so that project tests and introduced secrets are looked at. */
export const changesCode = (taskType: TaskType) => weights[taskType].tests > 0;

/** Task types whose very job is to turn failing tests green, so tests that still fail count against them. */
export const mendsTests = (taskType: TaskType) => taskType === 'bug_fix' || taskType === 'code_generation';

/** An output that is there and is no refusal proves nothing yet (60); the others are failures or doubts. */
export const outputScores = { present: 60, doubtful: 52, echo: 20, refused: 10, empty: 0 } as const;

/** The table of docs/quality-gate.md: weights by task type, and the ceiling of each kind. */
export function criteriaTable(): string {
  const alike = new Map<string, { types: string[]; cells: string[] }>();
  for (const [type, row] of Object.entries(weights) as Array<[TaskType, Weights]>) {
    const cells = kinds.map((kind) => {
      const looksAt = changesCode(type) || kind === 'output' || kind === 'checks' || kind === 'schema';
      return looksAt ? `${row[kind]}` : '–';
    });
    const same = alike.get(cells.join()) ?? { types: [], cells };
    same.types.push(type);
    alike.set(cells.join(), same);
  }
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(['Task type', ...kinds]),
    line(['---', ...kinds.map(() => '---')]),
    ...[...alike.values()].map(({ types, cells }) => line([types.join(', '), ...cells])),
    line(['**Ceiling once failed**', ...kinds.map((kind) => `**${ceilings[kind]}**`)]),
  ].join('\n');
}
