import { setTimeout as sleep } from 'node:timers/promises';
import { verifyLedger } from '@agora-market/server';
import type pg from 'pg';
import { type Contender, onDatabase } from './contenders.ts';

/** Rows that a paid lifecycle leaves in each table, whoever wrote them. */
const rowsPerLifecycle: Record<string, number> = {
  "tasks where status = 'completed'": 1,
  tasks: 1,
  "ledger_transfers where cause <> 'top_up'": 3,
  "earnings where status = 'pending'": 1,
  'assessments where passed': 1,
};

/** Events per row: Agora stores those of one step in one row (see `expandEvents`), and so does the naive build. */
const toldEvents = `select sum(case type when 'task.submitted' then 3
  when 'task.completed' then 2 else 1 end)::float8 as n from events where task_id is not null`;
const eventsPerLifecycle = 7;

/** Proves that a contender stored exactly what the client was told, and that its ledger is sound. */
export async function prove(
  { name, databaseUrl }: Pick<Contender, 'databaseUrl'> & { name: string },
  paid: number,
): Promise<void> {
  if (databaseUrl === null) return;
  await onDatabase(databaseUrl, async (client) => {
    for (const [table, each] of Object.entries(rowsPerLifecycle)) {
      const { rows } = await client.query(`select count(*)::float8 as n from ${table}`);
      if (rows[0].n !== paid * each) throw new Error(`${name} has ${rows[0].n} of ${paid * each} rows in ${table}`);
    }
    const told = (await client.query(toldEvents)).rows[0].n;
    if (told !== paid * eventsPerLifecycle) throw new Error(`${name} tells ${told} events of ${paid} lifecycles`);
    const counted = await lastCount(client, paid);
    if (counted.n !== paid || counted.open !== 0)
      throw new Error(`${name} counted ${JSON.stringify(counted)}, not ${paid}`);
  });
  const broken = (await verifyLedger(databaseUrl)).filter((check) => check.broken.length > 0);
  if (broken.length > 0) throw new Error(`the ledger of ${name} is not sound: ${JSON.stringify(broken)}`);
  console.log(`${name}: ${paid} lifecycles paid, every row there, ledger clean`);
}

/** What agents have done and have to do. Agora's reputations follow the event log, and come to its end a moment later. */
export async function lastCount(client: pg.Client, paid: number): Promise<{ n: number; open: number }> {
  for (let attempt = 1; ; attempt++) {
    const { rows } = await client.query(
      `select (select sum(completed) from reputations)::float8 as n, (select sum(open_tasks) from agent_stats)::float8 as open`,
    );
    if (rows[0].n === paid || attempt === 50) return rows[0];
    await sleep(100);
  }
}
