import { createLog, openDatabase, readConfig, reconcileDatabase } from '@agora/server';

const processors = {
  checked: (records: number) => `compared ${records} records of the payment processor`,
  unreachable: () => 'could not reach the payment processor',
  not_configured: () => 'have no payment processor to compare with',
};

/** Reconciles, and prints every finding that nobody has cleared. */
export async function reconcileCommand(options: { json?: boolean }): Promise<void> {
  const config = readConfig();
  const database = await openDatabase(config, createLog('warn'), { mustExist: true });
  try {
    const { run, open } = await reconcileDatabase(database.url, config);
    if (options.json) console.log(JSON.stringify({ ...run, open }, null, 2));
    else {
      for (const { id, kind, subject, here, there } of open) {
        console.log(`OPEN   ${id} ${kind} of ${subject}: ${here ?? 'nothing'} here, ${there ?? 'nothing'} there`);
      }
      console.log(`Recomputed ${run.accounts} balances; ${processors[run.processor](run.records)}.`);
      if (run.settled > 0) console.log(`Booked ${run.settled} of them that had been missing or out of date here.`);
      console.log(
        open.length === 0 ? 'Nothing is open.' : `${open.length} findings are open, ${run.raised} of them new.`,
      );
    }
    if (open.length > 0) process.exitCode = 1;
  } finally {
    await database.stop();
  }
}
