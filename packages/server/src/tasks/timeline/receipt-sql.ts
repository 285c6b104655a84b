import type { JudgeOpinion } from '@agora-market/contract';
import type { Criterion } from '../../gate/index.ts';
import { type Queryable, row, rows } from '../../platform/index.ts';

/** Artifacts and the patch that were kept and have not expired. Their number is bounded when they are collected. */
export const keptArtifacts = (db: Queryable, taskId: string, now: Date) =>
  rows<{ kind: 'output' | 'patch'; path: string; sha256: string }>(
    db,
    'receipts_artifacts',
    `select kind, path, sha256 from artifacts
     where task_id = $1 and expires_at > $2 and sha256 is not null
       and (kind = 'output' or kind = 'patch' and size_bytes > 0)
     order by position`,
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
