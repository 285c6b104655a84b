import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestOwner, type TestServer } from '../../../test/support/harness.ts';
import { createTestProcessor, type TestProcessor } from './processor-test.ts';

let server: TestServer;
let processor: TestProcessor;

beforeAll(async () => {
  processor = createTestProcessor();
  server = await startTestServer({ processor });
});

afterAll(() => server.close());

async function send(owner: TestOwner, path: string, body: unknown, key?: string) {
  const response = await fetch(`${server.url}/api/v1/vault${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${owner.token}`,
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape
  return { status: response.status, body: (await response.json()) as any };
}

const refusal = (status: number, code: string) => ({ status, body: { success: false, error: { code } } });
const balanceOf = async (owner: TestOwner) => (await owner.agora.vault.getPool()).balance;

test('a card is saved with 201, a top-up is 200 and shows in pool and transactions', async () => {
  const owner = await server.owner({ credits: 0 });
  expect(await send(owner, '/pool/top-up', { amount: 500 })).toMatchObject(refusal(400, 'NO_PAYMENT_METHOD'));
  const saved = await send(owner, '/payment-methods', { paymentMethodId: 'pm_card_visa' });
  expect(saved).toMatchObject({ status: 201, body: { last4: '4242', isDefault: true } });
  expect(await send(owner, '/pool/top-up', { amount: 500 })).toEqual({
    status: 200,
    body: { newBalance: 500, amountCharged: 500 },
  });
  expect(await balanceOf(owner)).toBe(500);
  const { data } = await owner.agora.vault.poolTransactions();
  expect(data).toMatchObject([{ cause: 'top_up', amount: 500, balanceBefore: 0, balanceAfter: 500 }]);
});

test('a declined card is 400, a card saved twice 409, an unknown one 400', async () => {
  const owner = await server.owner({ credits: 0 });
  const card = { paymentMethodId: 'pm_card_chargeDeclined' };
  await send(owner, '/payment-methods', card);
  expect(await send(owner, '/payment-methods', card)).toMatchObject(refusal(409, 'DUPLICATE'));
  expect(await send(owner, '/payment-methods', { paymentMethodId: 'pm_x' })).toMatchObject(
    refusal(400, 'CARD_DECLINED'),
  );
  expect(await send(owner, '/pool/top-up', { amount: 500 })).toMatchObject(refusal(400, 'CARD_DECLINED'));
  expect(await balanceOf(owner)).toBe(0);
});

test.each([499, 1_000_001, -500, 500.5, 1e300, '500', null])(
  'a top-up of %s is 400 and names amount',
  async (amount) => {
    const owner = await server.owner({ credits: 0 });
    const reply = await send(owner, '/pool/top-up', { amount });
    expect(reply).toMatchObject(refusal(400, 'VALIDATION_ERROR'));
    expect(reply.body.error.details.fields[0].path).toBe('amount');
  },
);

test('a lost reply is 502, then 409, and the sweep credits the charge once', async () => {
  const owner = await server.owner({ credits: 1000 });
  processor.faults.fail = 'after';
  expect(await send(owner, '/pool/top-up', { amount: 700 })).toMatchObject(refusal(502, 'PROCESSOR_ERROR'));
  processor.faults.fail = undefined;
  expect(await send(owner, '/pool/top-up', { amount: 700 }, 'next')).toMatchObject(refusal(409, 'TOP_UP_IN_PROGRESS'));
  server.clock.advance(60_000);
  await server.app.sweep();
  await server.app.sweep();
  expect(await balanceOf(owner)).toBe(1700);
  // What was refused only for the other charge is made under its own key, once.
  const paid = { status: 200, body: { newBalance: 2400, amountCharged: 700 } };
  for (const _ of [1, 2]) expect(await send(owner, '/pool/top-up', { amount: 700 }, 'next')).toEqual(paid);
});

test('a top-up repeated under its Idempotency-Key after a lost reply is charged once', async () => {
  const owner = await server.owner({ credits: 1000 });
  const before = processor.charged.size;
  processor.faults.fail = 'after';
  expect((await send(owner, '/pool/top-up', { amount: 700 }, 'k')).status).toBe(502);
  processor.faults.fail = undefined;
  const paid = { status: 200, body: { newBalance: 1700, amountCharged: 700 } };
  expect(await send(owner, '/pool/top-up', { amount: 700 }, 'k')).toEqual(paid);
  expect(await send(owner, '/pool/top-up', { amount: 700 }, 'k')).toEqual(paid);
  const both = await Promise.all([1, 2].map(() => send(owner, '/pool/top-up', { amount: 900 }, 'k2')));
  expect(both.map((reply) => reply.status)).toEqual([200, 200]);
  expect(processor.charged.size - before).toBe(2);
  expect(await balanceOf(owner)).toBe(2600);
});
