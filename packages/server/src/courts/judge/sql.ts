import { type Queryable, row, rows } from '../../platform/index.ts';

/** Sets tokens aside where the day's limit leaves room for them; false where it does not. */
export const reserveTokens = async (db: Queryable, day: string, tokens: number, limit: number): Promise<boolean> =>
  (await row(
    db,
    'judge_reserve_tokens',
    `insert into judge_tokens (day, tokens) select $1::date, $2::bigint where $2::bigint <= $3::bigint
     on conflict (day) do update set tokens = judge_tokens.tokens + excluded.tokens
     where judge_tokens.tokens + excluded.tokens <= $3::bigint
     returning 1`,
    [day, tokens, limit],
  )) !== null;

/** Counts what the tokens set aside came to instead. */
export const correctTokens = (db: Queryable, day: string, difference: number) =>
  rows(db, 'judge_correct_tokens', 'update judge_tokens set tokens = tokens + $2 where day = $1::date', [
    day,
    difference,
  ]);
