import { shown, spreadOf } from '../measure/results.ts';
import type { Load } from './client.ts';
import type { ContenderName } from './contenders.ts';

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
  eachSecond: number[];
}

/** What the server must reach, as the least ratio. */
const targets: { mode: Load['mode']; against: ContenderName; atLeast: number }[] = [
  { mode: 'spread', against: 'naive', atLeast: 8 },
  { mode: 'hot', against: 'naive', atLeast: 12 },
  { mode: 'spread', against: 'stubbed', atLeast: 0.75 },
];

const of = (turns: Turn[], mode: Load['mode'], contender: ContenderName) =>
  turns.filter((turn) => turn.mode === mode && turn.contender === contender);

/** Ratios within a round: what the machine did meanwhile met both alike. */
export function ratiosOf(turns: Turn[]) {
  return (['spread', 'hot'] as const).flatMap((mode) =>
    (['naive', 'stubbed'] as const).flatMap((against) => {
      const values = of(turns, mode, 'agora').flatMap((mine) => {
        const other = of(turns, mode, against).find(({ round }) => round === mine.round);
        return other ? [mine.perSecond / other.perSecond] : [];
      });
      const target = targets.find((each) => each.mode === mode && each.against === against)?.atLeast;
      return values.length > 0 ? [{ mode, against, ratio: spreadOf(values), target }] : [];
    }),
  );
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
  for (const { mode, against, ratio, target } of ratiosOf(turns)) {
    const verdict = target === undefined ? '' : ` target ≥ ${target}: ${ratio.median >= target ? 'met' : 'MISSED'}`;
    console.log(`${mode.padEnd(7)} agora / ${against.padEnd(8)} ${shown(ratio, 2)}${verdict}`);
  }
}
