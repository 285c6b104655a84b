import { createLog, openDatabase, readConfig, verifyLedger } from '@agora/server';

/** Prints every check and what contradicts it. */
export async function verifyLedgerCommand(options: { json?: boolean }): Promise<void> {
  const database = await openDatabase(readConfig(), createLog('warn'));
  try {
    const checks = await verifyLedger(database.url);
    if (options.json) console.log(JSON.stringify(checks, null, 2));
    else {
      for (const { name, broken } of checks) {
        console.log(`${broken.length === 0 ? 'ok    ' : 'BROKEN'} ${name}`);
        for (const row of broken) console.log(`       ${JSON.stringify(row)}`);
      }
    }
    const broken = checks.filter((check) => check.broken.length > 0);
    if (broken.length > 0) process.exitCode = 1;
    if (!options.json) {
      console.log(broken.length === 0 ? 'The ledger is clean.' : `${broken.length} checks found contradictions.`);
    }
  } finally {
    await database.stop();
  }
}
