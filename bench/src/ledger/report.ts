import { shown, spreadOf } from '../measure/results.ts';
import type { StatementTimes } from './statement.ts';
import type { Mode, Turn } from './turn.ts';

/** Targets of the step writer relative to the plain ledger, as the lowest ratio. */
const targets: Record<Mode, number> = { spread: 12, hot: 30 };

const modesOf = (turns: Turn[]) => [...new Set(turns.map(({ mode }) => mode))];
const medianOf = (turns: Turn[], value: (turn: Turn) => number) => spreadOf(turns.map(value)).median;

export function summaryOf(turns: Turn[]) {
  const keys = [...new Set(turns.map(({ mode, contender, callers }) => `${mode} ${contender} ${callers}`))];
  return keys.map((key) => {
    const mine = turns.filter(({ mode, contender, callers }) => `${mode} ${contender} ${callers}` === key);
    const { mode, contender, callers } = mine[0] as Turn;
    return {
      mode,
      contender,
      callers,
      perSecond: spreadOf(mine.map((turn) => turn.perSecond)),
      cpuMicros: {
        client: medianOf(mine, (turn) => turn.cpuMicros.client),
        postgres: medianOf(mine, (turn) => turn.cpuMicros.postgres),
      },
    };
  });
}

const cpuOf = ({ cpuMicros }: Turn) => cpuMicros.client + cpuMicros.postgres;

/** Ratios within a round to the plain ledger with so many callers, and to the best of these. */
export function ratiosOf(turns: Turn[]) {
  return modesOf(turns).flatMap((mode) => {
    const inMode = turns.filter((turn) => turn.mode === mode);
    const mine = inMode.filter(({ contender }) => contender === 'agora');
    const others = inMode.filter(({ contender }) => contender !== 'agora');
    const counts = [...new Set(others.map(({ callers }) => callers))];
    const against = (name: string, from: (turn: Turn) => boolean, target?: number) => {
      const best = ({ round }: Turn) =>
        others
          .filter((turn) => turn.round === round && from(turn))
          .reduce((a, b) => (a.perSecond >= b.perSecond ? a : b));
      return {
        mode,
        against: name,
        ratio: spreadOf(mine.map((turn) => turn.perSecond / best(turn).perSecond)),
        cpuRatio: spreadOf(mine.map((turn) => cpuOf(best(turn)) / cpuOf(turn))),
        target,
      };
    };
    return [
      against('plain at its best', () => true, targets[mode]),
      ...counts.map((count) => against(`plain with ${count}`, ({ callers }) => callers === count)),
    ];
  });
}

export function printReport(turns: Turn[]): void {
  console.log('\ntransfers/s: median (lowest – highest round); CPU in µs a transfer');
  for (const { mode, contender, callers, perSecond, cpuMicros } of summaryOf(turns)) {
    const cpu = `${cpuMicros.client.toFixed(0)} / ${cpuMicros.postgres.toFixed(0)}`;
    const name = `${mode.padEnd(7)} ${contender} with ${callers}`;
    console.log(`${name.padEnd(26)} ${shown(perSecond).padEnd(26)} CPU Node / PostgreSQL ${cpu}`);
  }
  for (const { mode, against, ratio, cpuRatio, target } of ratiosOf(turns)) {
    const verdict = target === undefined ? '' : `  target ≥ ${target}: ${ratio.median >= target ? 'met' : 'MISSED'}`;
    const name = `${mode.padEnd(7)} agora / ${against}`;
    console.log(`${name.padEnd(36)} ${shown(ratio, 1)}, in CPU ${shown(cpuRatio, 1)}${verdict}`);
  }
}

/** How much longer the first page of a long history may take than that of a short one. */
const statementTarget = 2;

export function printStatements(times: StatementTimes[]): void {
  console.log('\nfirst page of a statement, µs: median (shortest – longest)');
  for (const { entries, micros } of times) console.log(`${String(entries).padStart(9)} entries  ${shown(micros)}`);
  const [long, short] = times;
  if (!long || !short) return;
  const ratio = long.micros.median / short.micros.median;
  const verdict = ratio <= statementTarget ? 'met' : 'MISSED';
  console.log(`long / short ${ratio.toFixed(2)}  target ≤ ${statementTarget}: ${verdict}`);
}
