import { decideHeldInDatabase, listHeldInDatabase } from '@agora-market/server';
import type { JsonOption } from '../options.ts';
import { money, print, table } from '../print.ts';
import { auditOf, withDatabase } from './database.ts';

const shown = 100;

/** Prints what waits for the operator, the longest first. */
export async function listHeldCommand(options: JsonOption): Promise<void> {
  const found = await withDatabase((url) => listHeldInDatabase(url, shown + 1));
  const held = found.slice(0, shown);
  const more = found.length > shown ? `\nMore are waiting. These ${shown} wait the longest.` : '';
  const rows = () =>
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
    );
  print(options, held, () => rows() + more);
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
