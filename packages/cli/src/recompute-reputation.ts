import { createLog, openDatabase, readConfig, recomputeInDatabase } from '@agora/server';
import { showProgress } from './progress.ts';

/** Computes all reputations anew from the event log, and prints which stored values differ. */
export async function recomputeReputationCommand(options: { write?: boolean; json?: boolean }): Promise<void> {
  const config = readConfig();
  const database = await openDatabase(config, createLog('warn'), { mustExist: true });
  try {
    const progress = (seq: number, until: number) => showProgress(seq, until, `${until} events`);
    const result = await recomputeInDatabase(database.url, { write: options.write === true, progress });
    const differing = Object.entries(result.differing);
    if (options.json) console.log(JSON.stringify(result, null, 2));
    else {
      for (const { table, stored, recomputed } of result.differences) {
        console.log(`${table}\n  stored     ${JSON.stringify(stored)}\n  recomputed ${JSON.stringify(recomputed)}`);
      }
      for (const [table, count] of differing)
        console.log(`${table}: ${count} rows ${options.write ? 'replaced' : 'differ'}`);
      if (differing.length === 0)
        console.log(`All stored values of ${result.agents} agents are what the event log says.`);
    }
    if (differing.length > 0 && !options.write) process.exitCode = 1;
  } finally {
    await database.stop();
  }
}
