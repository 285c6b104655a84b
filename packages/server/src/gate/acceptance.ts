import { type Acceptance, type Reveal, reveals, type TaskInput } from '@agora/contract';
import { record } from './reading/parse-record.ts';

export type Check = NonNullable<Acceptance['checks']>[number];

/** The part of `input.acceptance` that the rules measure; the rubric is the judge's. */
export interface AcceptanceRules {
  checks: Check[];
  schema: Record<string, unknown> | null;
  /** What the agent may read of the rows of its checks. */
  reveal: Reveal;
}

/**
 * Reads what submission has validated already. Stored input is data from outside all the same: what does not
 * have the shape is passed over instead of breaking the gate, and an absent weight is 1.
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
  return { checks, schema: record(given?.schema), reveal };
}
