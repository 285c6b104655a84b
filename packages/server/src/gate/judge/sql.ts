import { type Queryable, row, rows } from '../../platform/index.ts';

/** Stands for all owners together. */
export const everybody = '00000000-0000-0000-0000-000000000000';

/** Sets tokens aside where the day's limit of an owner leaves room for them; false if it does not. */
export const reserveTokens = async (
  db: Queryable,
  { day, ownerId, tokens, limit }: { day: string; ownerId: string; tokens: number; limit: number },
): Promise<boolean> =>
  (await row(
    db,
    'judge_reserve_tokens',
    `insert into judge_tokens (day, owner_id, tokens) select $1::date, $2, $3::bigint where $3::bigint <= $4::bigint
     on conflict (day, owner_id) do update set tokens = judge_tokens.tokens + excluded.tokens
     where judge_tokens.tokens + excluded.tokens <= $4::bigint
     returning 1`,
    [day, ownerId, tokens, limit],
  )) !== null;

/** Replaces the reservation by the tokens that were used. */
export const correctTokens = (db: Queryable, day: string, owners: string[], difference: number) =>
  rows(
    db,
    'judge_correct_tokens',
    'update judge_tokens set tokens = tokens + $3 where day = $1::date and owner_id = any($2::uuid[])',
    [day, owners, difference],
  );
