import { userInfo } from 'node:os';
import { createLog, openDatabase, readConfig, refundInDatabase } from '@agora/server';

interface Options {
  reason: string;
  amount?: string;
  by?: string;
}

/** Refunds a top-up, and prints what the owner has left. */
export async function refundCommand(topUpId: string, { reason, amount, by }: Options): Promise<void> {
  if (amount !== undefined && !/^\d{1,12}$/.test(amount)) throw new Error('--amount must be whole cents, in digits.');
  const config = readConfig();
  const database = await openDatabase(config, createLog('warn'), { mustExist: true });
  const asked = { topUpId, reason, by: by ?? userInfo().username, ...(amount && { amount: Number(amount) }) };
  try {
    const made = await refundInDatabase(database.url, config, asked).catch(withDetails);
    const state = made.status === 'succeeded' ? 'went back' : 'is on its way back';
    console.log(`${made.id}: ${made.amount} cents of ${made.topUpId} ${state}; its owner has ${made.newBalance} left.`);
  } finally {
    await database.stop();
  }
}

/** A refusal says in its details how much there is, or why the processor refused. */
function withDetails(error: Error & { details?: Record<string, unknown> }): never {
  const details = Object.entries(error.details ?? {}).map(([name, value]) => `${name}: ${value}`);
  throw details.length === 0 ? error : new Error(`${error.message} (${details.join(', ')})`);
}
