import { withServer } from '../connection.ts';
import { UsageError } from '../failure.ts';
import type { ServerOptions } from '../options.ts';
import { print, safeLine, table } from '../print.ts';
import { type PageOptions, printPages } from './command.ts';

/** What the test processor always accepts. */
const testCard = 'pm_card_visa';

interface Card {
  id: string;
  brand: string;
  last4: string;
  expMonth: number;
  expYear: number;
  isDefault: boolean;
}

const said = ({ id, brand, last4 }: Card): string => `${safeLine(brand)} ending in ${safeLine(last4)} (${id})`;

export const listCardsCommand = (options: PageOptions): Promise<void> =>
  withServer(options, (agora) =>
    printPages(
      options,
      (page) => agora.vault.listPaymentMethods(page),
      (cards) => {
        const rows = cards.map((card) => [
          card.isDefault ? '*' : '',
          card.id,
          safeLine(card.brand),
          safeLine(card.last4),
          `${card.expMonth}/${card.expYear}`,
        ]);
        return table(['', 'card', 'brand', 'ends in', 'valid to'], rows);
      },
    ),
  );

export async function addCardCommand(
  given: string | undefined,
  options: ServerOptions & { test?: boolean },
): Promise<void> {
  if ((given === undefined) !== (options.test === true)) {
    throw new UsageError('Give the id of a card (pm_…), or --test for the card of the test processor.');
  }
  await withServer(options, async (agora) => {
    const card = await agora.vault.addPaymentMethod({ paymentMethodId: given ?? testCard });
    print(options, card, `Saved ${said(card)}.`);
  });
}

export const defaultCardCommand = (id: string, options: ServerOptions): Promise<void> =>
  withServer(options, async (agora) => {
    const card = await agora.vault.setDefaultPaymentMethod(id);
    print(options, card, `${said(card)} is charged from now on.`);
  });

export const removeCardCommand = (id: string, options: ServerOptions): Promise<void> =>
  withServer(options, async (agora) => {
    await agora.vault.removePaymentMethod(id);
    print(options, { removed: id }, `${id} is removed.`);
  });
