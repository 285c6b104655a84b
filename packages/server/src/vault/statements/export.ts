import type { FastifyReply } from 'fastify';
import { csvLine, type Pool, sendCsv } from '../../platform/index.ts';
import { entryView, type FilterQuery, findEntries, type Holder, placeOf, searchOf } from './transactions.ts';

/** Entries of one chunk: some 200 KB of text. */
const batchSize = 1000;

const header = [
  'createdAt',
  'id',
  'cause',
  'account',
  'amountCents',
  'balanceBeforeCents',
  'balanceAfterCents',
  'taskId',
  'counterparty',
  'currency',
];

/** The lines of a holder's movements, newest first; every batch is a query of its own, so none is kept waiting. */
async function* transactionLines(pool: Pool, holder: Holder, query: FilterQuery): AsyncGenerator<string> {
  const search = await searchOf(pool, holder, query);
  let text = csvLine(header);
  for (let before: Parameters<typeof findEntries>[2] = null; ; ) {
    const { entries, goOnAt } = await findEntries(pool, search, before, batchSize);
    for (const entry of entries) {
      const { createdAt, id, cause, account, amount, balanceBefore, balanceAfter, taskId, counterparty } =
        entryView(entry);
      text += csvLine([
        createdAt,
        id,
        cause,
        account,
        amount,
        balanceBefore,
        balanceAfter,
        taskId,
        counterparty,
        'USD',
      ]);
    }
    if (text !== '') yield text;
    text = '';
    const last = entries.at(-1);
    before = goOnAt ?? (entries.length === batchSize && last !== undefined ? placeOf(last) : null);
    if (before === null) return;
  }
}

export const exportTransactions = (
  pool: Pool,
  holder: Holder,
  { query, raw }: { query: FilterQuery; raw: FastifyReply },
  fileName: string,
) => sendCsv(raw, fileName, transactionLines(pool, holder, query));
