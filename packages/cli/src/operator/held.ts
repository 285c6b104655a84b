import { decideHeldInDatabase, listHeldInDatabase } from '@agora/server';
import type { JsonOption } from '../options.ts';
import { money, print, table } from '../print.ts';
import { auditOf, withDatabase } from './database.ts';

/** Prints what waits for the operator. */
export async function listHeldCommand(options: JsonOption): Promise<void> {
  const held = await withDatabase(listHeldInDatabase);
  print(options, held, () =>
    table(
      ['payment', 'since (UTC)', 'kind', 'amount', 'owner', 'reason'],
      held.map(({ id, heldAt, kind, amount, ownerId, reason }) => [
        id,
        heldAt.slice(0, 19).replace('T', ' '),
        kind,
        money(amount),
        ownerId,
        reason,
      ]),
    ),
  );
}

interface Options extends JsonOption {
  reason: string;
  by?: string;
}

/** Releases or refuses a held payment. */
export async function decideHeldCommand(id: string, verb: 'release' | 'refuse', options: Options): Promise<void> {
  const asked = { heldPaymentId: id, verb, ...auditOf(options) };
  const decided = await withDatabase((url) => decideHeldInDatabase(url, asked));
  print(options, decided, `${decided.id}: the ${decided.kind} of ${money(decided.amount)} is ${decided.status}.`);
}
