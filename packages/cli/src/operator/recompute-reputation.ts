import { recomputeInDatabase } from '@agora-market/server';
import { exitCodes } from '../failure.ts';
import type { JsonOption } from '../options.ts';
import { print } from '../print.ts';
import { showProgress } from '../progress.ts';
import { withDatabase } from './database.ts';

/** Computes all reputations anew from the event log, and prints which stored values differ. */
export async function recomputeReputationCommand(options: JsonOption & { write?: boolean }): Promise<void> {
  const progress = (seq: number, until: number) => showProgress(seq, until, `${until} events`);
  const result = await withDatabase((url) => recomputeInDatabase(url, { write: options.write === true, progress }));
  const differing = Object.entries(result.differing);
  print(options, result, () =>
    [
      ...result.differences.map(
        ({ table, stored, recomputed }) =>
          `${table}\n  stored     ${JSON.stringify(stored)}\n  recomputed ${JSON.stringify(recomputed)}`,
      ),
      ...differing.map(([table, count]) => `${table}: ${count} rows ${options.write ? 'replaced' : 'differ'}`),
      ...(differing.length === 0 ? [`All stored values of ${result.agents} agents are what the event log says.`] : []),
    ].join('\n'),
  );
  if (differing.length > 0 && !options.write) process.exitCode = exitCodes.failed;
}
