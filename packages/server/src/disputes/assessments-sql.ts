import { chargedStatuses, type JudgeOpinion } from '@agora/contract';
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
  createdAt: string;
}

const columns = `a.id, a.task_id as "taskId", a.score, a.passed, a.criteria, a.judge, a.purpose,
  a.gate_cpu_ms as "gateCpuMs", a.created_at as "createdAt",
  t.group_tasks is not null and a.passed and t.status not in ${sqlList(chargedStatuses)} as withheld,
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

export const partiesOfTask = (db: Queryable, taskId: string) =>
  row<MaybeParties>(
    db,
    'courts_parties',
    `select t.owner_id as "ownerId", t.submitter_agent_id as "submitterAgentId", t.agent_id as "agentId",
       g.owner_id as "sellerId"
     from tasks t left join agents g on g.id = t.agent_id where t.id = $1`,
    [taskId],
  );
