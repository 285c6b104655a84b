import { describe, expect, test } from 'vitest';
import { refusalOf } from '../api/scene.ts';
import { idOf } from './books.ts';
import { newCard } from './customer-objects.ts';
import { enterCard } from './fake-card-pages.ts';
import { confirmSetup, deleteCustomer } from './fake-customers.ts';
import { stripeScene } from './scene.ts';

const scene = stripeScene();

describe('cards', () => {
  test('a card saved in a browser through the setup flow is attached already, and is charged', async () => {
    const owner = await scene.server.owner({ credits: 0 });
    const { clientSecret, processor } = await owner.agora.vault.setUpPaymentMethod();
    expect([processor, clientSecret]).toEqual(['stripe', expect.stringMatching(/^seti_.*_secret_/)]);
    const paymentMethodId = confirmSetup(scene.stripe.books, clientSecret);
    const saved = await owner.agora.vault.addPaymentMethod({ paymentMethodId });
    expect(saved).toEqual({
      id: paymentMethodId,
      brand: 'visa',
      last4: '4242',
      expMonth: 8,
      expYear: 2031,
      isDefault: true,
    });
    expect(await owner.agora.vault.topUp({ amount: 700 })).toEqual({ newBalance: 700, amountCharged: 700 });
    expect(await scene.chargesOf(owner)).toEqual([700]);
  });

  test("a card entered on the processor's own page is saved by what the page adds to the address", async () => {
    const owner = await scene.server.owner({ credits: 0 });
    const returnUrl = 'https://agora.example/vault?tab=top-up#cards';
    const { url, expiresAt } = await owner.agora.vault.openPaymentMethodPage({ returnUrl });
    expect(Date.parse(expiresAt)).toBeGreaterThan(scene.server.clock.now().getTime());
    const back = new URL(enterCard(scene.stripe.books, url));
    expect([back.origin, back.pathname, back.searchParams.get('tab')]).toEqual([
      'https://agora.example',
      '/vault',
      'top-up',
    ]);
    const paymentMethodId = back.searchParams.get('paymentMethodId') as string;
    const saved = await owner.agora.vault.addPaymentMethod({ paymentMethodId });
    expect(saved).toMatchObject({ id: expect.stringMatching(/^pm_/), last4: '4242', isDefault: true });
    expect(await refusalOf(owner.agora.vault.addPaymentMethod({ paymentMethodId }))).toBe('409 DUPLICATE');
    expect(await owner.agora.vault.topUp({ amount: 700 })).toMatchObject({ newBalance: 700 });
  });

  test('a page on which nothing was entered, one of another owner and an unknown one save no card', async () => {
    const [holder, thief] = [await scene.server.owner({ credits: 0 }), await scene.payer()];
    const open = async () => {
      const { url } = await holder.agora.vault.openPaymentMethodPage({ returnUrl: 'https://agora.example/' });
      return url;
    };
    const [left, entered] = [await open(), await open()];
    const idOfPage = (url: string) => url.split('/').at(-1) as string;
    enterCard(scene.stripe.books, entered);
    for (const [owner, paymentMethodId] of [
      [holder, idOfPage(left)],
      [thief, idOfPage(entered)],
      [holder, 'cs_test_unknown'],
    ] as const) {
      const refusal = await refusalOf(owner.agora.vault.addPaymentMethod({ paymentMethodId }));
      expect(`${paymentMethodId}: ${refusal}`).toBe(`${paymentMethodId}: 400 CARD_DECLINED`);
    }
    expect((await holder.agora.vault.listPaymentMethods()).data).toEqual([]);
  });

  test('an owner has one customer, also when two requests make it at once', async () => {
    const owner = await scene.server.owner({ credits: 0 });
    const before = scene.stripe.books.customers.size;
    await Promise.all([1, 2, 3].map(() => owner.agora.vault.setUpPaymentMethod()));
    expect(scene.stripe.books.customers.size).toBe(before + 1);
  });

  test("another owner's card, an unknown one and one that its bank refuses are CARD_DECLINED and not saved", async () => {
    const [holder, thief] = [await scene.payer(), await scene.server.owner({ credits: 0 })];
    const [card] = (await holder.agora.vault.listPaymentMethods()).data;
    for (const paymentMethodId of [
      card?.id as string,
      'pm_nope',
      newCard(scene.stripe.books, 'cannot be saved'),
      'pm/../x?y',
    ]) {
      const refusal = await refusalOf(thief.agora.vault.addPaymentMethod({ paymentMethodId }));
      expect(`${paymentMethodId}: ${refusal}`).toBe(`${paymentMethodId}: 400 CARD_DECLINED`);
    }
    expect((await thief.agora.vault.listPaymentMethods()).data).toEqual([]);
  });

  test('the default can be chosen, and the newest card follows one that is removed', async () => {
    const owner = await scene.payer();
    const { vault } = owner.agora;
    const save = async () => {
      scene.server.clock.advance(1000);
      return (await vault.addPaymentMethod({ paymentMethodId: newCard(scene.stripe.books) })).id;
    };
    const first = (await vault.listPaymentMethods()).data[0]?.id as string;
    const [second, third] = [await save(), await save()];
    const defaults = async () => (await vault.listPaymentMethods()).data.map(({ id, isDefault }) => [id, isDefault]);
    expect(await vault.setDefaultPaymentMethod(second)).toMatchObject({ id: second, isDefault: true });
    expect(await defaults()).toEqual([
      [first, false],
      [second, true],
      [third, false],
    ]);
    await vault.removePaymentMethod(second);
    expect(await defaults()).toEqual([
      [first, false],
      [third, true],
    ]);
    expect(scene.stripe.books.methods.get(second)?.customer).toBeNull();
    expect(await refusalOf(vault.removePaymentMethod(second))).toBe('404 PAYMENT_METHOD_NOT_FOUND');
    expect(await refusalOf(vault.setDefaultPaymentMethod(second))).toBe('404 PAYMENT_METHOD_NOT_FOUND');
    await vault.removePaymentMethod(third);
    await vault.removePaymentMethod(first);
    expect(await refusalOf(vault.topUp({ amount: 500 }))).toBe('400 NO_PAYMENT_METHOD');
  });

  test('a card is removed while Stripe is away, and is detached there by the sweep', async () => {
    const owner = await scene.payer();
    const id = (await owner.agora.vault.listPaymentMethods()).data[0]?.id as string;
    scene.stripe.fault({ kind: 'drop before' });
    await owner.agora.vault.removePaymentMethod(id);
    expect((await owner.agora.vault.listPaymentMethods()).data).toEqual([]);
    expect(scene.stripe.books.methods.get(id)?.customer).not.toBeNull();
    scene.stripe.mend();
    expect(await refusalOf(owner.agora.vault.addPaymentMethod({ paymentMethodId: id }))).toBe('400 CARD_DECLINED');
    await scene.sweepLater();
    expect(scene.stripe.books.methods.get(id)?.customer).toBeNull();
  });

  test.each(['a card', 'the setup flow'])(
    'an owner whose customer was deleted at Stripe saves a new card (by %s), and it is the one that is charged',
    async (way) => {
      const owner = await scene.payer();
      const { vault } = owner.agora;
      const { books } = scene.stripe;
      await vault.topUp({ amount: 500 });
      const gone = idOf(books.intents.get(await scene.intentOf(owner))?.customer ?? null) as string;
      const before = books.customers.size;
      deleteCustomer(books, gone);
      expect(await refusalOf(vault.topUp({ amount: 500 }))).toBe('400 CARD_DECLINED');
      const setUp = async () => confirmSetup(books, (await vault.setUpPaymentMethod()).clientSecret);
      const paymentMethodId = way === 'a card' ? newCard(books) : (await Promise.all([setUp(), setUp()]))[0];
      const [saved] = await Promise.all([vault.addPaymentMethod({ paymentMethodId }), vault.setUpPaymentMethod()]);
      expect(saved).toMatchObject({ isDefault: true });
      expect((await vault.listPaymentMethods()).data.map(({ id }) => id)).toEqual([paymentMethodId]);
      expect(await vault.topUp({ amount: 700 })).toMatchObject({ newBalance: 1200 });
      expect(await scene.chargesOf(owner)).toEqual([700]);
      expect(books.customers.size).toBe(before);
    },
  );

  test('a charge whose reply was lost is found when its customer has been deleted and replaced since', async () => {
    const owner = await scene.payer();
    const { books } = scene.stripe;
    scene.stripe.fault({ kind: 'drop after', path: '/v1/payment_intents', method: 'POST' });
    expect(await refusalOf(owner.agora.vault.topUp({ amount: 500 }))).toBe('502 PROCESSOR_ERROR');
    scene.stripe.mend();
    deleteCustomer(books, idOf(books.intents.get(await scene.intentOf(owner))?.customer ?? null) as string);
    await owner.agora.vault.addPaymentMethod({ paymentMethodId: newCard(books) });
    await scene.sweepLater();
    expect([await scene.balanceOf(owner), await scene.topUpsOf(owner)]).toEqual([500, ['succeeded']]);
  });

  test('the last card stays while auto-top-up is on', async () => {
    const owner = await scene.payer();
    const { vault } = owner.agora;
    const [first] = (await vault.listPaymentMethods()).data;
    const second = await vault.addPaymentMethod({ paymentMethodId: newCard(scene.stripe.books) });
    await vault.setAutoTopUp({ enabled: true, threshold: 0, reloadAmount: 500, maxPerDay: 500, maxPerMonth: 500 });
    await vault.removePaymentMethod(second.id);
    expect(await refusalOf(vault.removePaymentMethod(first?.id as string))).toBe('400 LAST_PAYMENT_METHOD');
    await vault.setAutoTopUp({ enabled: false, threshold: 0, reloadAmount: 500 });
    await vault.removePaymentMethod(first?.id as string);
  });

  test('of turning auto-top-up on and removing the last card at once, only one happens', async () => {
    for (let round = 0; round < 8; round++) {
      const { vault } = (await scene.payer()).agora;
      const id = (await vault.listPaymentMethods()).data[0]?.id as string;
      const outcomes = await Promise.all([
        refusalOf(
          vault.setAutoTopUp({ enabled: true, threshold: 0, reloadAmount: 500, maxPerDay: 500, maxPerMonth: 500 }),
        ),
        refusalOf(vault.removePaymentMethod(id)),
      ]);
      expect(['no refusal,400 LAST_PAYMENT_METHOD', '400 NO_PAYMENT_METHOD,no refusal']).toContain(outcomes.join());
    }
  });
});

describe('top-ups', () => {
  test.each([
    [{ declines: 'insufficient_funds' }, 'The card has insufficient funds.'],
    [{ declines: 'expired_card' }, 'The card has expired.'],
    [{ declines: 'fraudulent' }, 'The bank declined the card. Ask the bank for the reason, or use another card.'],
    ['asks its holder', expect.stringContaining('setup flow')],
  ] as const)('a card that %j is 400 CARD_DECLINED with a reason for its holder', async (behaviour, reason) => {
    const owner = await scene.payer(behaviour);
    await expect(owner.agora.vault.topUp({ amount: 500 })).rejects.toMatchObject({
      status: 400,
      code: 'CARD_DECLINED',
      details: { reason },
    });
    expect([await scene.balanceOf(owner), await scene.chargesOf(owner), await scene.topUpsOf(owner)]).toEqual([
      0,
      [],
      ['failed'],
    ]);
  });

  test('a card that is gone at Stripe is 400 CARD_DECLINED and nothing stays pending', async () => {
    const owner = await scene.payer();
    const id = (await owner.agora.vault.listPaymentMethods()).data[0]?.id as string;
    scene.stripe.books.methods.delete(id);
    expect(await refusalOf(owner.agora.vault.topUp({ amount: 500 }))).toBe('400 CARD_DECLINED');
    expect(await scene.topUpsOf(owner)).toEqual(['failed']);
  });

  test('64 at once of 8 owners: one wins for each, the others are 409, and each card is charged once', async () => {
    const owners = await Promise.all(Array.from({ length: 8 }, () => scene.payer()));
    const letGo = scene.stripe.hold('/v1/payment_intents');
    let refused = 0;
    const race = owners.map((owner) =>
      Promise.all(
        Array.from({ length: 8 }, async () => {
          const outcome = await refusalOf(owner.agora.vault.topUp({ amount: 500 }));
          if (outcome !== 'no refusal') refused += 1;
          // The winners wait at Stripe until everybody else has lost.
          if (refused === 56) letGo();
          return outcome;
        }),
      ),
    );
    for (const [index, outcomes] of (await Promise.all(race)).entries()) {
      const owner = owners[index] as (typeof owners)[number];
      expect(outcomes.toSorted()).toEqual([...Array(7).fill('409 TOP_UP_IN_PROGRESS'), 'no refusal']);
      expect(await scene.chargesOf(owner)).toEqual([500]);
      expect(await scene.balanceOf(owner)).toBe(500);
    }
  });
});
