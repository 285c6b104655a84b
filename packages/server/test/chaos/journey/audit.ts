import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { toId } from '@agora-market/contract';
import { findGroupHomes, groupNames } from '../../../src/sandbox/bwrap/cgroup-tree.ts';
import { uidRange } from '../../../src/sandbox/bwrap/uids.ts';
import { lookInto, type Query } from '../look.ts';
import type { Installation } from '../server-process.ts';
import { type Stage, sleep, warmSandboxes } from './cast.ts';
import { auditCourts } from './courts-audit.ts';

/** What is still under way; all zero when nothing is. */
const unsettled = `select
  (select count(*)::int from tasks where status not in ('completed', 'failed', 'refunded')) as tasks,
  (select coalesce(sum(balance), 0)::int from ledger_accounts where kind = 'pool_held') as held,
  (select count(*)::int from ledger_transfers h where cause = 'hold' and not exists (select 1 from ledger_transfers r
     where r.subject = h.subject and r.cause in ('payout', 'hold_released'))) as holds,
  (select count(*)::int from earnings where status not in ('released', 'refunded')) as earnings,
  (select coalesce(sum(balance), 0)::int from ledger_accounts where kind = 'wallet_escrowed') as escrowed,
  (select count(*)::int from disputes where status <> 'resolved') as disputes,
  (select count(*)::int from appeals where status = 'pending') as appeals,
  (select count(*)::int from sandboxes where status in ('provisioning', 'ready', 'draining')) as sandboxes,
  (select coalesce(sum(open_tasks), 0)::int from agent_stats) as "openTasks",
  (select count(*)::int from tasks where input_expires_at is not null) as inputs,
  (select count(*)::int from artifacts where sha256 is not null and dropped is null) as artifacts`;

const entriesOf = (dir: string): string[] => {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
};

/** A zombie has only its parent to wait for. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Processes on this machine under the user ids that the installation gives to its sandboxes. */
function processesOfSandboxes(installationId: string): number[] {
  if (process.getuid?.() !== 0) return [];
  const { first, count } = uidRange(installationId, readFileSync('/proc/self/uid_map', 'utf8'));
  return entriesOf('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const uid = statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid ?? 0;
      return uid >= first && uid < first + count && isRunning(pid);
    });
}

/** What sandboxes and deliveries leave on the host while they live; nothing of it may stay. */
export function leftOnHost(server: Installation): State {
  const { installationId, dataDir } = server;
  const groups = groupNames(findGroupHomes(`agora-${installationId}`).homes);
  const inputs = join('/var/tmp', `agora-inputs-${process.getuid?.()}-${installationId}`);
  return {
    'sandbox agents': server.sandboxes(),
    'processes of sandboxes': processesOfSandboxes(installationId).length,
    'control groups': groups.length,
    'input directories': entriesOf(inputs).length,
    'kept deliveries': entriesOf(join(dataDir, 'deliveries')).length,
    'kept workspaces': entriesOf(join(dataDir, 'workspaces')).length,
  };
}

/** The same where a server runs, without the sandboxes that it holds ready, which are of two processes each. */
function leftBesideWarm(server: Installation): State {
  const left = Object.entries(leftOnHost(server)).map(([name, n]) => {
    const warm = name.startsWith('kept ') ? 0 : warmSandboxes * (name === 'processes of sandboxes' ? 2 : 1);
    return [name, Math.max(0, n - warm)];
  });
  return Object.fromEntries(left);
}

export type State = Record<string, number>;

export function summed(states: State[]): State {
  const sum: State = {};
  for (const state of states) for (const [name, n] of Object.entries(state)) sum[name] = (sum[name] ?? 0) + n;
  return sum;
}

/** Waits until nothing is under way any more, or until it has waited long enough; gives what was seen last. */
export const awaitQuiet = (servers: [Installation, ...Installation[]], patienceMs: number): Promise<State> =>
  lookInto(servers[0], async (query) => {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      const [stored] = await query<State>(unsettled);
      const state = { ...stored, ...summed(servers.map(leftBesideWarm)) };
      if (Object.values(state).every((each) => each === 0) || performance.now() > deadline) return state;
      await sleep(300);
    }
  });

interface StoredTask {
  id: string;
  status: string;
  price: number;
  charged: number;
  error: string | null;
}

const storedTasks = async (query: Query): Promise<Map<string, StoredTask>> => {
  const found = await query<StoredTask>(
    `select id, status, price::int, coalesce(credits_charged, 0)::int as charged, error_message as error from tasks`,
  );
  return new Map(found.map((each) => [toId('task', each.id), each]));
};

/** Every acknowledged task is there and became what its submitter was told; nothing else is there. */
function taskFaults(stage: Stage, stored: Map<string, StoredTask>, late: Set<string>): string[] {
  const found: string[] = [];
  for (const { taskId, told, check } of stage.acknowledged.values()) {
    const status = stored.get(taskId)?.status ?? 'lost';
    if (status === 'lost') found.push(`${taskId} was acknowledged and is not there`);
    if (told.cancelled && status !== 'failed') found.push(`${taskId} was cancelled and is ${status}`);
    if (told.refunded === true && status !== 'refunded') found.push(`${taskId} was refunded and is ${status}`);
    if (told.refunded === false && status !== 'completed' && !told.disputed)
      found.push(`${taskId} was not refunded and is ${status}`);
    const isPaid = status === 'completed' || status === 'refunded';
    if (isPaid && check !== null && !stage.worked.has(taskId)) found.push(`${taskId} passed its check without work`);
    if (isPaid && stage.lied.has(taskId)) found.push(`${taskId} passed with a lie`);
  }
  for (const id of stored.keys()) {
    if (!stage.acknowledged.has(id) && !late.has(id)) found.push(`${id} is there and nobody was told of it`);
  }
  return found;
}

/** Work of the last process that is claimed and has no reply: who repeats it is told to wait. */
async function openClaims(query: Query, since: Date): Promise<string[]> {
  const [row] = await query<{ n: number }>(
    `select count(*)::int as n from idempotency_keys where reply is null and not erased and alive_at > $1`,
    [since.toISOString()],
  );
  return row!.n === 0 ? [] : [`${row!.n} keys that were claimed since the last kill have no reply`];
}

const money = {
  spent: `select owner_id as id, sum(credits_charged)::int as cents from tasks where status = 'completed' group by 1`,
  earned: `select agent_id as id, sum(credits_charged - credits_charged * 15 / 100)::int as cents from tasks
    where status = 'completed' group by 1`,
  // What the reserve paid in an agent's place it keeps.
  spared: `select t.agent_id as id, sum(l.amount)::int as cents from ledger_transfers l join tasks t on t.id = l.subject
    where l.cause = 'dispute_covered' group by 1`,
  takenOut: `select from_holder as id, sum(amount)::int as cents from ledger_transfers where cause = 'reclaim' group by 1`,
  takenIn: `select to_holder as id, sum(amount)::int as cents from ledger_transfers where cause = 'reclaim' group by 1`,
};

/** Owners and agents have, by their own view, what their tasks and disputes leave them. */
async function moneyFaults(stage: Stage, query: Query): Promise<string[]> {
  const found: string[] = [];
  const sums = async (text: string, kind: 'owner' | 'agent') => {
    const rows = await query<{ id: string; cents: number }>(text);
    const byId = new Map(rows.map(({ id, cents }) => [toId(kind, id), cents]));
    return (id: string) => byId.get(id) ?? 0;
  };
  const [spent, takenIn] = [await sums(money.spent, 'owner'), await sums(money.takenIn, 'owner')];
  for (const { id, agora } of [...stage.buyers, ...stage.sellers]) {
    const { balance, held } = await agora.vault.getPool();
    const due = (stage.bought.get(id) ?? 0) - spent(id) + takenIn(id);
    if (balance !== due || held !== 0) found.push(`${id} has ${balance} and ${held} held; ${due} and 0 are due`);
  }
  const [earned, spared] = [await sums(money.earned, 'agent'), await sums(money.spared, 'agent')];
  const takenOut = await sums(money.takenOut, 'agent');
  for (const { agentId, owner } of stage.performers) {
    const { available, escrowed } = await owner.agora.vault.getAgentWallet(agentId);
    const due = earned(agentId) + spared(agentId) - takenOut(agentId);
    if (available !== due || escrowed !== 0) found.push(`${agentId} has ${available} and ${escrowed}; ${due} is due`);
  }
  return found;
}

/** Repeats what nobody has seen an answer to: a claim that a kill left behind must not keep its caller out for good. */
export async function repeatUnanswered(stage: Stage): Promise<{ repeated: number; late: Set<string> }> {
  const { server, recorder } = stage;
  const late = new Set<string>();
  const requests = [...recorder.unanswered];
  for (const [name, { path, init }] of requests) {
    const reply = await fetch(`${server.url()}${path}`, { ...init, signal: AbortSignal.timeout(45_000) });
    const body = (await reply.json().catch(() => ({}))) as { id?: string };
    if (reply.status >= 500) recorder.fault(`${name}, repeated at the end, was answered with ${reply.status}`);
    if (reply.status === 201 && /\/tasks(\/agent)?$/.test(path) && body.id !== undefined) late.add(body.id);
  }
  return { repeated: requests.length, late };
}

/** Everything that is wrong after the journey, in words; and what the figures are made of. */
export const auditJourney = (stage: Stage, late: Set<string>, lastStart: Date) =>
  lookInto(stage.server, async (query) => {
    const stored = await storedTasks(query);
    const courts = await auditCourts(stage, query);
    const faults = [
      ...courts.faults,
      ...taskFaults(stage, stored, late),
      ...(await openClaims(query, lastStart)),
      ...(await moneyFaults(stage, query)),
    ];
    const moved = await query<{ cause: string; n: number; cents: number }>(
      `select cause::text, count(*)::int as n, sum(amount)::int as cents from ledger_transfers group by 1 order by 1`,
    );
    const sandboxes = await query<{ status: string; n: number }>(
      'select status, count(*)::int as n from sandboxes group by 1 order by 1',
    );
    return { faults, stored: [...stored.values()], courts, money: moved, sandboxes };
  });
