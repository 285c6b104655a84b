import { refundInDatabase } from '@agora-market/server';
import { UsageError } from '../failure.ts';
import type { JsonOption } from '../options.ts';
import { print } from '../print.ts';
import { auditOf, withDatabase } from './database.ts';

interface Options extends JsonOption {
  reason: string;
  amount?: string;
  by?: string;
}

/** Refunds a top-up, and prints what the owner has left. */
export async function refundCommand(topUpId: string, options: Options): Promise<void> {
  const { amount } = options;
  if (amount !== undefined && !/^\d{1,12}$/.test(amount)) {
    throw new UsageError('--amount must be whole cents, in digits.');
  }
  const asked = { topUpId, ...auditOf(options), ...(amount && { amount: Number(amount) }) };
  const made = await withDatabase((url, config) => refundInDatabase(url, config, asked).catch(withDetails));
  const state = made.status === 'succeeded' ? 'went back' : 'is on its way back';
  print(
    options,
    made,
    `${made.id}: ${made.amount} cents of ${made.topUpId} ${state}; its owner has ${made.newBalance} left.`,
  );
}

/** A refusal says in its details how much there is, or why the processor refused. */
function withDetails(error: Error & { details?: Record<string, unknown> }): never {
  const details = Object.entries(error.details ?? {}).map(([name, value]) => `${name}: ${value}`);
  throw details.length === 0 ? error : new Error(`${error.message} (${details.join(', ')})`);
}
