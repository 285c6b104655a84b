import { toUuid } from '@agora-market/contract';
import { describe, expect, test } from 'vitest';
import { hireAndPass, makePair, minute, pass, refusalOf, startSecondApp } from '../api/scene.ts';
import { earn } from '../support/earn.ts';
import { availableOf, eventsOf, makeEarner, movementsOf, onlyWithdrawal, payoutScene } from './payout-scene.ts';

/** Withdrawals to the bank through the test processor; the server's ledger must be sound when the file ends. */

const { server, faults, withdraw, madeFor } = payoutScene();

describe('onboarding', () => {
  test('an owner without an account is told so; one request connects it, and the processor pays out', async () => {
    const owner = await server.owner({ credits: 0 });
    const none = { connected: false, onboarded: false, payoutsEnabled: false, missing: [] };
    expect(await owner.agora.vault.getPayouts()).toEqual({
      account: none,
      data: [],
      pagination: { pageSize: 20, nextCursor: null },
    });
    const ready = { connected: true, onboarded: true, payoutsEnabled: true, missing: [] };
    const returnUrl = 'https://example.com/back';
    const reply = await owner.agora.vault.onboardPayouts({ returnUrl });
    expect(reply).toEqual({ url: returnUrl, expiresAt: expect.any(String), account: ready });
    expect((await owner.agora.vault.getPayouts()).account).toEqual(ready);
  });

  test('it may be gone on with, and what is missing is told until it is there', async () => {
    const owner = await server.owner({ credits: 0 });
    faults.account = 'onboarding';
    expect((await owner.agora.vault.onboardPayouts()).account).toMatchObject({
      connected: true,
      onboarded: false,
      payoutsEnabled: false,
      missing: ['external_account'],
    });
    faults.account = 'restricted';
    expect((await owner.agora.vault.getPayouts()).account).toMatchObject({ onboarded: true, payoutsEnabled: false });
    faults.account = 'ready';
    expect((await owner.agora.vault.onboardPayouts()).account).toMatchObject({ payoutsEnabled: true });
    const { rows } = await server.pool.query(
      `select type, data ->> 'status' as status from events where type like 'payout_account.%' and owner_id = $1
       order by seq`,
      [toUuid('owner', owner.id)],
    );
    expect(rows.map(({ type, status }) => `${type} ${status}`)).toEqual([
      'payout_account.connected onboarding',
      'payout_account.changed restricted',
      'payout_account.changed ready',
    ]);
  });

  test('an account that the processor has no longer is forgotten, and can be made anew', async () => {
    const owner = await server.owner({ credits: 0 });
    faults.account = 'restricted';
    await owner.agora.vault.onboardPayouts();
    faults.account = 'gone';
    expect((await owner.agora.vault.getPayouts()).account.connected).toBe(false);
    faults.account = 'ready';
    expect((await owner.agora.vault.onboardPayouts()).account.payoutsEnabled).toBe(true);
  });

  test('while the processor fails it is 502, and nothing is kept of the try', async () => {
    const owner = await server.owner({ credits: 0 });
    faults.failLookUp = true;
    expect(await refusalOf(owner.agora.vault.onboardPayouts())).toBe('502 PROCESSOR_ERROR');
    faults.failLookUp = false;
    expect((await owner.agora.vault.getPayouts()).account.connected).toBe(false);
  });

  test.each(['ftp://example.com', 'javascript:alert(1)', 'nowhere', ''])(
    'a return address of %j is 400',
    async (returnUrl) => {
      const owner = await server.owner({ credits: 0 });
      expect(await refusalOf(owner.agora.vault.onboardPayouts({ returnUrl }))).toBe('400 VALIDATION_ERROR');
    },
  );
});

describe('a withdrawal', () => {
  test('takes what an agent earned to the bank, and is listed', async () => {
    const pair = await makePair(server);
    await hireAndPass(pair);
    const earner = { owner: pair.seller, agent: pair.agent };
    await pair.seller.agora.vault.onboardPayouts();
    const early = withdraw(earner, 850);
    await expect(early).rejects.toMatchObject({ status: 400, details: { required: 850, available: 0 } });
    await pass(server, 15 * minute);
    const made = await withdraw(earner, 850);
    const at = server.clock.now().toISOString();
    expect(made).toEqual({
      id: expect.stringMatching(/^wdr_/),
      agentId: pair.agent.id,
      amount: 850,
      currency: 'USD',
      status: 'paid',
      failureReason: null,
      createdAt: at,
      resolvedAt: at,
    });
    expect(await onlyWithdrawal(earner)).toEqual(made);
    expect(await availableOf(earner)).toBe(0);
    expect(madeFor(made.id)).toBe(850);
    expect(await eventsOf(server, earner)).toEqual(['withdrawal.requested', 'withdrawal.paid']);
  });

  test('is listed for its owner only, newest first and page by page, for all agents together', async () => {
    const earner = await makeEarner(server, 1000);
    const other = await earner.owner.agent();
    await earner.owner.agora.vault.transfer({ fromAgentId: earner.agent.id, toAgentId: other.id, amount: 300 });
    const ids: string[] = [];
    for (const [agent, key] of [
      [earner.agent, 'a'],
      [other, undefined],
      [earner.agent, 'b'],
    ] as const) {
      server.clock.advance(1000);
      ids.unshift((await withdraw({ ...earner, agent }, 100, key)).id);
    }
    const { vault } = earner.owner.agora;
    const first = await vault.getPayouts({ pageSize: 2 });
    const second = await vault.getPayouts({ pageSize: 2, cursor: first.pagination.nextCursor as string });
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids);
    expect(second.pagination.nextCursor).toBeNull();
    expect((await (await server.owner({ credits: 0 })).agora.vault.getPayouts()).data).toEqual([]);
    expect(await refusalOf(vault.getPayouts({ cursor: 'x' }))).toBe('400 VALIDATION_ERROR');
  });

  test.each([99, 0, -100, 100.5, 100_000_000, 1e300, '100', null])('of %s is 400 and names amount', async (amount) => {
    const earner = await makeEarner(server, 500);
    const call = withdraw(earner, amount as number);
    await expect(call).rejects.toMatchObject({ status: 400, message: expect.stringMatching(/^amount: /) });
  });

  test('of more than is available is INSUFFICIENT_BALANCE, to the cent', async () => {
    const earner = await makeEarner(server, 500);
    const call = withdraw(earner, 501);
    await expect(call).rejects.toMatchObject({
      status: 400,
      code: 'INSUFFICIENT_BALANCE',
      details: { required: 501, available: 500 },
    });
    expect((await withdraw(earner, 500)).status).toBe('paid');
  });

  test("of another owner's agent is 403 NOT_AGENT_OWNER, of no agent 404", async () => {
    const { agent } = await makeEarner(server, 500);
    const { owner } = await makeEarner(server, 500);
    expect(await refusalOf(withdraw({ owner, agent }, 100))).toBe('403 NOT_AGENT_OWNER');
    const nobody = { ...agent, id: 'agt_01jxyz3k9mf5t8v2q7h4n6p0rs' };
    expect(await refusalOf(withdraw({ owner, agent: nobody }, 100))).toBe('404 AGENT_NOT_FOUND');
    expect(await refusalOf(withdraw({ owner, agent: { ...agent, id: 'x' } }, 100))).toBe('404 AGENT_NOT_FOUND');
  });

  test.each(['onboarding', 'restricted', 'gone'] as const)(
    'to an account that is %s is PAYOUT_ACCOUNT_REQUIRED, and works once the processor says that it is ready',
    async (status) => {
      const owner = await server.owner({ credits: 0 });
      const earner = { owner, agent: await owner.agent() };
      await earn(server, earner.agent, 500);
      expect(await refusalOf(withdraw(earner, 100))).toBe('400 PAYOUT_ACCOUNT_REQUIRED');
      faults.account = 'onboarding';
      await owner.agora.vault.onboardPayouts();
      faults.account = status;
      expect(await refusalOf(withdraw(earner, 100))).toBe('400 PAYOUT_ACCOUNT_REQUIRED');
      expect(await availableOf(earner)).toBe(500);
      faults.account = 'ready';
      if (status === 'gone') await owner.agora.vault.onboardPayouts();
      expect((await withdraw(earner, 100)).status).toBe('paid');
    },
  );

  test('of a deactivated agent is paid: what it earned is its owner’s', async () => {
    const earner = await makeEarner(server, 500);
    await earner.owner.agora.agents.deactivate(earner.agent.id);
    expect((await withdraw(earner, 500)).status).toBe('paid');
  });

  test('from a wallet that reconciliation has flagged is 403 WALLET_FLAGGED until it is cleared', async () => {
    const earner = await makeEarner(server, 500);
    const agent = toUuid('agent', earner.agent.id);
    await server.pool.query(`insert into wallet_flags (agent_id, reason, found_at) values ($1, 'test', now())`, [
      agent,
    ]);
    expect(await refusalOf(withdraw(earner, 100))).toBe('403 WALLET_FLAGGED');
    expect(await availableOf(earner)).toBe(500);
    await server.pool.query(
      `update wallet_flags set cleared_at = now(), cleared_by = 'op', cleared_reason = 'checked' where agent_id = $1`,
      [agent],
    );
    expect((await withdraw(earner, 100)).status).toBe('paid');
  });

  test('without a processor is 503, and what was withdrawn before can still be read', async () => {
    const earner = await makeEarner(server, 500);
    const { id } = await withdraw(earner, 100);
    const { app, url } = await startSecondApp(server, { processor: null });
    const agora = earner.owner.agora.withOptions({ baseUrl: url });
    const call = agora.vault.withdraw(earner.agent.id, { amount: 100 });
    expect(await refusalOf(call)).toBe('503 PROCESSOR_NOT_CONFIGURED');
    expect((await agora.vault.getPayouts()).data.map((each) => each.id)).toEqual([id]);
    await app.close();
  });

  test('that the processor refuses is PAYOUT_REFUSED with the reason, and the money is back in the wallet', async () => {
    const earner = await makeEarner(server, 500);
    faults.outcome = 'failed';
    const call = withdraw(earner, 300, 'refused');
    const reason = 'The bank did not take the payout.';
    await expect(call).rejects.toMatchObject({ status: 400, code: 'PAYOUT_REFUSED', details: { reason } });
    expect(await refusalOf(withdraw(earner, 300, 'refused'))).toBe('400 PAYOUT_REFUSED');
    expect(await onlyWithdrawal(earner)).toMatchObject({ status: 'failed', failureReason: reason });
    expect(await movementsOf(earner)).toEqual(['withdrawal -300', 'withdrawal_returned 300']);
    expect(await eventsOf(server, earner)).toEqual(['withdrawal.requested', 'withdrawal.failed']);
  });
});
