import { mostSamples, type Operations, type ReplyOf, toId, toUuid } from '@agora-market/contract';
import { z } from 'zod';
import {
  publicRows,
  rowsForBuyer,
  rowsForSeller,
  rowsWithoutWork,
  strongestProof,
  withoutReasons,
} from '../gate/index.ts';
import {
  type AgentCaller,
  ApiError,
  type Call,
  decodeCursor,
  ensure,
  type OwnerCaller,
  type Pool,
  pageOf,
} from '../platform/index.ts';
import { requireNamedAgent } from '../registry/index.ts';
import {
  type AssessmentRow,
  assessmentById,
  assessmentsOfTask,
  partiesOfTask,
  sampleAssessmentsOf,
} from './assessments-sql.ts';
import { type MaybeParties, type Side, sideOf } from './parties.ts';

type Assessment = ReplyOf<Operations['courts.getAssessment']>;

/** The owner of the assessed agent reads it too, because it appeals for an agent that is suspended. */
function sideFor(parties: MaybeParties, caller: OwnerCaller | AgentCaller, why: string): Side {
  const side = sideOf(parties, caller);
  if (side === 'none') throw new ApiError('NOT_A_PARTY', why);
  return side;
}

/** The buyer reads all of its own measure. The agent's side reads what the buyer reveals of it. */
const viewFor =
  (side: Side) =>
  (row: AssessmentRow): Assessment => {
    // What the gate's commands cost tells of checks that are held out.
    if (side !== 'buyer') return { ...view(row, rowsForSeller(row.criteria)), gateCpuMs: null };
    if (row.withheld) return withheld(row);
    return row.isPaid ? view(row, rowsForBuyer(row.criteria)) : withoutWork(row);
  };

/** A task's assessments as a side reads them, newest first; the operator reads all that the gate wrote down. */
export async function assessmentsFor(
  pool: Pool,
  taskId: string,
  reader: Side | 'operator',
  atMost: number,
): Promise<Assessment[]> {
  const found = await assessmentsOfTask(pool, taskId, null, atMost);
  return found.map(reader === 'operator' ? (row) => view(row, rowsForBuyer(row.criteria)) : viewFor(reader));
}

/** A judge may repeat the work, so its reasons are withheld as well. */
const withoutWork = (row: AssessmentRow): Assessment => ({
  ...view(row, rowsWithoutWork(row.criteria)),
  judge: withoutReasons(row.judge),
});

/** What the submitter reads of work that it does not pay for: what was looked at, and the score of all together. */
const withheld = (row: AssessmentRow): Assessment => ({
  ...view(
    row,
    row.criteria.map(({ name, weight }) => ({ name, score: null, weight, evidence: 'This attempt was not paid.' })),
  ),
  judge: null,
  gateCpuMs: null,
});

const view = (
  { id, taskId, score, passed, judge, purpose, appeal, gateCpuMs, createdAt }: AssessmentRow,
  criteria: Assessment['criteria'],
): Assessment => ({
  id: toId('assessment', id),
  taskId: toId('task', taskId),
  score,
  passed,
  criteria,
  proof: strongestProof(criteria),
  judge,
  purpose,
  appeal: appeal && {
    status: appeal.status,
    resultId: appeal.resultId === null ? null : toId('assessment', appeal.resultId),
  },
  gateCpuMs,
  createdAt,
});

/** Finds an assessment of something that is no task, for its parties; null if there is none. */
export type OtherAssessment = (id: string, caller: OwnerCaller | AgentCaller) => Promise<Assessment | null>;

export async function getAssessment(
  { pool, otherAssessment }: { pool: Pool; otherAssessment: OtherAssessment },
  call: Call<Operations['courts.getAssessment']>,
): Promise<Assessment> {
  const id = toUuid('assessment', call.params.assessmentId);
  ensure(id, 'ASSESSMENT_NOT_FOUND');
  const found = await assessmentById(pool, id);
  if (!found) {
    const other = await otherAssessment(id, call.caller);
    ensure(other, 'ASSESSMENT_NOT_FOUND');
    return other;
  }
  return viewFor(sideFor(found, call.caller, 'Only the buyer and the seller can read an assessment.'))(found);
}

export async function listAssessments(pool: Pool, call: Call<Operations['courts.listAssessments']>) {
  const { query } = call;
  const taskId = toUuid('task', query.taskId) as string;
  const parties = await partiesOfTask(pool, taskId);
  ensure(parties, 'TASK_NOT_FOUND');
  const side = sideFor(parties, call.caller, 'Only the buyer and the seller can read assessments.');
  const before = decodeCursor(query.cursor, z.uuid());
  const found = await assessmentsOfTask(pool, taskId, before, query.pageSize + 1);
  return pageOf(found, query.pageSize, (last) => last.id, viewFor(side));
}

/** For anybody: how good an agent's newest work was, without a word of what it was. */
export async function sampleAssessments(
  pool: Pool,
  call: Call<Operations['courts.sampleAssessments']>,
): Promise<ReplyOf<Operations['courts.sampleAssessments']>> {
  const agent = await requireNamedAgent(pool, call.params.agentId);
  const found = await sampleAssessmentsOf(pool, agent.id, mostSamples);
  return {
    data: found.map(({ criteria, judge, ...row }) => ({
      ...row,
      criteria: publicRows(criteria),
      judged: judge?.status === 'judged',
    })),
  };
}
