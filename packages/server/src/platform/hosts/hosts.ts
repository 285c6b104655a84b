import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';
import { DatabaseClient } from '../postgres/client.ts';
import { connectionSettings, type Pool, type Tx, transaction } from '../postgres/db.ts';
import { requireRelease } from '../postgres/releases.ts';
import { allRoles, type Role } from '../roles.ts';
import { checkCompany, type Place, predecessors } from './company.ts';
import { saveFault } from './faults.ts';
import {
  beat,
  endHost,
  endOwnHost,
  forgetHosts,
  insertHost,
  liveHosts,
  lockHosts,
  type Seen,
  setAddress,
  silenceMs,
} from './sql.ts';
import { createWatch } from './watch.ts';

export interface HostsSettings {
  pool: Pool;
  clock: Clock;
  log: Logger;
  databaseUrl: string;
  place: Place;
  /** A process without a heartbeat for this time is dead. */
  deadMs: number;
  roles: readonly Role[];
  /** How many ordinary sandboxes of tasks this process may have, and for how many more there is room. */
  capacity: number;
  room(): number;
  /** Takes over everything held by ended processes. Safe to repeat. */
  takeOver(tx: Tx, now: Date): Promise<unknown>;
  /** No process was at work for so long: gives that time back to those who had a deadline in it. */
  makeUp(tx: Tx, awayMs: number): Promise<unknown>;
  /** Others have taken over what this process held, so it must release it. */
  letGo(): Promise<unknown>;
}

/** Of the time after which a silent process is dead, how often one says that it lives, and how long it is sure to. */
const beatEvery = 0.1;
const sureFor = 0.7;

/**
 * The server processes on one database, and which of them live. What a process holds (sandboxes, running gates) is
 * taken over only when it is dead: when a later process serves its data directory, or after `deadMs` without a
 * heartbeat.
 */
export class Hosts {
  readonly #settings: HostsSettings;
  readonly #watch: ReturnType<typeof createWatch>;
  /** Apart from the pool, so that no queue for its connections keeps a living process silent. */
  readonly #connection: pg.Pool;
  #id: string = randomUUID();
  #address: string | null = null;
  #joined = false;
  #others: Seen[] = [];
  /** By the id of another process, for those who wait for it. */
  readonly #ends = new Map<string, { end: AbortController; sinceMs: number }>();
  /** When the last beat was sent that was taken; for `deadMs` from then on nobody takes this process for dead. */
  #sureSince = 0;
  #beating: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: HostsSettings) {
    this.#settings = settings;
    this.#watch = createWatch(settings.deadMs);
    this.#connection = new pg.Pool({
      ...connectionSettings(settings.databaseUrl, '-c statement_timeout=5000 -c synchronous_commit=off'),
      Client: DatabaseClient,
      max: 1,
      query_timeout: 6_000,
      idleTimeoutMillis: 0,
    });
    this.#connection.on('error', () => {});
  }

  /** The name of this process in the rows of what it holds. It gets a new name after it was declared dead. */
  get id(): string {
    return this.#id;
  }

  /** The data directory of this process. */
  get store(): string {
    return this.#settings.place.store;
  }

  /** Whether no other process is known. */
  get isAlone(): boolean {
    return this.count === 1;
  }

  /** Whether a process of a later release has this role: what that makes may be unknown here. */
  isOutdated(role: Role): boolean {
    const { migration: ours } = this.#settings.place;
    return this.#others.some(({ migration, roles }) => (migration ?? 0) > ours && roles.includes(role));
  }

  /** How many processes there are, as far as this one knows. */
  get count(): number {
    return this.#others.length + 1;
  }

  /** The same of those with a role, and this one in any case; of all where none is named. */
  countOf(role?: Role): number {
    const { migration: ours } = this.#settings.place;
    const sharing = this.#others.filter(({ migration }) => (migration ?? 0) >= ours);
    return sharing.filter((each) => role === undefined || each.roles.includes(role)).length + 1;
  }

  /** How many ordinary sandboxes of tasks all processes may have together, as far as this one knows. */
  get capacity(): number {
    return this.#others.reduce((sum, { capacity }) => sum + capacity, this.#settings.capacity);
  }

  /** Roles that no process has, as far as this one knows. */
  get missingRoles(): Role[] {
    const held = new Set<string>([...this.#settings.roles, ...this.#others.flatMap((each) => each.roles)]);
    return allRoles.filter((role) => !held.has(role));
  }

  /** The others that can be asked, and said lately that they live; none that was suspended a while ago. */
  get reachable(): Seen[] {
    return this.#others.filter(({ id, address }) => address !== null && !this.#watch.isQuiet(id));
  }

  /**
   * Registers this process and takes over what dead ones held. Refuses if another server uses the same data directory,
   * a different secret or a different object store.
   */
  async join(): Promise<void> {
    const { pool, clock, takeOver } = this.#settings;
    if (this.#joined) return void (await transaction(pool, 'write', (tx) => takeOver(tx, clock.now())));
    await this.#enter();
    this.#joined = true;
    await this.#beat();
    this.#beatLater();
    await this.#waitForOlder();
  }

  /** Until the servers of earlier releases have seen this one, and leave what is shared to it. */
  async #waitForOlder(): Promise<void> {
    const { deadMs, place } = this.#settings;
    const older = this.#others.filter(({ migration }) => (migration ?? 0) < place.migration);
    const untilMs = performance.now() + deadMs;
    // The first beat may have been under way when this process entered.
    const isUnaware = ({ id, beats }: Seen) => older.some((each) => each.id === id && beats < each.beats + 2);
    while (this.#others.some(isUnaware) && performance.now() < untilMs) {
      await sleep(deadMs * beatEvery);
      await this.#beat();
    }
  }

  /** Where other servers reach this one. */
  async announce(address: string): Promise<void> {
    this.#address = address;
    await setAddress(this.#settings.pool, this.#id, address);
  }

  /** Aborts once another process is known to have ended, so that nobody waits for what a suspended one holds. */
  endOf(id: string): AbortSignal {
    const known = this.#ends.get(id) ?? { end: new AbortController(), sinceMs: performance.now() };
    this.#ends.set(id, known);
    return known.end.signal;
  }

  /** Resolves once nobody can regard this process as dead, or once it has released what it held. */
  async confirm(): Promise<void> {
    if (this.#joined && performance.now() - this.#sureSince > this.#settings.deadMs * sureFor) await this.#beat();
  }

  /** This process stops and holds nothing any more. */
  async leave(): Promise<void> {
    const { pool, clock, takeOver } = this.#settings;
    const wasJoined = this.#joined;
    this.#joined = false;
    clearTimeout(this.#timer);
    await this.#beating?.catch(() => {});
    await this.#connection.end();
    if (!wasJoined) return;
    await transaction(pool, 'write', async (tx) => {
      await endOwnHost(tx, this.#id, clock.now());
      await takeOver(tx, clock.now());
    });
  }

  async #enter(): Promise<void> {
    const { log } = this.#settings;
    for (let hasWaited = false; ; hasWaited = true) {
      const waitMs = await this.#tryToEnter(hasWaited);
      if (waitMs === 0) return;
      const seconds = Math.ceil(waitMs / 1000);
      log.warn(`a server elsewhere was at work in this data directory a moment ago; waiting ${seconds} s for its end`);
      await sleep(waitMs);
    }
  }

  /** Gives the milliseconds after which to try again; 0 where this process has entered. */
  #tryToEnter(hasWaited: boolean): Promise<number> {
    const { pool, clock, place, deadMs, roles, capacity, takeOver } = this.#settings;
    return transaction(pool, 'write', async (tx) => {
      await lockHosts(tx);
      const now = clock.now();
      const live = await liveHosts(tx);
      const { ended, waitMs } = predecessors(live, place, deadMs, hasWaited);
      if (waitMs > 0) return waitMs;
      checkCompany(live, place, deadMs);
      await requireRelease(tx, place);
      await this.#makeUp(tx);
      for (const each of ended) await endHost(tx, each, now);
      await insertHost(tx, { id: this.#id, address: this.#address, roles, capacity, ...place }, now);
      await forgetHosts(tx, now);
      await takeOver(tx, now);
      return 0;
    });
  }

  /** Of several processes only the first finds the silence, as `lockHosts` lets one in after the other. */
  async #makeUp(tx: Tx): Promise<void> {
    const { clock, log, deadMs, makeUp } = this.#settings;
    const awayMs = await silenceMs(tx);
    if (awayMs <= deadMs * sureFor) return;
    await saveFault(tx, clock.now());
    await makeUp(tx, awayMs);
    log.warn(`no server was at work for ${Math.round(awayMs / 1000)} s; agents get that time back`);
  }

  /** After the database was away for all. */
  async #endOutage(): Promise<void> {
    // It changes all open tasks, in no order that steps beside it could keep to.
    await transaction(this.#settings.pool, 'ledger', async (tx) => {
      await lockHosts(tx);
      await this.#makeUp(tx);
      await beat(tx, this.#id, this.#settings.room());
    });
  }

  /** One at a time. */
  #beat(): Promise<void> {
    this.#beating ??= this.#beatOnce().finally(() => {
      this.#beating = null;
    });
    return this.#beating;
  }

  async #beatOnce(): Promise<void> {
    const sentAt = performance.now();
    if (this.#sureSince > 0 && sentAt - this.#sureSince > this.#settings.deadMs * sureFor) await this.#endOutage();
    const { alive, others } = await beat(this.#connection, this.#id, this.#settings.room()).catch((error) => {
      // Nobody could say that he lives while the database was away.
      this.#watch.reset();
      throw error;
    });
    if (!alive) return this.#startAnew();
    this.#sureSince = sentAt;
    const wasOutdated = this.isOutdated('jobs');
    this.#others = others;
    if (this.isOutdated('jobs') !== wasOutdated)
      this.#settings.log.info(
        `shared jobs are ${wasOutdated ? 'done here again' : 'left to a server of a later release'}`,
      );
    for (const dead of this.#watch.silent(others, sentAt)) await this.#bury(dead);
    const live = new Set(others.map((each) => each.id));
    // A beat does not know of a process that joined after it was sent.
    for (const [id, { end, sinceMs }] of this.#ends) if (!live.has(id) && sinceMs < sentAt) this.#end(id, end);
  }

  #end(id: string, end: AbortController): void {
    this.#ends.delete(id);
    end.abort(new Error('the server is dead'));
  }

  async #startAnew(): Promise<void> {
    const { log, letGo } = this.#settings;
    log.error('others took this server for dead, for it was silent for so long; it goes on without its sandboxes');
    this.#id = randomUUID();
    await letGo();
    await this.#enter();
    this.#sureSince = performance.now();
  }

  async #bury(dead: Seen): Promise<void> {
    const { pool, clock, log, takeOver } = this.#settings;
    const isTaken = await transaction(pool, 'write', async (tx) => {
      const now = clock.now();
      if (!(await endHost(tx, dead, now))) return false;
      await takeOver(tx, now);
      return true;
    });
    if (isTaken) log.warn({ host: dead.id, address: dead.address }, 'a server is dead; what it held is taken over');
  }

  #beatLater(): void {
    const { deadMs, log } = this.#settings;
    this.#timer = setTimeout(async () => {
      await this.#beat().catch((error) => log.warn({ err: error }, 'this server could not say that it lives'));
      if (this.#joined) this.#beatLater();
    }, deadMs * beatEvery);
    this.#timer.unref();
  }
}
