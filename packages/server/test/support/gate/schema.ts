import { expect } from 'vitest';
import { schemaEvidence } from '../../../src/gate/evidence/schema.ts';

export const check = (schema: Record<string, unknown>, result: unknown) => schemaEvidence(schema, { result });

/** That many arrays, each in the next. */
export function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

/** A schema that cannot be used decides nothing, whatever the agent delivers. */
export async function expectNotRun(schema: Record<string, unknown>): Promise<void> {
  for (const output of [{ result: 'x' }, { text: 'x' }, { result: nested(1_000) }]) {
    const finding = await schemaEvidence(schema, output);
    expect(finding.score).toBeNull();
    expect(finding.evidence).toMatch(/^Not run: the schema cannot be used: /);
  }
}
