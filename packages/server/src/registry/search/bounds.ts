import { type Pool, type Tx, transaction } from '../../platform/index.ts';
import type { Wanted } from './find.ts';

/** What one search may read. The benchmark `search` shows what each of these costs. */
export const bounds = {
  /** Agents looked at in order before the indexes of words and terms are asked. */
  firstVisit: { plain: 1_000, withText: 300 },
  /** Agents looked at in order where these find too many; fewer where each one's words are compared. */
  lastVisit: { plain: 8_000, withText: 1_000 },
  /** Agents that are sorted, or counted exactly. */
  all: 1_000,
  /** Agents that facets count where there are more. */
  counted: { plain: 2_000, withText: 500 },
  /** Agents that may have moved since the first page; past this, pages go by the present order. */
  moved: 2_000,
  /** Agents with similar names, and how many names are compared with the text. */
  alike: { most: 200, read: 300 },
  /**
   * How similar names must be (0–1): where none is as similar as the first says, the next one counts. Several words have
   * many names that are a little like them, one word that is misspelt has none that is very much so.
   */
  likeness: { ofWord: [0.6], ofWords: [0.75, 0.6] },
  allMs: 500,
  alikeMs: 100,
} as const;

export const textOf = ({ q, tag }: Wanted): 'plain' | 'withText' => (q === null && tag === null ? 'plain' : 'withText');

/** Null where the work takes PostgreSQL longer than it may. */
export async function within<R>(pool: Pool, ms: number, work: (tx: Tx) => Promise<R>): Promise<R | null> {
  try {
    return await transaction(pool, 'write', async (tx) => {
      await tx.query(`set local statement_timeout = ${ms}`);
      return work(tx);
    });
  } catch (error) {
    if ((error as { code?: string }).code === queryCanceled) return null;
    throw error;
  }
}

const queryCanceled = '57014';
