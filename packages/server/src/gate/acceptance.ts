import { type Acceptance, type Reveal, reveals, type TaskInput, type TestWishes } from '@agora-market/contract';
import { record } from './reading/parse-record.ts';
import { readTestWishes } from './runs/test-rules.ts';

export type Check = NonNullable<Acceptance['checks']>[number];

/** The part of `input.acceptance` that the rules measure; the rubric is the judge's. */
export interface AcceptanceRules {
  checks: Check[];
  schema: Record<string, unknown> | null;
  tests: TestWishes;
  /** What the agent may read of its checks' rows. */
  reveal: Reveal;
}

/**
 * Reads the stored acceptance. Submission validated it, but stored input is still data from outside. Parts with a wrong
 * shape are ignored instead of breaking the gate. A missing weight is 1.
 */
export function readAcceptance(input: TaskInput): AcceptanceRules {
  const given = record(input.acceptance);
  const checks: Check[] = [];
  for (const value of Array.isArray(given?.checks) ? given.checks : []) {
    const check = record(value);
    if (typeof check?.name !== 'string' || typeof check.command !== 'string') continue;
    const weight = typeof check.weight === 'number' && check.weight > 0 ? check.weight : 1;
    checks.push({ name: check.name, command: check.command, weight });
  }
  const byDefault = record(given?.files) === null ? 'output' : 'names';
  const reveal = reveals.find((each) => each === given?.reveal) ?? byDefault;
  return { checks, schema: record(given?.schema), tests: readTestWishes(record(given?.tests)), reveal };
}
