import { clearWalletFlag } from '@agora-market/server';
import type { JsonOption } from '../options.ts';
import { print } from '../print.ts';
import { auditOf, withDatabase } from './database.ts';

/** Removes the flag of a wallet and prints what was cleared. */
export async function clearFlagCommand(
  agentId: string,
  options: JsonOption & { reason: string; by?: string },
): Promise<void> {
  const audit = auditOf(options);
  const flag = await withDatabase((url) => clearWalletFlag(url, { agentId, ...audit }));
  print(
    options,
    { agentId, by: audit.by, cleared: flag },
    `The wallet of ${agentId} is cleared by ${audit.by}; it was flagged at ${flag.foundAt} for ${flag.reason}.`,
  );
}
