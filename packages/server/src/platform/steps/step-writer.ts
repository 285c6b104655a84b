import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { ApiError } from '../api-error.ts';
import { type Hub, loggedTopic } from '../hub/hub.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { isAway, retryable } from '../postgres/away.ts';
import { inSpan } from '../tracing/tracing.ts';
import type { Claim } from './idempotency-claims.ts';
import { callStep, type Decisions, type Step, type StepOutcome, stale } from './step.ts';
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
  /** How often it was decided on what then had changed. */
  decisions: number;
  resolve(outcome: StepOutcome): void;
  reject(error: unknown): void;
}

const maxPerKind = 1024;
/** Keeps a batch of large inputs and outputs small enough for a fast statement. */
const maxBatchChars = 8 * 1024 ** 2;
/** A second transaction is prepared while the first commits, but only when there is enough to fill it. */
const waitingForSecond = 24;
/**
 * Several servers with small batches cost PostgreSQL and themselves more than one with large ones. So after a batch of two or
 * more, a server collects for a multiple of the time that it took, for each of the others; measured in `bench -- servers`.
 */
const busyFrom = 2;
const pausePerServer = 2;
const longestPauseMs = 50;
/** From so many on a batch takes one kind only. */
const manyWaiting = 48;
/** So often an item is decided, where others change each time what it was decided on. */
const mostDecisions = 20;
/**
 * A database that is silent for this long has lost the batch; `statement_timeout` ends statements that are only slow.
 */
const answerTimeoutMs = 60_000;

/** `lock` is a statement that locks the rows of a batch; its parameters are lists of what `StepLocks` names. */
export function createStepWriter(
  url: string,
  hub: Hub,
  log: Logger,
  {
    lock,
    metrics,
    servers = () => 1,
    functions,
  }: { lock: string; metrics?: Pick<Metrics, 'committed'>; servers?: () => number; functions?: string },
): StepWriter {
  const connections = [writerConnection(url, log, functions), writerConnection(url, log, functions)];
  const idle = [...connections];
  const keysInFlight = new Set<string>();
  let waiting: Waiting[] = [];
  let scheduled = false;
  let pauseUntil = 0;
  let drained: (() => void) | null = null;
  let closing: Promise<void> | null = null;

  const isBusy = () => waiting.length > 0 || idle.length < connections.length;

  function schedule() {
    if (scheduled || waiting.length === 0 || idle.length === 0) return;
    if (idle.length < connections.length && waiting.length < waitingForSecond) return;
    scheduled = true;
    const begin = () => {
      scheduled = false;
      dispatch();
    };
    const pauseMs = pauseUntil - performance.now();
    if (pauseMs > 1) setTimeout(begin, pauseMs);
    else setImmediate(begin);
  }

  const answer: Answerer = (batch, answers) => {
    const isStale = (_: unknown, at: number) => answers[at]?.outcome?.outcome === stale;
    const again = batch.filter(isStale);
    const isDone = (_: unknown, at: number) => !isStale(_, at);
    metrics?.committed(batch.length - again.length);
    answerCallers(batch.filter(isDone), answers.filter(isDone), hub, log);
    // First in the queue, so that no later step of their keys overtakes them.
    waiting = [...again.filter((entry) => ++entry.decisions < mostDecisions || giveUp(entry)), ...waiting];
  };

  function dispatch() {
    const { batch, rest } = take(waiting, keysInFlight);
    const on = batch.length > 0 ? idle.pop() : undefined;
    if (!on) return;
    waiting = rest;
    for (const entry of batch) keysInFlight.add(entry.key);
    const begunMs = performance.now();
    void writeBatch(on, batch, lock, answer).finally(() => {
      for (const entry of batch) keysInFlight.delete(entry.key);
      on.rest();
      idle.push(on);
      const endedMs = performance.now();
      const pauseMs = batch.length < busyFrom ? 0 : (endedMs - begunMs) * pausePerServer * (servers() - 1);
      pauseUntil = endedMs + Math.min(longestPauseMs, pauseMs);
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
            const entry = {
              step,
              item,
              json: JSON.stringify(item),
              key: step.key(item),
              claim,
              decisions: 0,
              resolve,
              reject,
            };
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

const tooBusy = () => new ApiError('NOT_READY', 'Too many changes at once to the same pool or agent. Try again.');

function giveUp({ reject }: Waiting): false {
  reject(tooBusy());
  return false;
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

/** PostgreSQL ran out of time or resources, which happens to items one by one just as well. */
const isOverload = (code: string) => code.startsWith('53') || code.startsWith('57');

type Answerer = (batch: Waiting[], answers: Answer[]) => void;

async function writeBatch(
  on: WriterConnection,
  batch: Waiting[],
  lock: string,
  answer: Answerer,
  attempt = 1,
): Promise<void> {
  const result = await commitTogether(on, batch, lock);
  if (result.fate === 'committed') return answer(batch, result.answers);
  const { code = '' } = result.error as { code?: string };
  if (result.fate === 'undone' && retryable.has(code) && attempt < 4) {
    // Lets the other transaction commit; otherwise it would meet the same batch again.
    await sleep(20 * attempt);
    return writeBatch(on, batch, lock, answer, attempt + 1);
  }
  if (result.fate === 'unknown' || batch.length === 1 || isOverload(code)) {
    for (const entry of batch) entry.reject(retryable.has(code) ? tooBusy() : result.error);
    return;
  }
  // One item aborts the whole batch. Halving finds it in a few transactions, and only that one fails.
  const middle = batch.length >> 1;
  await writeBatch(on, batch.slice(0, middle), lock, answer);
  await writeBatch(on, batch.slice(middle), lock, answer);
}

async function commitTogether(on: WriterConnection, batch: Waiting[], lock: string): Promise<Fate> {
  let client: pg.Client;
  try {
    client = await on.client();
  } catch (cause) {
    const error = new ApiError('NOT_READY', 'The database cannot be reached. Try again.', {}, { cause });
    return { fate: 'unknown', error };
  }
  const answers = new Array<Answer>(batch.length);
  let kinds: Kind[];
  try {
    kinds = await decided(client, byKind(batch), answers);
  } catch (error) {
    if (isAway(error)) on.drop();
    return { fate: isAway(error) ? 'unknown' : 'undone', error };
  }
  if (kinds.length === 0) return { fate: 'committed', answers };
  const sent: Promise<unknown>[] = [];
  const send = (work: Promise<unknown>) => {
    // Heard of below; until then a failure is nobody's.
    work.catch(() => undefined);
    sent.push(work);
  };
  // All is sent at once: from the first lock to the commit PostgreSQL waits for nothing from here.
  send(client.query('begin'));
  send(lockRows(client, lock, kinds));
  for (const kind of kinds) send(writeKind(client, kind, answers));
  for (const { besides } of kinds) if (besides) send(besides(client));
  const commit = client.query({ text: 'commit', query_timeout: answerTimeoutMs } as pg.QueryConfig);
  const [end, ...rest] = await Promise.allSettled([commit, ...sent]);
  // Only the result of the commit decides: it was sent whatever happened to the statements before it.
  if (end.status === 'fulfilled' && end.value.command === 'COMMIT') return { fate: 'committed', answers };
  const failure = [...rest, end].find((each) => each.status === 'rejected')?.reason;
  if (isAway(failure)) on.drop();
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
  besides?: Decisions<StepOutcome>['besides'];
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

/** The kinds without the items that a rule in TypeScript refuses: these have their answer. */
async function decided(client: pg.Client, kinds: Kind[], answers: Answer[]): Promise<Kind[]> {
  const left = await Promise.all(
    kinds.map(async (kind): Promise<Kind> => {
      const { step, positions, entries } = kind;
      if (step.decide === undefined) return kind;
      const items = entries.map(({ item }) => item);
      const { outcomes, besides } = await step.decide(client, items);
      for (const [nth, at] of positions.entries()) answers[at] = answerOf(step, outcomes[nth]);
      const isTaken = (_: unknown, nth: number) => outcomes[nth]?.outcome === 'ok';
      return {
        step,
        positions: positions.filter(isTaken),
        entries: entries.filter(isTaken),
        ...(besides && { besides }),
      };
    }),
  );
  return left.filter(({ entries, besides }) => entries.length > 0 || besides);
}

const answerOf = (step: Kind['step'], outcome: StepOutcome | undefined): Answer =>
  outcome === undefined ? { error: new Error(`${step.name} passed over an item`) } : { outcome };

/** Locks all rows that the items change, in one statement. */
function lockRows(client: pg.Client, lock: string, kinds: Kind[]): Promise<unknown> {
  const locks = kinds.flatMap(({ step, entries }) => entries.flatMap(({ item }) => step.locks(item)));
  return client.query({
    name: 'steps_lock',
    text: lock,
    values: [
      locks.flatMap(({ tasks = [] }) => tasks),
      locks.flatMap(({ tasks = [], isPaid = false }) => tasks.map(() => isPaid)),
      locks.flatMap(({ owners = [] }) => owners),
      locks.flatMap(({ agents = [] }) => agents),
    ],
  });
}

/** Sends the items of one kind. A failure on our side becomes the outcome of the items. */
async function writeKind(client: pg.Client, { step, positions, entries }: Kind, answers: Answer[]): Promise<void> {
  if (entries.length === 0) return;
  try {
    const items = entries.map(({ json }) => json);
    const outcomes = await callStep(
      client,
      step,
      items,
      entries.map(({ claim }) => claim),
    );
    for (const [nth, at] of positions.entries()) {
      const outcome = outcomes[nth];
      // What was decided knows more of its outcome than its function.
      if (step.decide === undefined || outcome?.outcome !== 'ok') answers[at] = answerOf(step, outcome);
    }
  } catch (error) {
    for (const at of positions) answers[at] = { error };
    throw error;
  }
}
