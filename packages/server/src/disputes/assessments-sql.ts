import { chargedStatuses, type JudgeOpinion, type TaskType, terminalStatuses } from '@agora-market/contract';
import type { Criterion } from '../gate/index.ts';
import { type Queryable, row, rows, sqlList } from '../platform/index.ts';
import type { MaybeParties, Parties } from './parties.ts';

/** An assessment with the parties of its task. */
export interface AssessmentRow extends Parties {
  id: string;
  taskId: string;
  score: number;
  passed: boolean;
  criteria: Criterion[];
  judge: JudgeOpinion | null;
  purpose: 'gate' | 'dispute' | 'appeal';
  gateCpuMs: number | null;
  appeal: { status: 'pending' | 'upheld' | 'rejected'; resultId: string | null } | null;
  /** It is one of several attempts at a task, and passed, but was not paid: the submitter reads no more than the score. */
  withheld: boolean;
  /** The price was charged, so that the submitter reads the work. */
  isPaid: boolean;
  createdAt: string;
}

const withheld = `(t.group_tasks is not null and a.passed and t.status not in ${sqlList(chargedStatuses)})`;

const columns = `a.id, a.task_id as "taskId", a.score, a.passed, a.criteria, a.judge, a.purpose,
  a.gate_cpu_ms as "gateCpuMs", a.created_at as "createdAt",
  ${withheld} as withheld, (t.status in ${sqlList(chargedStatuses)} or t.accepted_at is not null) as "isPaid",
  (select json_build_object('status', p.status, 'resultId', p.result_id) from appeals p where p.assessment_id = a.id) as appeal,
  t.owner_id as "ownerId", t.submitter_agent_id as "submitterAgentId", t.agent_id as "agentId",
  g.owner_id as "sellerId"`;

export const assessmentById = (db: Queryable, id: string) =>
  row<AssessmentRow>(
    db,
    'courts_assessment',
    `select ${columns} from assessments a join tasks t on t.id = a.task_id join agents g on g.id = t.agent_id
     where a.id = $1`,
    [id],
  );

/** Newest first. */
export const assessmentsOfTask = (db: Queryable, taskId: string, before: string | null, limit: number) =>
  rows<AssessmentRow>(
    db,
    'courts_assessments_of_task',
    `select ${columns} from assessments a join tasks t on t.id = a.task_id join agents g on g.id = t.agent_id
     where a.task_id = $1 and ($2::uuid is null or a.id < $2) order by a.id desc limit $3`,
    [taskId, before, limit],
  );

export type SampleRow = Pick<AssessmentRow, 'score' | 'passed' | 'criteria' | 'judge'> & {
  taskType: TaskType;
  day: string;
};

/** Among so many of an agent's newest tasks samples are looked for, so that a look costs the same for every agent. */
const lookedAt = 100;

/**
 * The verdicts on an agent's newest tasks, newest first: after an appeal that was upheld, the new one. Without those on
 * attempts that were not paid, and on tasks whose buyer has won a dispute.
 */
export const sampleAssessmentsOf = (db: Queryable, agentId: string, limit: number) =>
  rows<SampleRow>(
    db,
    'courts_samples',
    `select t.task_type as "taskType", a.score, a.passed, a.criteria, a.judge,
       to_char(a.created_at at time zone 'UTC', 'YYYY-MM-DD') as day
     from (select * from tasks where agent_id = $1 order by id desc limit ${lookedAt}) t
     left join appeals p on p.assessment_id = t.assessment_id and p.status = 'upheld'
     join assessments a on a.id = coalesce(p.result_id, t.assessment_id)
     where t.status in ${sqlList(terminalStatuses)} and not ${withheld}
       and not exists (select 1 from disputes d where d.task_id = t.id and d.outcome = 'buyer_wins')
     order by t.id desc limit $2`,
    [agentId, limit],
  );

export const partiesOfTask = (db: Queryable, taskId: string) =>
  row<MaybeParties>(
    db,
    'courts_parties',
    `select t.owner_id as "ownerId", t.submitter_agent_id as "submitterAgentId", t.agent_id as "agentId",
       g.owner_id as "sellerId"
     from tasks t left join agents g on g.id = t.agent_id where t.id = $1`,
    [taskId],
  );
