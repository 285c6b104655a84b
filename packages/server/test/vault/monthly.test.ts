import { describe, expect, test } from 'vitest';
import { refusalOf } from '../api/scene.ts';
import { parse, textOf } from './csv-text.ts';
import { salesScene } from './sales-scene.ts';

/** What a month came to, in accounts that go on from one month to the next. */

const scene = salesScene();

describe('a monthly statement', () => {
  test('adds up from opening to closing balance, and goes on where the last one ended', async () => {
    const { buyer } = scene.pair;
    const november = await buyer.agora.vault.monthlyStatement('2026-11');
    const december = await buyer.agora.vault.monthlyStatement('2026-12');
    expect(november).toMatchObject({
      month: '2026-11',
      from: '2026-11-01T00:00:00.000Z',
      to: '2026-12-01T00:00:00.000Z',
      complete: true,
    });
    expect(december).toMatchObject({ from: november.to, to: '2026-12-01T00:00:00.001Z', complete: false });
    const [available, held] = november.accounts;
    expect(available).toEqual({
      account: 'pool_available',
      agentId: null,
      agentName: null,
      openingBalance: 0,
      closingBalance: 99_000,
      causes: [
        { cause: 'top_up', count: 1, amount: 100_000 },
        { cause: 'hold', count: 1, amount: -1000 },
      ],
    });
    expect(held?.causes.map(({ cause, amount }) => `${cause} ${amount}`)).toEqual([
      'hold 1000',
      'payout -850',
      'fee -150',
    ]);
    for (const [nth, account] of november.accounts.entries()) {
      expect(december.accounts[nth]).toMatchObject({ openingBalance: account.closingBalance });
    }
    const { balance, held: nowHeld } = await buyer.agora.vault.getPool();
    expect(december.accounts.map((account) => account.closingBalance)).toEqual([balance, nowHeld]);
  });

  test('of a seller has the wallets of its agents', async () => {
    const { accounts } = await scene.pair.seller.agora.vault.monthlyStatement('2026-11');
    expect(accounts.map(({ account, agentId, closingBalance }) => [account, agentId, closingBalance])).toEqual([
      ['pool_available', null, 0],
      ['pool_held', null, 0],
      ['wallet_allocated', scene.pair.agent.id, 0],
      ['wallet_available', scene.pair.agent.id, 850],
      ['wallet_escrowed', scene.pair.agent.id, 0],
    ]);
  });

  test('of a month before the sign-up is empty', async () => {
    const { accounts, complete } = await scene.pair.buyer.agora.vault.monthlyStatement('2026-10');
    expect(complete).toBe(true);
    for (const account of accounts) expect(account).toMatchObject({ openingBalance: 0, closingBalance: 0, causes: [] });
  });

  test.each(['2027-01', '2026-13', '2026-00', '2026-1', '1999-12', 'november'])('%s is 404', async (month) => {
    const { vault } = scene.pair.buyer.agora;
    expect(await refusalOf(vault.monthlyStatement(month))).toBe('404 STATEMENT_NOT_FOUND');
    expect(await refusalOf(vault.exportMonthlyStatement(month).next())).toBe('404 STATEMENT_NOT_FOUND');
  });

  test('as CSV says the same, and no agent’s name can become a formula', async () => {
    const [header, ...lines] = parse(await textOf(scene.pair.seller.agora.vault.exportMonthlyStatement('2026-11')));
    expect(header?.join(',')).toBe('month,account,agentId,agentName,line,count,amountCents,currency');
    const name = `'=HYPERLINK("http://x", "Ada, ""the"" agent")`;
    expect(lines.filter((line) => line[1] === 'wallet_escrowed')).toEqual(
      [
        ['opening_balance', '', '0'],
        ['payout', '1', '850'],
        ['earnings_released', '1', '-850'],
        ['closing_balance', '', '0'],
      ].map((line) => ['2026-11', 'wallet_escrowed', scene.pair.agent.id, name, ...line, 'USD']),
    );
  });
});
