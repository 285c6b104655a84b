import { describe, expect, test } from 'vitest';
import { expectSoundLedger, hireAndPass, minute, pass, refusalOf, serverForFile } from '../../../test/api/scene.ts';
import { earn } from '../../../test/support/earn.ts';
import type { TestOwner } from '../../../test/support/harness.ts';

const server = serverForFile();

/** An owner with 10,000 cents in the pool and two agents. */
async function rich(credits = 10_000) {
  const owner = await server.owner({ credits });
  const [a, b] = [await owner.agent(), await owner.agent()];
  return { owner, vault: owner.agora.vault, a, b };
}

/** Pool and wallets, to see that a refusal left them as they were. */
async function holdings(owner: TestOwner, ...agents: { id: string }[]) {
  const wallets = await Promise.all(agents.map((agent) => owner.agora.vault.getAgentWallet(agent.id)));
  return [(await owner.agora.vault.getPool()).balance, ...wallets.map((wallet) => wallet.available)];
}

const detailsOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: { code: string; details: unknown }) => [error.code, error.details],
  );

describe('allocate', () => {
  test('makes the wallet, moves the credits and answers both as they are then', async () => {
    const { owner, vault, a } = await rich();
    expect(await vault.allocate(a.id, { amount: 2500 })).toEqual({
      id: expect.stringMatching(/^txn_/),
      amount: 2500,
      pool: expect.objectContaining({ id: owner.id, balance: 7500, held: 0 }),
      wallet: {
        ...{ agentId: a.id, available: 2500, allocated: 2500, withdrawable: 0, nextPayableAt: null },
        ...{ escrowed: 0, currency: 'USD', flagged: false },
      },
    });
    expect(await a.agora.vault.getWallet()).toMatchObject({ available: 2500 });
  });

  test('stands in the statements of both sides under the id of the reply', async () => {
    const { vault, a } = await rich();
    const { id } = await vault.allocate(a.id, { amount: 100 });
    const seen = { id, cause: 'allocation', taskId: null };
    expect((await vault.poolTransactions()).data[0]).toMatchObject({ ...seen, amount: -100, balanceAfter: 9900 });
    expect((await a.agora.vault.walletTransactions()).data).toMatchObject([
      { ...seen, amount: 100, balanceAfter: 100 },
    ]);
  });

  test('takes the last cent, and then is INSUFFICIENT_BALANCE with required and available', async () => {
    const { owner, vault, a } = await rich(700);
    await vault.allocate(a.id, { amount: 700 });
    const refused = await detailsOf(vault.allocate(a.id, { amount: 1 }));
    expect(refused).toEqual(['INSUFFICIENT_BALANCE', { required: 1, available: 0 }]);
    expect(await holdings(owner, a)).toEqual([0, 700]);
  });

  test('does not touch what is held for open tasks', async () => {
    const { vault, a } = await rich(1000);
    const seller = await server.owner({ credits: 0 });
    const { id: agentId } = await seller.agent();
    const submission = { taskType: 'general', maxBudget: 600, input: { description: 'x' }, agentId } as const;
    await a.agora.tasks.submitAsAgent(submission);
    const refused = await detailsOf(vault.allocate(a.id, { amount: 401 }));
    expect(refused).toEqual(['INSUFFICIENT_BALANCE', { required: 401, available: 400 }]);
  });

  test('to a deactivated agent is 400 WRONG_STATE, to a suspended one it works', async () => {
    const { owner, vault, a, b } = await rich();
    await owner.agora.agents.deactivate(a.id);
    expect(await refusalOf(vault.allocate(a.id, { amount: 1 }))).toBe('400 WRONG_STATE');
    await server.pool.query(`update agents set status = 'suspended' where display_name = $1`, [
      (await owner.agora.agents.get(b.id)).displayName,
    ]);
    expect((await vault.allocate(b.id, { amount: 1 })).wallet.available).toBe(1);
  });

  test('to an agent of somebody else is 403, to one that does not exist 404, and nothing moves', async () => {
    const { owner, vault } = await rich();
    const { a: strange } = await rich(500);
    expect(await refusalOf(vault.allocate(strange.id, { amount: 1 }))).toBe('403 NOT_AGENT_OWNER');
    expect(await refusalOf(vault.allocate('agt_01jxyz3k9mf5t8v2q7h4n6p0rs', { amount: 1 }))).toBe(
      '404 AGENT_NOT_FOUND',
    );
    expect(await refusalOf(vault.allocate('agt_nonsense', { amount: 1 }))).toBe('404 AGENT_NOT_FOUND');
    expect(await holdings(owner)).toEqual([10_000]);
    expect((await strange.agora.vault.getWallet()).available).toBe(0);
  });

  test.each([0, -1, 0.5, 1e300, 1_000_000_001])('of %s cents is 400', async (amount) => {
    const { vault, a } = await rich();
    expect(await refusalOf(vault.allocate(a.id, { amount }))).toBe('400 VALIDATION_ERROR');
  });

  test('under one Idempotency-Key moves once, also by twins of one moment; with another amount it is 409', async () => {
    const { owner, vault, a } = await rich();
    const options = { idempotencyKey: 'once' };
    const replies = await Promise.all(Array.from({ length: 8 }, () => vault.allocate(a.id, { amount: 300 }, options)));
    expect(new Set(replies.map((reply) => reply.id)).size).toBe(1);
    expect(await holdings(owner, a)).toEqual([9700, 300]);
    expect(await refusalOf(vault.allocate(a.id, { amount: 301 }, options))).toBe('409 IDEMPOTENCY_KEY_REUSED');
  });

  test('leaves an event with the amount', async () => {
    const { vault, a } = await rich();
    const { id } = await vault.allocate(a.id, { amount: 40 });
    const { rows } = await server.pool.query(`select data from events where data ->> 'transactionId' = $1`, [id]);
    expect(rows).toEqual([{ data: { transactionId: id, amount: 40, fromAgentId: null, toAgentId: a.id } }]);
  });
});

describe('reclaim', () => {
  test('brings available credits back to the pool, from a deactivated agent too', async () => {
    const { owner, vault, a } = await rich();
    await vault.allocate(a.id, { amount: 1000 });
    await owner.agora.agents.deactivate(a.id);
    expect(await vault.reclaim(a.id, { amount: 400 })).toMatchObject({
      amount: 400,
      pool: { balance: 9400 },
      wallet: { available: 600 },
    });
    expect((await vault.poolTransactions()).data[0]).toMatchObject({ cause: 'reclaim_allocated', amount: 400 });
  });

  test('of earnings is refused while they are escrowed, and takes them once they are released', async () => {
    const { owner, vault, a } = await rich();
    const buyer = await server.owner();
    await hireAndPass({ buyer, agent: a });
    const refused = await detailsOf(vault.reclaim(a.id, { amount: 850 }));
    expect(refused).toEqual(['INSUFFICIENT_BALANCE', { required: 850, available: 0 }]);
    await pass(server, 15 * minute);
    await vault.reclaim(a.id, { amount: 850 });
    expect(await holdings(owner, a)).toEqual([10_850, 0]);
  });

  test('takes what was allocated before what was earned', async () => {
    const { owner, vault, a } = await rich();
    await earn(server, a, 500);
    await vault.allocate(a.id, { amount: 300 });
    expect((await vault.reclaim(a.id, { amount: 200 })).wallet).toMatchObject({ available: 600, allocated: 100 });
    expect((await vault.reclaim(a.id, { amount: 150 })).wallet).toMatchObject({ available: 450, allocated: 0 });
    const causes = (await a.agora.vault.walletTransactions()).data.map(({ cause, amount }) => `${cause} ${amount}`);
    expect(causes.slice(0, 3)).toEqual(['reclaim -50', 'reclaim_allocated -100', 'reclaim_allocated -200']);
    expect(await holdings(owner, a)).toEqual([10_050, 450]);
  });

  test('from an agent of somebody else is 403, from one that does not exist 404', async () => {
    const { vault } = await rich();
    const { vault: theirs, a: strange } = await rich();
    await theirs.allocate(strange.id, { amount: 500 });
    expect(await refusalOf(vault.reclaim(strange.id, { amount: 1 }))).toBe('403 NOT_AGENT_OWNER');
    expect(await refusalOf(vault.reclaim('agt_01jxyz3k9mf5t8v2q7h4n6p0rs', { amount: 1 }))).toBe('404 AGENT_NOT_FOUND');
  });
});

describe('transfer', () => {
  test('moves credits between two own agents and answers both wallets', async () => {
    const { owner, vault, a, b } = await rich();
    await vault.allocate(a.id, { amount: 1000 });
    const reply = await vault.transfer({ fromAgentId: a.id, toAgentId: b.id, amount: 300 });
    expect(reply).toMatchObject({
      amount: 300,
      from: { agentId: a.id, available: 700 },
      to: { agentId: b.id, available: 300 },
    });
    expect(await holdings(owner, a, b)).toEqual([9000, 700, 300]);
    const seen = { id: reply.id, cause: 'wallet_transfer_allocated' };
    expect((await a.agora.vault.walletTransactions()).data[0]).toMatchObject({ ...seen, amount: -300 });
    expect((await b.agora.vault.walletTransactions()).data[0]).toMatchObject({ ...seen, amount: 300 });
  });

  test('leaves what was allocated allocated, and what was earned earned', async () => {
    const { vault, a, b } = await rich();
    await earn(server, a, 500);
    await vault.allocate(a.id, { amount: 300 });
    const { from, to } = await vault.transfer({ fromAgentId: a.id, toAgentId: b.id, amount: 400 });
    expect(from).toMatchObject({ available: 400, allocated: 0, withdrawable: 400 });
    expect(to).toMatchObject({ available: 400, allocated: 300, withdrawable: 100 });
  });

  test('to the same wallet is 400 SAME_WALLET', async () => {
    const { vault, a } = await rich();
    const transfer = vault.transfer({ fromAgentId: a.id, toAgentId: a.id, amount: 1 });
    expect(await refusalOf(transfer)).toBe('400 SAME_WALLET');
  });

  test('is 403 where either agent is somebody else, 404 where either does not exist, 400 for an id that is none', async () => {
    const { owner, vault, a } = await rich();
    const { vault: theirs, a: strange } = await rich();
    await Promise.all([vault.allocate(a.id, { amount: 100 }), theirs.allocate(strange.id, { amount: 100 })]);
    const between = (fromAgentId: string, toAgentId: string) =>
      refusalOf(vault.transfer({ fromAgentId, toAgentId, amount: 1 }));
    const nobody = 'agt_01jxyz3k9mf5t8v2q7h4n6p0rs';
    expect(await between(strange.id, a.id)).toBe('403 NOT_AGENT_OWNER');
    expect(await between(a.id, strange.id)).toBe('403 NOT_AGENT_OWNER');
    expect(await between(a.id, nobody)).toBe('404 AGENT_NOT_FOUND');
    expect(await between(nobody, a.id)).toBe('404 AGENT_NOT_FOUND');
    expect(await between(a.id, 'agt_1')).toBe('400 VALIDATION_ERROR');
    expect(await holdings(owner, a)).toEqual([9900, 100]);
  });

  test('from a wallet too low is 400 with required and available, to a deactivated agent 400', async () => {
    const { owner, vault, a, b } = await rich();
    await vault.allocate(a.id, { amount: 99 });
    const refused = await detailsOf(vault.transfer({ fromAgentId: a.id, toAgentId: b.id, amount: 100 }));
    expect(refused).toEqual(['INSUFFICIENT_BALANCE', { required: 100, available: 99 }]);
    await owner.agora.agents.deactivate(b.id);
    const transfer = vault.transfer({ fromAgentId: a.id, toAgentId: b.id, amount: 1 });
    expect(await refusalOf(transfer)).toBe('400 WRONG_STATE');
  });
});

test('64 moves of every kind at once create, lose and overdraw nothing', async () => {
  const { owner, vault, a, b } = await rich(3000);
  await Promise.all([a, b].map((agent) => vault.allocate(agent.id, { amount: 500 })));
  const seller = await server.owner({ credits: 0 });
  const { id: agentId } = await seller.agent();
  const hireFor = (maxBudget: number) =>
    a.agora.tasks.submitAsAgent({ taskType: 'general', maxBudget, input: { description: 'x' }, agentId });
  const kinds = [
    (cents: number) => vault.allocate(a.id, { amount: cents }),
    (cents: number) => vault.reclaim(a.id, { amount: cents }),
    (cents: number) => vault.transfer({ fromAgentId: a.id, toAgentId: b.id, amount: cents }),
    (cents: number) => vault.transfer({ fromAgentId: b.id, toAgentId: a.id, amount: cents }),
    (cents: number) => vault.reclaim(b.id, { amount: cents }),
    (cents: number) => vault.allocate(b.id, { amount: cents }),
    hireFor,
  ];
  const outcomes = await Promise.all(
    Array.from({ length: 64 }, (_, at) => refusalOf(kinds[at % kinds.length]!(40 + ((at * 97) % 400)))),
  );
  const known = ['no refusal', '400 INSUFFICIENT_BALANCE', '402 INSUFFICIENT_CREDITS'];
  expect(outcomes.filter((outcome) => !known.includes(outcome))).toEqual([]);
  const [pool, ofA, ofB] = await holdings(owner, a, b);
  const { held } = await vault.getPool();
  expect(pool! + held + ofA! + ofB!).toBe(3000);
  await expectSoundLedger(server);
});

test('of 64 that want the last credits of a wallet exactly as many succeed as it suffices for', async () => {
  const { owner, vault, a, b } = await rich(1000);
  await vault.allocate(a.id, { amount: 1000 });
  const outcomes = await Promise.all(
    Array.from({ length: 64 }, (_, at) =>
      refusalOf(
        at % 2 === 0
          ? vault.reclaim(a.id, { amount: 90 })
          : vault.transfer({ fromAgentId: a.id, toAgentId: b.id, amount: 90 }),
      ),
    ),
  );
  expect(outcomes.filter((outcome) => outcome === 'no refusal')).toHaveLength(11);
  expect(outcomes.filter((outcome) => outcome === '400 INSUFFICIENT_BALANCE')).toHaveLength(53);
  const [pool, ofA, ofB] = await holdings(owner, a, b);
  expect([ofA, pool! + ofB!]).toEqual([10, 990]);
});

test('a wallet is private to its agent and its owner', async () => {
  const { vault, a } = await rich();
  const { vault: stranger } = await rich(500);
  await vault.allocate(a.id, { amount: 10 });
  expect(await refusalOf(stranger.getAgentWallet(a.id))).toBe('403 NOT_AGENT_OWNER');
  expect((await vault.getAgentWallet(a.id)).available).toBe(10);
});
