import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { ApiError } from '../api-error.ts';
import { type Hub, loggedTopic } from '../hub.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { ledgerLock } from '../postgres/db.ts';
import { inSpan } from '../tracing/tracing.ts';
import type { Claim } from './idempotency-claims.ts';
import { callStep, type Step, type StepOutcome, writeDecided } from './step.ts';
import { type WriterConnection, writerConnection } from './step-writer-connection.ts';

/**
 * Group commit. Steps that wait at the same time are written in one transaction: one statement per kind, replies after
 * the commit. A batch of one is the ordinary case. Under load a step costs a fifth of a transaction of its own.
 */
export interface StepWriter {
  /**
   * Resolves with the step's outcome once it is committed; rejects when it is certain or possible that it was not. The
   * claim is stored with the change, and not where the step refuses.
   */
  write<Item, Outcome extends StepOutcome>(step: Step<Item, Outcome>, item: Item, claim?: Claim): Promise<Outcome>;
  /** Writes waiting steps, then closes the connections. Later steps are refused. */
  close(): Promise<void>;
}

interface Waiting {
  step: Step<unknown, StepOutcome>;
  item: unknown;
  /** The item as it is sent; made at once, so that an item that has no JSON fails its own caller and nobody else. */
  json: string;
  key: string;
  claim: Claim | undefined;
  resolve(outcome: StepOutcome): void;
  reject(error: unknown): void;
}

const maxPerKind = 1024;
/** Keeps a batch of large inputs and outputs small enough for a fast statement. */
const maxBatchChars = 8 * 1024 ** 2;
/** A second transaction is prepared while the first commits, but only when there is enough to fill it. */
const waitingForSecond = 24;
/** From so many on a batch takes one kind only. */
const manyWaiting = 48;
/**
 * A database that is silent for this long has lost the batch; `statement_timeout` ends statements that are only slow.
 */
const answerTimeoutMs = 60_000;

export function createStepWriter(url: string, hub: Hub, log: Logger, metrics?: Pick<Metrics, 'committed'>): StepWriter {
  const connections = [writerConnection(url, log), writerConnection(url, log)];
  const idle = [...connections];
  const keysInFlight = new Set<string>();
  let waiting: Waiting[] = [];
  let scheduled = false;
  let drained: (() => void) | null = null;
  let closing: Promise<void> | null = null;

  const isBusy = () => waiting.length > 0 || idle.length < connections.length;

  function schedule() {
    if (scheduled || waiting.length === 0 || idle.length === 0) return;
    if (idle.length < connections.length && waiting.length < waitingForSecond) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      dispatch();
    });
  }

  const answer: Answerer = (batch, answers) => {
    metrics?.committed(batch.length);
    answerCallers(batch, answers, hub, log);
  };

  function dispatch() {
    const { batch, rest } = take(waiting, keysInFlight);
    const on = batch.length > 0 ? idle.pop() : undefined;
    if (!on) return;
    waiting = rest;
    for (const entry of batch) keysInFlight.add(entry.key);
    void writeBatch(on, batch, answer).finally(() => {
      for (const entry of batch) keysInFlight.delete(entry.key);
      idle.push(on);
      if (!isBusy()) drained?.();
      schedule();
    });
    schedule();
  }

  return {
    write: (step, item, claim) =>
      inSpan(
        `step ${step.name}`,
        () =>
          new Promise((resolve, reject) => {
            if (closing) throw new ApiError('NOT_READY', 'The server is stopping.');
            const entry = { step, item, json: JSON.stringify(item), key: step.key(item), claim, resolve, reject };
            waiting.push(entry as unknown as Waiting);
            schedule();
          }),
      ),
    close() {
      closing ??= (async () => {
        if (isBusy()) {
          await new Promise<void>((resolve) => {
            drained = resolve;
          });
        }
        await Promise.all(connections.map((each) => each.end()));
      })();
      return closing;
    },
  };
}

/**
 * The longest-waiting steps whose keys are free, in order; the rest keeps waiting. If many wait, a batch has one kind:
 * each kind costs PostgreSQL about 0.5 ms before its first item.
 */
function take(waiting: Waiting[], keysInFlight: Set<string>): { batch: Waiting[]; rest: Waiting[] } {
  const only = waiting.length >= manyWaiting ? waiting.find(({ key }) => !keysInFlight.has(key))?.step : undefined;
  const batch: Waiting[] = [];
  const rest: Waiting[] = [];
  const keys = new Set<string>();
  const perKind = new Map<string, number>();
  let chars = 0;
  for (const entry of waiting) {
    const count = perKind.get(entry.step.name) ?? 0;
    const fits = batch.length === 0 || (count < maxPerKind && chars + entry.json.length <= maxBatchChars);
    const wanted = fits && (only === undefined || entry.step === only);
    // A key that waits once blocks its later steps too, or they would overtake it.
    const free = wanted && !keysInFlight.has(entry.key) && !keys.has(entry.key);
    keys.add(entry.key);
    if (free) {
      perKind.set(entry.step.name, count + 1);
      chars += entry.json.length;
      batch.push(entry);
    } else rest.push(entry);
  }
  return { batch, rest };
}

/** The batch is committed: nothing that goes wrong from here on may have it written once more. */
function answerCallers(batch: Waiting[], answers: Answer[], hub: Hub, log: Logger): void {
  const topics = new Set<string>();
  for (const [at, entry] of batch.entries()) {
    const { error, outcome } = answers[at] as Answer;
    if (outcome === undefined) entry.reject(error);
    else {
      entry.resolve(outcome);
      try {
        for (const topic of entry.step.topics(entry.item, outcome)) topics.add(topic);
      } catch (failure) {
        log.error({ err: failure, step: entry.step.name }, 'a step could not name whom to wake');
      }
    }
  }
  if (topics.size > 0) topics.add(loggedTopic);
  try {
    hub.notify(topics);
  } catch (failure) {
    log.error({ err: failure }, 'a listener failed when it was woken');
  }
}

/** The result of an item in a committed batch: its outcome, or why that is unknown. */
type Answer = { outcome: StepOutcome; error?: never } | { outcome?: never; error: unknown };

/** The result of a batch. `unknown`: the connection was lost, and the batch may or may not be committed. */
type Fate = { fate: 'committed'; answers: Answer[] } | { fate: 'undone' | 'unknown'; error: unknown };

/** Deadlocks and similar errors are no item's fault: the same batch is written again. */
const passing = new Set(['40P01', '40001', '55P03']);
/** PostgreSQL ran out of time or resources, which happens to items one by one just as well. */
const isOverload = (code: string) => code.startsWith('53') || code.startsWith('57');

type Answerer = (batch: Waiting[], answers: Answer[]) => void;

async function writeBatch(on: WriterConnection, batch: Waiting[], answer: Answerer, attempt = 1): Promise<void> {
  const result = await commitTogether(on, batch);
  if (result.fate === 'committed') return answer(batch, result.answers);
  const { code = '' } = result.error as { code?: string };
  if (result.fate === 'undone' && passing.has(code) && attempt < 4) {
    // Lets the other transaction commit; otherwise it would meet the same batch again.
    await sleep(20 * attempt);
    return writeBatch(on, batch, answer, attempt + 1);
  }
  if (result.fate === 'unknown' || batch.length === 1 || passing.has(code) || isOverload(code)) {
    for (const entry of batch) entry.reject(result.error);
    return;
  }
  // One bad item aborts the whole batch. Halving finds it in a few transactions, and only the bad one fails.
  const middle = batch.length >> 1;
  await writeBatch(on, batch.slice(0, middle), answer);
  await writeBatch(on, batch.slice(middle), answer);
}

async function commitTogether(on: WriterConnection, batch: Waiting[]): Promise<Fate> {
  let client: pg.Client;
  try {
    client = await on.client();
  } catch (cause) {
    const error = new ApiError('NOT_READY', 'The database cannot be reached. Try again.', {}, { cause });
    return { fate: 'unknown', error };
  }
  const answers = new Array<Answer>(batch.length);
  const sent: Promise<unknown>[] = [];
  const send = (work: Promise<unknown>) => {
    // Heard of below; until then a failure is nobody's.
    work.catch(() => undefined);
    sent.push(work);
  };
  // The connection pipelines statements; it waits only for results that a rule decides on.
  send(client.query('begin'));
  send(client.query(ledgerLock));
  const kinds = byKind(batch);
  for (const kind of kinds) if (!kind.step.decide) send(writeKind(client, kind, answers));
  for (const kind of kinds)
    if (kind.step.decide) send(writeKind(client, kind, answers, await decideKind(client, kind)));
  const commit = client.query({ text: 'commit', query_timeout: answerTimeoutMs } as pg.QueryConfig);
  const [end, ...rest] = await Promise.allSettled([commit, ...sent]);
  // Only the result of the commit decides: it was sent whatever happened to the statements before it.
  if (end.status === 'fulfilled' && end.value.command === 'COMMIT') return { fate: 'committed', answers };
  const failure = [...rest, end].find((each) => each.status === 'rejected')?.reason;
  // PostgreSQL answers the commit of a failed transaction with ROLLBACK and no error.
  if (end.status === 'fulfilled') return { fate: 'undone', error: failure ?? new Error('the batch was rolled back') };
  if (isRefusal(end.reason)) return { fate: 'undone', error: failure };
  on.drop();
  const message = 'The connection to the database was lost. The change may or may not be stored. Try again.';
  return { fate: 'unknown', error: new ApiError('NOT_READY', message, {}, { cause: failure }) };
}

/** An error after which the session continues, unlike the error of a server that shuts down. */
const isRefusal = (error: unknown) => error instanceof pg.DatabaseError && error.severity === 'ERROR';

/** The items of one kind of step in a batch, and their positions. */
interface Kind {
  step: Step<unknown, StepOutcome>;
  positions: number[];
  entries: Waiting[];
}

function byKind(batch: Waiting[]): Kind[] {
  const kinds = new Map<Step<unknown, StepOutcome>, Kind>();
  for (const [at, entry] of batch.entries()) {
    const kind = kinds.get(entry.step) ?? { step: entry.step, positions: [], entries: [] };
    kind.positions.push(at);
    kind.entries.push(entry);
    kinds.set(entry.step, kind);
  }
  return [...kinds.values()];
}

type Decided = PromiseSettledResult<(StepOutcome | undefined)[]>;

const decideKind = async (client: pg.Client, { step, entries }: Kind): Promise<Decided> => {
  const [decided] = await Promise.allSettled([
    step.decide?.(
      client,
      entries.map(({ item }) => item),
    ) ?? [],
  ]);
  return decided;
};

/** Sends the items of one kind. A failure on our side becomes the outcome of the items. */
async function writeKind(client: pg.Client, kind: Kind, answers: Answer[], decided?: Decided): Promise<void> {
  const { step, positions, entries } = kind;
  const items = entries.map(({ json }) => json);
  const claims = entries.map(({ claim }) => claim);
  try {
    if (decided?.status === 'rejected') throw decided.reason;
    const outcomes = await (decided === undefined
      ? callStep(client, step, items, claims)
      : writeDecided(client, step, decided.value, items, claims));
    for (const [index, at] of positions.entries()) {
      const outcome = outcomes[index];
      answers[at] = outcome === undefined ? { error: new Error(`${step.name} passed over an item`) } : { outcome };
    }
  } catch (error) {
    for (const at of positions) answers[at] = { error };
    throw error;
  }
}
