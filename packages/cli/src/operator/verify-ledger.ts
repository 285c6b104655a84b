import { type LedgerCheck, verifyLedger } from '@agora-market/server';
import { exitCodes } from '../failure.ts';
import type { JsonOption } from '../options.ts';
import { print } from '../print.ts';
import { withDatabase } from './database.ts';

/** Prints every check and the rows that contradict it. A check must not make the database it is to check. */
export async function verifyLedgerCommand(options: JsonOption): Promise<void> {
  const checks = await withDatabase(checkLedger);
  print(options, checks, () => saidOf(checks));
}

/** The process exits 1 later if a check finds contradictions. */
export async function checkLedger(databaseUrl: string): Promise<LedgerCheck[]> {
  const checks = await verifyLedger(databaseUrl).catch((error: Error & { code?: string }) => {
    if (error.code !== '42P01') throw error;
    throw new Error('This database has no ledger: Agora never ran on it. Check DATABASE_URL or AGORA_DATA_DIR.');
  });
  if (checks.some(({ broken }) => broken.length > 0)) process.exitCode = exitCodes.failed;
  return checks;
}

/** One line for each check, with what contradicts it, and the sum of them. */
export function saidOf(checks: readonly LedgerCheck[]): string {
  const broken = checks.filter((check) => check.broken.length > 0).length;
  return [
    ...checks.flatMap((check) => [
      `${check.broken.length === 0 ? 'ok    ' : 'BROKEN'} ${check.name}`,
      ...check.broken.map((row) => `       ${JSON.stringify(row)}`),
    ]),
    broken === 0 ? 'The ledger is clean.' : `${broken} checks found contradictions.`,
  ].join('\n');
}
