import { createLog, openDatabase, readConfig, recomputeInDatabase } from '@agora/server';

const width = 40;

/** A bar on a terminal's last line; nothing where nobody looks. */
function showProgress(seq: number, until: number): void {
  if (!process.stderr.isTTY) return;
  const share = until === 0 ? 1 : seq / until;
  const done = Math.floor(share * width);
  const bar = `${'#'.repeat(done)}${'.'.repeat(width - done)}`;
  process.stderr.write(`\r[${bar}] ${Math.floor(share * 100)} % of ${until} events${share === 1 ? '\n' : ''}`);
}

/** Computes all reputations anew from the event log, and prints which stored values differ. */
export async function recomputeReputationCommand(options: { write?: boolean; json?: boolean }): Promise<void> {
  const config = readConfig();
  const database = await openDatabase(config, createLog('warn'), { mustExist: true });
  try {
    const result = await recomputeInDatabase(database.url, { write: options.write === true, progress: showProgress });
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
