import { createLog, openDatabase, readConfig, verifyLedger } from '@agora/server';

/** Prints every check and the rows that contradict it. */
export async function verifyLedgerCommand(options: { json?: boolean }): Promise<void> {
  // A check must not make the database it is to check.
  const database = await openDatabase(readConfig(), createLog('warn'), { mustExist: true });
  try {
    await printChecks(database.url, options);
  } finally {
    await database.stop();
  }
}

/** The process exits 1 later if a check finds contradictions. */
export async function printChecks(databaseUrl: string, options: { json?: boolean }): Promise<void> {
  const checks = await verifyLedger(databaseUrl).catch((error: Error & { code?: string }) => {
    if (error.code !== '42P01') throw error;
    throw new Error('This database has no ledger: Agora never ran on it. Check DATABASE_URL or AGORA_DATA_DIR.');
  });
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
}
