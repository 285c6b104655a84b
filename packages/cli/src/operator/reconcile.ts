import { reconcileDatabase } from '@agora-market/server';
import { exitCodes } from '../failure.ts';
import type { JsonOption } from '../options.ts';
import { print } from '../print.ts';
import { withDatabase } from './database.ts';

const processors = {
  checked: (records: number) => `compared ${records} records of the payment processor`,
  unreachable: () => 'could not reach the payment processor',
  not_configured: () => 'have no payment processor to compare with',
};

/** Reconciles, and prints every finding that nobody has cleared. */
export async function reconcileCommand(options: JsonOption): Promise<void> {
  const { run, open } = await withDatabase(reconcileDatabase);
  print(options, { ...run, open }, () =>
    [
      ...open.map(
        ({ id, kind, subject, here, there }) =>
          `OPEN   ${id} ${kind} of ${subject}: ${here ?? 'nothing'} here, ${there ?? 'nothing'} there`,
      ),
      `Recomputed ${run.accounts} balances; ${processors[run.processor](run.records)}.`,
      ...(run.settled > 0 ? [`Booked ${run.settled} of them that had been missing or out of date here.`] : []),
      open.length === 0 ? 'Nothing is open.' : `${open.length} findings are open, ${run.raised} of them new.`,
    ].join('\n'),
  );
  if (open.length > 0) process.exitCode = exitCodes.failed;
}
