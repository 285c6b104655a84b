import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { residentMiB } from './measure/cpu.ts';
import { startServer } from './measure/process.ts';
import { keepResults, shown, spreadOf } from './measure/results.ts';

/**
 * Measures how long the shipped server takes from spawn to ready with its embedded PostgreSQL, and its memory when
 * idle.
 */

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    /** Seconds before memory is read. */
    idle: { type: 'string', default: '10' },
    'dry-run': { type: 'boolean', default: false },
  },
});
/** As `npm start` and the command start it: they keep what Node compiled for the next start. */
const serve = [
  '--max-semi-space-size=64',
  fileURLToPath(new URL('../../packages/cli/bin/agora.mjs', import.meta.url)),
  'serve',
];

interface Run {
  newMs: number;
  existingMs: number;
  idleMiB: number;
}

async function run(): Promise<Run> {
  const dataDir = mkdtempSync(join(tmpdir(), 'agora-bench-'));
  const env = { AGORA_DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'warn' };
  const start = () => startServer(serve, env);
  try {
    const first = await start();
    await first.stop();
    const second = await start();
    await sleep(Number(options.idle) * 1000);
    const idleMiB = residentMiB(second.pid);
    await second.stop();
    return { newMs: first.readyMs, existingMs: second.readyMs, idleMiB };
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const runs: Run[] = [];
for (let nth = 1; nth <= Number(options.runs); nth++) {
  const measured = await run();
  runs.push(measured);
  const { newMs, existingMs, idleMiB } = measured;
  console.log(
    `run ${nth}: new ${newMs.toFixed(0)} ms, existing ${existingMs.toFixed(0)} ms, idle ${idleMiB.toFixed(0)} MiB`,
  );
}

const targets = { newMs: 6000, existingMs: 3000, idleMiB: 200 } as const;
const names = {
  newMs: 'start on a new data directory, ms',
  existingMs: 'start on an existing one, ms',
  idleMiB: 'idle server process, MiB',
};
const summary = Object.entries(targets).map(([key, atMost]) => {
  const figure = spreadOf(runs.map((each) => each[key as keyof Run]));
  const name = names[key as keyof Run];
  console.log(`${name.padEnd(36)} ${shown(figure)}  target ≤ ${atMost}: ${figure.median <= atMost ? 'met' : 'MISSED'}`);
  return { name, ...figure, atMost };
});
if (!options['dry-run']) console.log(`\n${keepResults('startup', { summary, runs })} written`);
