import { userInfo } from 'node:os';
import { clearWalletFlag, createLog, openDatabase, readConfig } from '@agora/server';

/** Removes the flag of a wallet and prints what was cleared. */
export async function clearFlagCommand(agentId: string, options: { reason: string; by?: string }): Promise<void> {
  const reason = options.reason.trim();
  if (reason === '') throw new Error('--reason must say why the wallet is in order.');
  const database = await openDatabase(readConfig(), createLog('warn'), { mustExist: true });
  try {
    const by = options.by ?? userInfo().username;
    const flag = await clearWalletFlag(database.url, { agentId, reason, by });
    console.log(`The wallet of ${agentId} is cleared by ${by}; it was flagged at ${flag.foundAt} for ${flag.reason}.`);
  } finally {
    await database.stop();
  }
}
