import type { JudgeOpinion } from '@agora/contract';
import type { Criterion } from '../../gate/index.ts';
import { type Queryable, row, rows } from '../../platform/index.ts';

/** Artifacts that were kept and have not expired, by position. Their number is bounded when they are collected. */
export const keptArtifacts = (db: Queryable, taskId: string, now: Date) =>
  rows<{ path: string; sha256: string }>(
    db,
    'receipts_artifacts',
    `select path, sha256 from artifacts
     where task_id = $1 and expires_at > $2 and sha256 is not null order by position`,
    [taskId, now.toISOString()],
  );

/** The assessment that decided. */
export const judgedBy = (db: Queryable, id: string) =>
  row<{
    id: string;
    score: number;
    passed: boolean;
    criteria: Criterion[];
    judge: JudgeOpinion | null;
    createdAt: string;
  }>(
    db,
    'receipts_assessment',
    `select id, score, passed, criteria, judge, created_at as "createdAt" from assessments where id = $1`,
    [id],
  );
