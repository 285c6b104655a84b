import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { toUuid } from '@agora-market/contract';
import type { Agora, Query } from '@agora-market/sdk';
import { createLog, openDatabase, readConfig } from '@agora-market/server';
import { makeAccount, makeSeller, submitted } from './dashboard/world.ts';
import { onDatabase } from './lifecycle/contenders.ts';
import { highLimits } from './measure/limits.ts';
import { migrated } from './measure/migrated.ts';
import { startServer } from './measure/process.ts';
import { keepResults, shareOf } from './measure/results.ts';
import { numbers, vocabulary } from './search/population.ts';

/** How long an owner's list of tasks takes to be filtered and searched, beside one task that is read by its id. */

const { values: options } = parseArgs({
  options: {
    tasks: { type: 'string', default: '1000000' },
    /** Times each kind of list is asked for. */
    times: { type: 'string', default: '200' },
    /** Prints only; the results of the last full run stay. */
    'dry-run': { type: 'boolean', default: false },
  },
});
const count = Number(options.tasks);
const batch = 10_000;
const day = 86_400_000;
const words = vocabulary(8_000);
const operatorToken = 'the-token-of-the-operator-of-the-bench-43-characters';

/** Copies of a task over three years, each with words of its own as uneven as in a language, most of them ended. */
async function copyTask(url: string, ids: readonly [string, ...string[]]): Promise<void> {
  const next = numbers(11);
  const word = () => words[Math.floor(words.length ** next()) - 1] ?? '';
  const text = (length: number) => Array.from({ length }, word).join(' ');
  await onDatabase(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select quote_ident(column_name) as name from information_schema.columns
       where table_schema = 'public' and table_name = 'tasks' and column_name not in ('id', 'input', 'created_at')`,
    );
    const others = rows.map(({ name }) => name).join(', ');
    for (let made = 0; made < count; made += batch) {
      const copies = Array.from({ length: Math.min(batch, count - made) }, (_, nth) => ({
        from: ids[(made + nth) % ids.length],
        ageMs: Math.floor((1 - (made + nth) / count) * 3 * 365 * day),
        made: {
          description: `${text(6)}\n\n${text(40)}`,
          tags: [word(), word()],
          project: `project-${Math.floor(20 * next() ** 2)}`,
          metadata: { ticket: `TIC-${made + nth}` },
        },
      }));
      const found = await client.query<{ id: string }>(
        `insert into tasks (id, input, created_at, ${others})
         select uuidv7(r."ageMs" * interval '-1 ms'), r.made, now() - r."ageMs" * interval '1 ms', ${others}
         from json_to_recordset($1) as r("from" uuid, "ageMs" int8, made json) join tasks t on t.id = r."from"
         returning id`,
        [JSON.stringify(copies)],
      );
      await client.query('select task_texts_put($1)', [found.rows.map(({ id }) => id)]);
    }
    await client.query('vacuum analyze');
  });
}

/** What is asked, by kind; each kind is asked many times with other values. */
function questions(): Record<string, () => Query<'tasks.list'>> {
  const next = numbers(5);
  const one = <T>(of: readonly T[]): T => of[Math.floor(next() * of.length)] as T;
  const common = () => one(words.slice(0, 30));
  const rare = () => one(words.slice(2_000));
  return {
    'no filter': () => ({}),
    oldest: () => ({ sort: 'oldest' }),
    'before a day': () => ({ createdBefore: new Date(Date.now() - next() * 3 * 365 * day).toISOString() }),
    'status that most have': () => ({ status: 'failed' }),
    'status that none has': () => ({ status: 'completed' }),
    'open, of which there are none': () => ({ status: 'open' }),
    project: () => ({ project: `project-${Math.floor(20 * next())}` }),
    'common word': () => ({ q: common() }),
    'rare word': () => ({ q: rare() }),
    'two common words': () => ({ q: `${common()} ${common()}` }),
    'common and rare word': () => ({ q: `${common()} ${rare()}` }),
    'beginning of a word': () => ({ q: rare().slice(0, 4) }),
    'value of metadata': () => ({ q: `TIC-${Math.floor(next() * count)}` }),
    'a word that nobody wrote': () => ({ q: 'zzyzx' }),
    'rare word of a project': () => ({ q: rare(), project: 'project-3' }),
    'common word, oldest': () => ({ q: common(), sort: 'oldest' }),
  };
}

interface Line {
  kind: string;
  p50: number;
  p95: number;
  most: number;
}
const lineOf = (kind: string, times: number[]): Line => ({
  kind,
  ...{ p50: shareOf(times, 0.5), p95: shareOf(times, 0.95), most: shareOf(times, 1) },
});

async function timed(call: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await call();
  return performance.now() - from;
}

async function ask(agora: Agora, taskId: string): Promise<{ lines: Line[]; searches: Line; plain: Line }> {
  const kinds = Object.entries(questions());
  const times = new Map(kinds.map(([kind]) => [kind, [] as number[]]));
  const plain: number[] = [];
  // In turns, so that the machine's drift meets all alike; the first ones warm up.
  for (let nth = -5; nth < Number(options.times); nth++) {
    for (const [kind, next] of kinds) {
      const ms = await timed(async () => await agora.tasks.list({ pageSize: 50, ...next() }));
      const keyed = await timed(async () => await agora.tasks.get(taskId));
      if (nth < 0) continue;
      times.get(kind)?.push(ms);
      plain.push(keyed);
    }
  }
  const lines = [...times].map(([kind, each]) => lineOf(kind, each));
  const ofWords = [...times].filter(([kind]) => /word|metadata/.test(kind)).flatMap(([, each]) => each);
  return { lines, searches: lineOf('all searches', ofWords), plain: lineOf('GET /tasks/:taskId', plain) };
}

const dataDir = mkdtempSync(join(tmpdir(), 'agora-bench-'));
const database = await openDatabase({ ...readConfig({}), AGORA_DATA_DIR: dataDir }, createLog('error'));
try {
  await onDatabase(database.url, (client) => client.query('create database bench_tasks'));
  const url = database.url.replace(/\/[^/]*$/, '/bench_tasks');
  await migrated(url);
  const cli = fileURLToPath(new URL('../../packages/cli/dist/main.js', import.meta.url));
  const server = await startServer(['--max-semi-space-size=64', cli, 'serve'], {
    ...highLimits,
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'warn',
    AGORA_DATA_DIR: join(dataDir, 'server'),
    AGORA_OPERATOR_TOKEN: operatorToken,
    DATABASE_URL: url,
  });
  try {
    const place = { url: `http://127.0.0.1:${server.port}`, operatorToken };
    const [buyer, seller] = [await makeAccount(place, 'Ada Lovelace', 10_000), await makeSeller(place, 8)];
    const made: string[] = [];
    for (const agent of seller.agents) {
      made.push(await submitted(buyer, agent.id, 'Clean up'));
      await buyer.agora.tasks.cancel(made.at(-1) as string);
    }
    const ids = made.map((id) => toUuid('task', id) as string);
    await copyTask(url, ids as [string, ...string[]]);
    console.log(`${options.tasks} tasks are there`);
    const { lines, searches, plain } = await ask(buyer.agora, made[0] as string);
    console.log('\n| | p50 ms | p95 ms | slowest ms | p95 / p95 of one task |\n| --- | --- | --- | --- | --- |');
    for (const { kind, p50, p95, most } of [...lines, searches, plain]) {
      console.log(`| ${kind} | ${[p50, p95, most, p95 / plain.p95].map((figure) => figure.toFixed(1)).join(' | ')} |`);
    }
    if (!options['dry-run']) console.log(`\n${keepResults('tasks', { options, lines, searches, plain })} written`);
  } finally {
    await server.stop();
  }
} finally {
  await database.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
