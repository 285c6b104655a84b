import type { Finding } from '../criteria.ts';
import { GateUnavailable } from '../errors.ts';
import { draftOf, schemaProblem, tooDeep } from '../schema/limits.ts';
import type { SchemaJob } from '../schema/schema-worker.ts';
import { askSchema, type SchemaCaps, schemaCaps } from '../schema/worker-thread.ts';
import { label } from './excerpt.ts';

const finding = (score: number | null, evidence: string): Finding => {
  return { kind: 'schema', name: 'schema', score, weight: 1, evidence };
};

const buyersFault = (reason: string) => finding(null, label(`Not run: the schema cannot be used: ${reason}`));

const jobOf = (schema: Record<string, unknown>, result: string | null): SchemaJob => {
  return { draft: draftOf(schema)!, schema: JSON.stringify(schema), result };
};

/** Whether `output.result` fits the buyer's JSON Schema. A schema that cannot be used says nothing. */
export async function schemaEvidence(
  schema: Record<string, unknown>,
  output: Record<string, unknown> | null,
  caps: SchemaCaps = schemaCaps,
): Promise<Finding> {
  const problem = schemaProblem(schema);
  if (problem !== null) return buyersFault(problem);
  const result = output?.result;
  let unread: string | null = null;
  if (result === undefined) unread = 'output.result is missing.';
  else if (tooDeep(result)) unread = 'output.result is nested too deeply to be checked.';
  const job = jobOf(schema, unread === null ? JSON.stringify(result) : null);
  const answer = await askSchema(job, caps);
  if (answer.unusable !== null) return buyersFault(answer.unusable);
  const misfit = unread ?? answer.problem;
  if (misfit !== null) return finding(0, label(misfit));
  const fits = finding(100, 'output.result fits the schema.');
  // What any text would fit proves nothing about the work.
  return answer.takesText ? fits : { ...fits, proof: 'apart' };
}

/**
 * Why no result could be checked against a schema, or null; asked at submission. `sure` is false if another try may end
 * differently, for example on a busy machine. A worker that does not start is no reason to refuse a buyer.
 */
export async function schemaFault(schema: Record<string, unknown>): Promise<{ fault: string | null; sure: boolean }> {
  const problem = schemaProblem(schema);
  if (problem !== null) return { fault: problem, sure: true };
  try {
    const answer = await askSchema(jobOf(schema, null), schemaCaps);
    if (answer.unusable === null) return { fault: null, sure: true };
    return { fault: label(answer.unusable), sure: answer.sure };
  } catch (error) {
    if (!(error instanceof GateUnavailable)) throw error;
    return { fault: null, sure: false };
  }
}
