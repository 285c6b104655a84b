import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createLog, openDatabase, readConfig } from '@agora-market/server';
import pg from 'pg';
import { type Ledger, makeDatabase, openAgora, openPlain } from './ledger/contenders.ts';
import { printReport, printStatements, ratiosOf, summaryOf } from './ledger/report.ts';
import { readStatements } from './ledger/statement.ts';
import { drive, type Mode, type Turn } from './ledger/turn.ts';
import { parentOf } from './measure/cpu.ts';
import { migrated } from './measure/migrated.ts';
import { keepResults } from './measure/results.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    warmup: { type: 'string', default: '1' },
    accounts: { type: 'string', default: '1000' },
    /** How many callers the plain ledger has, each number a turn of its own. */
    callers: { type: 'string', default: '1,16,64' },
    /** How many transfers wait for the step writer at a time. */
    waiting: { type: 'string', default: '1024' },
    modes: { type: 'string', default: 'spread,hot' },
    /** Prints only; the results of the last full run stay. */
    'dry-run': { type: 'boolean', default: false },
  },
});

async function backendsParent(adminUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    return parentOf((rows[0] as { pid: number }).pid);
  } finally {
    await client.end();
  }
}

async function transfersPerSecond(adminUrl: string): Promise<Turn[]> {
  const callers = options.callers.split(',').map(Number);
  const accounts = Number(options.accounts);
  const agora = await openAgora(adminUrl, accounts);
  const plain = await openPlain(adminUrl, accounts);
  const contenders: { contender: string; ledger: Ledger; callers: number }[] = [
    { contender: 'agora', ledger: agora, callers: Number(options.waiting) },
    ...callers.map((count) => ({ contender: 'plain', ledger: plain, callers: count })),
  ];
  const postgresPid = await backendsParent(adminUrl);
  const made = new Map<Ledger, number>();
  const turns: Turn[] = [];
  const [warmUpMs, measureMs] = [Number(options.warmup) * 1000, Number(options.seconds) * 1000];
  try {
    for (const mode of options.modes.split(',') as Mode[]) {
      for (let round = 1; round <= Number(options.rounds); round++) {
        // One after the other in every round, so that the machine's drift affects all alike.
        for (const { contender, ledger, callers: count } of contenders) {
          const result = await drive(ledger, { mode, callers: count, warmUpMs, measureMs }, postgresPid);
          made.set(ledger, (made.get(ledger) ?? 0) + result.total);
          const { perSecond, cpuMicros } = result;
          turns.push({ round, mode, contender, callers: count, perSecond, cpuMicros });
          console.log(`round ${round} ${mode} ${contender} with ${count} callers: ${perSecond.toFixed(0)}/s`);
          await ledger.settle();
        }
      }
    }
    for (const [ledger, count] of made) await ledger.prove(count);
  } finally {
    for (const ledger of [agora, plain]) await ledger.close();
  }
  return turns;
}

async function statements(adminUrl: string) {
  const url = await makeDatabase(adminUrl, 'bench_statements');
  await migrated(url);
  return readStatements(url);
}

const dataDir = mkdtempSync(join(tmpdir(), 'agora-bench-'));
// Durable as the shipped server has it: its own embedded PostgreSQL with fsync on.
const database = await openDatabase({ ...readConfig({}), AGORA_DATA_DIR: dataDir }, createLog('error'));
try {
  const turns = await transfersPerSecond(database.url);
  printReport(turns);
  const pages = await statements(database.url);
  printStatements(pages);
  if (!options['dry-run']) {
    const results = { options, summary: summaryOf(turns), ratios: ratiosOf(turns), statements: pages, turns };
    console.log(`\n${keepResults('ledger', results)} written`);
  }
} finally {
  await database.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
