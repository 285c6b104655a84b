import { beforeAll, describe, expect, test } from 'vitest';
import { hireAndPass, makePair, minute, type Pair, pass, refusalOf, serverForFile } from '../api/scene.ts';

/** A month's end with a sale on each side of it, the second of which is given back. */

const server = serverForFile({ at: '2026-11-21T12:00:00.000Z', config: { SESSION_IDLE_MS: 1e12 } });
let pair: Pair;
let sold: string;
let refunded: string;

const lastOfNovember = '2026-11-30T23:59:59.999Z';
const firstOfDecember = '2026-12-01T00:00:00.000Z';

beforeAll(async () => {
  pair = await makePair(server, { agent: { displayName: '=cmd|calc', pricing: priced(1000) } });
  server.clock.set(lastOfNovember);
  sold = (await hireAndPass(pair)).id;
  server.clock.set(firstOfDecember);
  refunded = (await hireAndPass(pair, { maxBudget: 1500 })).id;
  await pair.buyer.agora.tasks.feedback(refunded, { direction: 'down' });
  await pass(server, 20 * minute);
});

const priced = (baseRate: number) => ({ model: 'per_task', baseRate, currency: 'USD' }) as const;

type Transactions = Awaited<ReturnType<typeof pair.buyer.agora.vault.poolTransactions>>['data'];
type Filters = Parameters<typeof pair.buyer.agora.vault.poolTransactions>[0];

async function all(query: Filters = {}): Promise<Transactions> {
  const found: Transactions = [];
  for await (const each of pair.buyer.agora.vault.poolTransactions(query)) found.push(each);
  return found;
}

const brief = (found: Transactions) =>
  found.map(({ cause, account, amount, balanceAfter }) => `${cause} ${account} ${amount} → ${balanceAfter}`);

describe('movements of a pool', () => {
  test('are told newest first, with the balance that each left behind', async () => {
    expect(brief(await all())).toEqual([
      'fee_refunded pool_available 150 → 99000',
      'payout_refunded pool_available 850 → 98850',
      'hold_returned pool_available 500 → 98000',
      'hold_returned pool_held -500 → 0',
      'fee pool_held -150 → 500',
      'payout pool_held -850 → 650',
      'hold pool_held 1500 → 1500',
      'hold pool_available -1500 → 97500',
      'fee pool_held -150 → 0',
      'payout pool_held -850 → 150',
      'hold pool_held 1000 → 1000',
      'hold pool_available -1000 → 99000',
      'top_up pool_available 100000 → 100000',
    ]);
  });

  test('each starts where the one before it in its account ended', async () => {
    const found = (await all()).toReversed();
    for (const account of ['pool_available', 'pool_held']) {
      let balance = 0;
      for (const each of found.filter((one) => one.account === account)) {
        expect(each.balanceBefore).toBe(balance);
        expect(each.balanceAfter).toBe(balance + each.amount);
        balance = each.balanceAfter;
      }
    }
  });

  test('name their task, the other account, and when they were', async () => {
    const [fee] = await all({ cause: 'fee', taskId: sold });
    expect(fee).toMatchObject({ taskId: sold, counterparty: 'platform_fees', createdAt: lastOfNovember });
    const [topUp] = await all({ cause: 'top_up' });
    expect(topUp).toMatchObject({ taskId: null, counterparty: 'processor_clearing' });
  });

  const filters: [Filters, (each: Transactions[number]) => boolean][] = [
    [{ cause: 'hold' }, (each) => each.cause === 'hold'],
    [{ cause: 'withdrawal' }, () => false],
    [{ account: 'pool_held' }, (each) => each.account === 'pool_held'],
    [{ from: firstOfDecember }, (each) => each.createdAt >= firstOfDecember],
    [{ to: firstOfDecember }, (each) => each.createdAt < firstOfDecember],
    [{ from: lastOfNovember, to: firstOfDecember }, (each) => each.createdAt === lastOfNovember],
    [{ from: firstOfDecember, to: firstOfDecember }, () => false],
    [{ from: '2026-11-30T23:59:59Z', to: '2026-12-01T00:00:00.0001Z' }, (each) => each.createdAt === lastOfNovember],
    [{ minAmount: 850 }, (each) => Math.abs(each.amount) >= 850],
    [{ maxAmount: 150 }, (each) => Math.abs(each.amount) <= 150],
    [{ minAmount: 850, maxAmount: 850 }, (each) => Math.abs(each.amount) === 850],
    [{ cause: 'hold', account: 'pool_available', minAmount: 1001 }, (each) => each.amount === -1500],
  ];

  test.each(filters)('%j lets through what it says, on pages of any size', async (query, holds) => {
    const wanted = (await all()).filter(holds);
    for (const pageSize of [1, 2, 3, 100]) expect(await all({ ...query, pageSize })).toEqual(wanted);
  });

  test('of one task are all its movements, on pages of any size', async () => {
    const wanted = (await all()).filter((each) => each.taskId === refunded);
    expect(wanted).toHaveLength(8);
    for (const pageSize of [1, 2, 3, 100]) expect(await all({ taskId: refunded, pageSize })).toEqual(wanted);
    const others = await server.owner({ credits: 500 });
    expect((await others.agora.vault.poolTransactions({ taskId: refunded })).data).toEqual([]);
  });

  test('the cursor of the last page is null, also where the page is just full', async () => {
    const page = await pair.buyer.agora.vault.poolTransactions({ pageSize: 13 });
    expect([page.data.length, page.pagination.nextCursor]).toEqual([13, null]);
  });

  const wrong: [string, Record<string, unknown>][] = [
    ['an unknown cause', { cause: 'theft' }],
    ['an account of wallets', { account: 'wallet_available' }],
    ['an id that is none', { taskId: 'tsk_x' }],
    ['a time that is none', { from: 'yesterday' }],
    ['a time of another century', { to: '1969-01-01T00:00:00Z' }],
    ['a local time', { from: '2026-11-30T23:59:59.999' }],
    ['a day that does not exist', { from: '2026-02-30T00:00:00Z' }],
    ['from after to', { from: firstOfDecember, to: lastOfNovember }],
    ['amounts the wrong way round', { minAmount: 2, maxAmount: 1 }],
    ['an amount with a sign', { minAmount: -1 }],
    ['a cursor of one’s own', { cursor: Buffer.from('[1,7]').toString('base64url') }],
    ['a filter that does not exist', { direction: 'in' }],
  ];
  test.each(wrong)('%s is 400', async (_name, query) => {
    expect(await refusalOf(pair.buyer.agora.vault.poolTransactions(query))).toBe('400 VALIDATION_ERROR');
    if ('cursor' in query) return;
    expect(await refusalOf(pair.buyer.agora.vault.exportPoolTransactions(query).next())).toBe('400 VALIDATION_ERROR');
  });
});

test('a wallet’s movements are the same to the agent and to its owner, and only to them', async () => {
  const { agent, seller, buyer } = pair;
  const own = await agent.agora.vault.walletTransactions();
  expect(own.data.map(({ cause, account, amount }) => `${cause} ${account} ${amount}`)).toEqual([
    'earnings_released wallet_available 850',
    'earnings_released wallet_escrowed -850',
    'payout_refunded wallet_escrowed -850',
    'payout wallet_escrowed 850',
    'payout wallet_escrowed 850',
  ]);
  expect((await seller.agora.vault.agentWalletTransactions(agent.id)).data).toEqual(own.data);
  for (const query of [{ account: 'wallet_available' }, { cause: 'payout' }, { taskId: sold }] as const) {
    const { data } = await agent.agora.vault.walletTransactions(query);
    expect((await seller.agora.vault.agentWalletTransactions(agent.id, query)).data).toEqual(data);
  }
  const stranger = buyer.agora.vault;
  expect(await refusalOf(stranger.agentWalletTransactions(agent.id))).toBe('403 NOT_AGENT_OWNER');
  expect(await refusalOf(stranger.agentWalletBalance(agent.id))).toBe('403 NOT_AGENT_OWNER');
  expect(await refusalOf(stranger.exportAgentWalletTransactions(agent.id).next())).toBe('403 NOT_AGENT_OWNER');
});

describe('the balance at an instant', () => {
  const cases: [at: string, balance: number, held: number, available: number, escrowed: number][] = [
    ['2026-11-21T11:59:59.999Z', 0, 0, 0, 0],
    ['2026-11-21T12:00:00.000Z', 100_000, 0, 0, 0],
    ['2026-11-25T00:00:00Z', 100_000, 0, 0, 0],
    ['2026-11-30T23:59:59.998Z', 100_000, 0, 0, 0],
    [lastOfNovember, 99_000, 0, 0, 850],
    [firstOfDecember, 99_000, 0, 0, 850],
    ['2026-12-01T00:19:59.999Z', 99_000, 0, 0, 850],
    ['2026-12-01T00:20:00.000Z', 99_000, 0, 850, 0],
  ];
  test.each(cases)('%s', async (at, balance, held, available, escrowed) => {
    expect(await pair.buyer.agora.vault.poolBalance({ at })).toMatchObject({ balance, held });
    const wallet = {
      agentId: pair.agent.id,
      available,
      allocated: 0,
      escrowed,
      currency: 'USD',
      at: new Date(at).toISOString(),
    };
    expect(await pair.agent.agora.vault.walletBalance({ at })).toEqual(wallet);
    expect(await pair.seller.agora.vault.agentWalletBalance(pair.agent.id, { at })).toEqual(wallet);
  });

  test('is that of now where none or one in the future is asked for', async () => {
    const { balance, held } = await pair.buyer.agora.vault.getPool();
    const at = server.clock.now().toISOString();
    const now = { at, balance, held, currency: 'USD' };
    expect(await pair.buyer.agora.vault.poolBalance()).toEqual(now);
    expect(await pair.buyer.agora.vault.poolBalance({ at: '2099-01-01T00:00:00Z' })).toEqual(now);
  });

  test('is 0 in a wallet and a pool that never held anything', async () => {
    const owner = await server.owner({ credits: 0 });
    const agent = await owner.agent();
    expect(await owner.agora.vault.poolBalance()).toMatchObject({ balance: 0, held: 0 });
    expect(await agent.agora.vault.walletBalance()).toMatchObject({ available: 0, escrowed: 0 });
  });

  test.each(['x', '2026-11-21', '0000-01-01T00:00:00Z'])('%s is 400', async (at) => {
    expect(await refusalOf(pair.buyer.agora.vault.poolBalance({ at }))).toBe('400 VALIDATION_ERROR');
  });
});

describe('revenue', () => {
  const takings = { fees: 150, feesRefunded: 0, disputeCosts: 0, netRevenue: 150, volume: 1000, volumeRefunded: 0 };
  const november = { ...takings, charges: 1, refunds: 0 };
  const december = { ...november, feesRefunded: 150, netRevenue: 0, volumeRefunded: 1000, refunds: 1 };
  const none = { ...takings, fees: 0, netRevenue: 0, volume: 0, charges: 0, refunds: 0 };

  test('by day of UTC, with the days on which there was none', async () => {
    const query = { from: '2026-11-29', to: '2026-12-02' } as const;
    expect(await server.operator().vault.revenue(query)).toEqual({
      ...query,
      by: 'day',
      currency: 'USD',
      total: { ...december, fees: 300, netRevenue: 150, volume: 2000, charges: 2 },
      periods: [
        { period: '2026-11-29', ...none },
        { period: '2026-11-30', ...november },
        { period: '2026-12-01', ...december },
        { period: '2026-12-02', ...none },
      ],
    });
  });

  test('by month, of which only the days asked for count', async () => {
    const { periods } = await server.operator().vault.revenue({ from: '2026-11-30', to: '2027-01-31', by: 'month' });
    expect(periods).toEqual([
      { period: '2026-11', ...november },
      { period: '2026-12', ...december },
      { period: '2027-01', ...none },
    ]);
    const { total } = await server.operator().vault.revenue({ from: '2026-11-01', to: '2026-11-29', by: 'month' });
    expect(total).toEqual(none);
  });

  test('is of this month up to today if nothing is said', async () => {
    const { from, to, total } = await server.operator().vault.revenue();
    expect([from, to, total]).toEqual(['2026-12-01', '2026-12-01', december]);
  });

  test.each([
    { from: '2026-12-02', to: '2026-12-01' },
    { from: '2020-01-01', to: '2026-12-01' },
    { from: '2026-12-01T00:00:00Z' },
    { from: '2026-11-31' },
    { by: 'week' },
  ])('%j is 400', async (query) => {
    expect(await refusalOf(server.operator().vault.revenue(query as never))).toBe('400 VALIDATION_ERROR');
  });

  test('is for the operator alone', async () => {
    expect(await refusalOf(server.client({ operatorToken: pair.buyer.token }).vault.revenue())).toBe(
      '401 INVALID_OPERATOR_TOKEN',
    );
    expect(await refusalOf(server.client().vault.revenue())).toBe('401 MISSING_CREDENTIALS');
  });
});
