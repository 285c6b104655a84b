import { validate } from 'uuid';
import { dayMs, type Pool, systemClock, withTimeout } from '../../platform/index.ts';
import type { ChargeRecord, PaymentProcessor, PayoutRecord, ReversalRecord } from '../payments/payment-processor.ts';
import { type OurBooks, openRefunds, ourCharges, ourPayouts, ourReversals, payersOf, type Span } from './books-sql.ts';
import { compareKey, type Family, type TheirItem } from './compare.ts';
import type { Finding } from './finding.ts';
import type { Since } from './finding-sql.ts';

/** How much earlier than our booking a charge may have happened there, because its news was late. */
const newsDelayMs = 3 * dayMs;
const batch = 500;

export interface Compared {
  records: number;
  findings: Finding[];
}

/** Each next record must come within this time. */
async function* inTime<T>(records: AsyncIterable<T>, limitMs: number, giveUp: () => void): AsyncGenerator<T> {
  const iterator = records[Symbol.asyncIterator]();
  for (;;) {
    const next = await withTimeout(systemClock, limitMs, iterator.next(), () => {
      giveUp();
      return new Error(`the processor listed nothing for ${limitMs} ms`);
    });
    if (next.done) return;
    yield next.value;
  }
}

/**
 * Compares one family. The processor's records are kept by key for the whole span, for one key may come more than once
 * and far apart; ours are read in batches, first those that the processor names and then those that it does not.
 */
async function compareFamily(
  pool: Pool,
  family: Family,
  books: OurBooks,
  span: Span,
  booksBegin: Date | undefined,
  records: AsyncIterable<TheirItem>,
): Promise<Compared> {
  const theirs = new Map<string, TheirItem[]>();
  let count = 0;
  for await (const record of records) {
    count++;
    theirs.set(record.key, [...(theirs.get(record.key) ?? []), record]);
  }
  const findings: Finding[] = [];
  const keys = [...theirs.keys()];
  for (let from = 0; from < keys.length; from += batch) {
    const some = keys.slice(from, from + batch);
    const ours = new Map((await books.ofKeys(pool, some)).map((item) => [item.key, item]));
    const unknown = some.filter((key) => !ours.has(key)).flatMap((key) => theirs.get(key) ?? []);
    const parties = unknown.flatMap(({ party }) => party ?? []);
    const owners = await books.ownersOf?.(pool, span.processor, parties);
    for (const key of some) {
      // Younger records may still be missing on one side, but not one that has to have its row before.
      const isLost = owners !== undefined && !ours.has(key);
      const items = (theirs.get(key) ?? []).filter((each) => isLost || each.at < span.until);
      const owned = items.map((each) => ({ ...each, ownerId: each.ownerId ?? owners?.get(each.party ?? '') }));
      if (items.length > 0) findings.push(...compareKey(family, ours.get(key), owned));
    }
  }
  const inBooks = booksBegin && booksBegin > span.since ? { ...span, since: booksBegin } : span;
  for (let after = ''; ; ) {
    const ours = await books.between(pool, inBooks, after, batch);
    for (const item of ours) if (!theirs.has(item.key)) findings.push(...compareKey(family, item, []));
    const last = ours.at(-1);
    if (ours.length < batch || !last) return { records: count, findings };
    after = last.key;
  }
}

async function* chargesOf(records: AsyncIterable<ChargeRecord>): AsyncGenerator<TheirItem> {
  for await (const { intentId, ref, customerRef: party, amountCents, at } of records) {
    if (intentId === null || !validate(intentId)) continue;
    yield { key: intentId, ref, cents: amountCents, at, isVoid: false, party, chargeRef: ref };
  }
}

async function* payoutsOf(records: AsyncIterable<PayoutRecord>): AsyncGenerator<TheirItem> {
  for await (const { intentId, ref, accountRef: party, amountCents, at, status } of records) {
    if (intentId === null || !validate(intentId)) continue;
    yield { key: intentId, ref, cents: amountCents, at, isVoid: status === 'failed', party };
  }
}

async function* inBatches<T>(records: AsyncIterable<T>): AsyncGenerator<T[]> {
  let some: T[] = [];
  for await (const record of records) {
    some.push(record);
    if (some.length < batch) continue;
    yield some;
    some = [];
  }
  yield some;
}

async function* reversalsOf(pool: Pool, records: AsyncIterable<ReversalRecord>): AsyncGenerator<TheirItem> {
  for await (const some of inBatches(records)) {
    const payers = await payersOf(
      pool,
      some.map(({ chargeRef }) => chargeRef),
    );
    const open = await openRefunds(
      pool,
      some.flatMap(({ ours }) => (ours ? [ours.refundId] : [])),
    );
    for (const { ref, chargeRef, amountCents, at, state, ours } of some) {
      const ownerId = payers.get(chargeRef);
      // The sweep still has to ask about these, so we may not know their name at the processor yet.
      if (ownerId === undefined || (ours && open.has(ours.refundId))) continue;
      yield { key: ref, ref, cents: amountCents, at, isVoid: state === 'undone', ownerId, chargeRef };
    }
  }
}

/** Compares charges, their reversals, and payouts. Rejects if the processor cannot be asked. */
export async function compareBooks(
  pool: Pool,
  processor: PaymentProcessor,
  span: { since: Since; until: Date },
  limits: { nextRecordMs: number; signal: AbortSignal },
): Promise<Compared> {
  const abort = new AbortController();
  const signal = AbortSignal.any([abort.signal, limits.signal]);
  const timed = <T>(records: AsyncIterable<T>) => inTime(records, limits.nextRecordMs, () => abort.abort());
  const listedSince = (family: Family) => new Date(Math.max(0, span.since[family].getTime() - newsDelayMs));
  const families: [Family, OurBooks, AsyncIterable<TheirItem>][] = [
    ['charge', ourCharges, chargesOf(timed(processor.listCharges(listedSince('charge'), signal)))],
    ['reversal', ourReversals, reversalsOf(pool, timed(processor.listReversals(listedSince('reversal'), signal)))],
    ['payout', ourPayouts, payoutsOf(timed(processor.listPayouts(listedSince('payout'), signal)))],
  ];
  const all: Compared = { records: 0, findings: [] };
  for (const [family, books, records] of families) {
    limits.signal.throwIfAborted();
    const ofFamily = { processor: processor.name, since: span.since[family], until: span.until };
    const { records: count, findings } = await compareFamily(
      pool,
      family,
      books,
      ofFamily,
      processor.booksBegin,
      records,
    );
    all.records += count;
    all.findings.push(...findings);
  }
  return all;
}
