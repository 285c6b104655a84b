import { Writable } from 'node:stream';
import { pino } from 'pino';
import type { Matter } from '../../../src/gate/judge/brief.ts';
import { createLanguageJudge, type LanguageJudgeOptions } from '../../../src/gate/judge/language-judge.ts';
import { manualClock } from '../../../src/platform/index.ts';

/** A matter that the rules leave open. */
export const matter: Matter = {
  taskType: 'research',
  input: { description: 'Compare two ledgers', acceptance: { rubric: 'Names both' } },
  output: { result: 'Ledger A is append-only; ledger B is not.' },
  criteria: [{ name: 'output', score: 60, evidence: 'The output is present; by itself it proves nothing.' }],
  files: [],
};

export const payer = '00000000-0000-7000-8000-00000000000a';

export const apiKey = 'judge-key-that-nobody-may-see';

/** A judge at that address without pauses, its clock, the milliseconds that it waits for at most, its log and its stop. */
export function judgeAt(url: string, more: Partial<LanguageJudgeOptions> = {}) {
  const clock = manualClock('2026-11-21T12:00:00.000Z');
  const waits: number[] = [];
  const lines: string[] = [];
  const log = pino(
    { level: 'trace' },
    new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk));
        done();
      },
    }),
  );
  const stop = new AbortController();
  const judge = createLanguageJudge({
    endpoint: { baseUrl: url, apiKey, model: 'a-model' },
    maxChars: 20_000,
    maxTokensADay: 0,
    ownerPercent: 100,
    callMs: 2_000,
    totalMs: 5_000,
    backoffMs: 0,
    clock: {
      ...clock,
      after(ms, act) {
        waits.push(ms);
        return clock.after(ms, act);
      },
    },
    log,
    stopping: stop.signal,
    // Without a limit nothing is counted.
    db: { query: () => Promise.reject(new Error('no database')) } as never,
    ...more,
  });
  return { ask: (ownerId = payer) => judge.opinionOn(matter, ownerId), judge, clock, waits, lines, stop };
}
