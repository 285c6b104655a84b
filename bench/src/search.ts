import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { toId } from '@agora-market/contract';
import { createLog, openDatabase, readConfig } from '@agora-market/server';
import { onDatabase } from './lifecycle/contenders.ts';
import { highLimits } from './measure/limits.ts';
import { migrated } from './measure/migrated.ts';
import { startServer } from './measure/process.ts';
import { keepResults, shareOf } from './measure/results.ts';
import { populate } from './search/population.ts';
import { questions } from './search/questions.ts';
import { timeWrites, type Writes } from './search/writes.ts';

const { values: options } = parseArgs({
  options: {
    agents: { type: 'string', default: '100000' },
    /** Times each kind of question is asked. */
    times: { type: 'string', default: '300' },
    kinds: { type: 'string', default: '' },
    writes: { type: 'string', default: '300' },
    /** Prints only; the results of the last full run stay. */
    'dry-run': { type: 'boolean', default: false },
  },
});

const connection = new Agent({ keepAlive: true, maxSockets: 1 });

/** Milliseconds until the whole reply is there; it must be a good one. */
function timeOf(port: number, path: string): Promise<number> {
  const from = performance.now();
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, agent: connection }, (reply) => {
      reply.on('data', () => undefined);
      reply.on('end', () => {
        if (reply.statusCode === 200) resolve(performance.now() - from);
        else reject(new Error(`${path}: ${reply.statusCode}`));
      });
    }).on('error', reject);
  });
}

interface Line {
  kind: string;
  p50: number;
  p99: number;
  most: number;
}

const lineOf = (kind: string, times: number[]): Line => ({
  kind,
  p50: shareOf(times, 0.5),
  p99: shareOf(times, 0.99),
  most: shareOf(times, 1),
});

async function ask(
  port: number,
  agentIds: string[],
  words: string[],
): Promise<{ lines: Line[]; all: Line; plain: Line }> {
  const kinds = Object.entries(questions(words)).filter(([kind]) => kind.includes(options.kinds));
  const times = new Map(kinds.map(([kind]) => [kind, [] as number[]]));
  const plain: number[] = [];
  const count = Number(options.times);
  // In turns, so that the machine's drift meets all alike; the first ones warm up.
  for (let nth = -20; nth < count; nth++) {
    for (const [kind, next] of kinds) {
      const ms = await timeOf(port, next());
      const id = agentIds[(nth + 20) % agentIds.length] as string;
      const keyed = await timeOf(port, `/api/v1/agents/${toId('agent', id)}`);
      if (nth < 0) continue;
      times.get(kind)?.push(ms);
      plain.push(keyed);
    }
  }
  const lines = [...times].map(([kind, each]) => lineOf(kind, each));
  return {
    lines,
    all: lineOf('all searches', [...times.values()].flat()),
    plain: lineOf('GET /agents/:agentId', plain),
  };
}

function print(lines: Line[], plain: Line, writes: Writes[]): void {
  console.log('\n| | p50 ms | p99 ms | slowest ms | p99 / p99 of a plain read |\n| --- | --- | --- | --- | --- |');
  for (const { kind, p50, p99, most } of lines) {
    const figures = [p50, p99, most, p99 / plain.p99].map((figure) => figure.toFixed(2));
    console.log(`| ${kind} | ${figures.join(' | ')} |`);
  }
  console.log('\n| | with search, p50 / p99 ms | without | ratio of p50 |\n| --- | --- | --- | --- |');
  for (const { what, found, bare } of writes) {
    const show = (times: number[]) => `${shareOf(times, 0.5).toFixed(2)} / ${shareOf(times, 0.99).toFixed(2)}`;
    console.log(
      `| ${what} | ${show(found)} | ${show(bare)} | ${(shareOf(found, 0.5) / shareOf(bare, 0.5)).toFixed(2)} |`,
    );
  }
}

const dataDir = mkdtempSync(join(tmpdir(), 'agora-bench-'));
const database = await openDatabase({ ...readConfig({}), AGORA_DATA_DIR: dataDir }, createLog('error'));
try {
  await onDatabase(database.url, (client) => client.query('create database bench_search'));
  const url = database.url.replace(/\/[^/]*$/, '/bench_search');
  await migrated(url);
  const { agentIds, words } = await populate(url, Number(options.agents), { forSearch: true });
  console.log(`${options.agents} agents are there`);
  const cli = fileURLToPath(new URL('../../packages/cli/dist/main.js', import.meta.url));
  const server = await startServer(['--max-semi-space-size=64', cli, 'serve'], {
    ...highLimits,
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'warn',
    AGORA_DATA_DIR: join(dataDir, 'server'),
    DATABASE_URL: url,
  });
  try {
    const { lines, all, plain } = await ask(server.port, agentIds, words);
    const writes = await timeWrites(server.port, url, Number(options.writes));
    print([...lines, all, plain], plain, writes);
    if (!options['dry-run']) {
      console.log(`\n${keepResults('search', { options, lines, all, plain, writes })} written`);
    }
  } finally {
    await server.stop();
  }
} finally {
  connection.destroy();
  await database.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
