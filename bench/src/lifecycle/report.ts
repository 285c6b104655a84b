import { shown, spreadOf } from '../measure/results.ts';
import type { Load } from './client.ts';
import type { ContenderName } from './contenders.ts';
import type { Writes } from './writes.ts';

/** One contender's turn in one round. */
export interface Turn {
  round: number;
  mode: Load['mode'];
  contender: ContenderName;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** CPU time per lifecycle, in µs. */
  cpuMicros: { server: number; postgres: number; client: number };
  /** Of one lifecycle; null if nothing is stored. */
  writes: Writes | null;
  eachSecond: number[];
}

/** The least rate, as a multiple of the naive build's. */
const rateTargets = { spread: 6.5, hot: 12 };
/** The most CPU time of the server, as a multiple of the floor's. */
const floorTarget = 2.5;

const of = (turns: Turn[], mode: Load['mode'], contender: ContenderName) =>
  turns.filter((turn) => turn.mode === mode && turn.contender === contender);

/** Ratios within a round: other work on the machine affected both alike. */
export function ratiosOf(turns: Turn[]) {
  const ratios = (mode: Load['mode'], against: ContenderName, value: (turn: Turn) => number) =>
    of(turns, mode, 'agora').flatMap((mine) => {
      const other = of(turns, mode, against).find(({ round }) => round === mine.round);
      return other ? [value(mine) / value(other)] : [];
    });
  return (['spread', 'hot'] as const).flatMap((mode) => {
    const rate = ratios(mode, 'naive', (turn) => turn.perSecond);
    const cpu = ratios(mode, 'floor', (turn) => turn.cpuMicros.server);
    return [
      {
        mode,
        what: 'rate, agora / naive',
        values: rate,
        goal: `≥ ${rateTargets[mode]}`,
        meets: (median: number) => median >= rateTargets[mode],
      },
      {
        mode,
        what: 'server CPU, agora / floor',
        values: cpu,
        goal: `≤ ${floorTarget}`,
        meets: (median: number) => median <= floorTarget,
      },
    ].flatMap(({ values, meets, ...row }) => {
      if (values.length === 0) return [];
      const ratio = spreadOf(values);
      return [{ ...row, ratio, isMet: meets(ratio.median) }];
    });
  });
}

export function summaryOf(turns: Turn[]) {
  const keys = [...new Set(turns.map(({ mode, contender }) => `${mode} ${contender}`))];
  return keys.map((key) => {
    const [mode, contender] = key.split(' ') as [Load['mode'], ContenderName];
    const mine = of(turns, mode, contender);
    const median = (value: (turn: Turn) => number) => spreadOf(mine.map(value)).median;
    return {
      mode,
      contender,
      perSecond: spreadOf(mine.map((turn) => turn.perSecond)),
      p50Ms: median((turn) => turn.p50Ms),
      p99Ms: median((turn) => turn.p99Ms),
      cpuMicros: {
        server: median((turn) => turn.cpuMicros.server),
        postgres: median((turn) => turn.cpuMicros.postgres),
        client: median((turn) => turn.cpuMicros.client),
      },
      writes: mine.at(-1)?.writes && {
        rows: median((turn) => turn.writes?.rows ?? 0),
        indexEntries: median((turn) => turn.writes?.indexEntries ?? 0),
        walBytes: median((turn) => turn.writes?.walBytes ?? 0),
      },
    };
  });
}

export function printReport(turns: Turn[]): void {
  console.log('\nlifecycles/s: median (lowest – highest round); CPU in µs a lifecycle');
  for (const { mode, contender, perSecond, p50Ms, p99Ms, cpuMicros } of summaryOf(turns)) {
    const cpu = `${cpuMicros.server.toFixed(0)} / ${cpuMicros.postgres.toFixed(0)} / ${cpuMicros.client.toFixed(0)}`;
    console.log(
      `${mode.padEnd(7)} ${contender.padEnd(8)} ${shown(perSecond).padEnd(24)} p50 ${p50Ms.toFixed(1)} ms, ` +
        `p99 ${p99Ms.toFixed(1)} ms; CPU server / PostgreSQL / client ${cpu}`,
    );
  }
  for (const { mode, contender, writes } of summaryOf(turns)) {
    if (!writes) continue;
    const { rows, indexEntries, walBytes } = writes;
    const each = `${rows.toFixed(1)} rows, ${indexEntries.toFixed(1)} index entries, ${walBytes.toFixed(0)} bytes of WAL`;
    console.log(`${mode.padEnd(7)} ${contender.padEnd(8)} ${each}`);
  }
  for (const { mode, what, ratio, goal, isMet } of ratiosOf(turns)) {
    console.log(`${mode.padEnd(7)} ${what.padEnd(26)} ${shown(ratio, 2)} goal ${goal}: ${isMet ? 'met' : 'MISSED'}`);
  }
}
