import { toUuid } from '@agora-market/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { caughtMail } from '../../src/mail/index.ts';
import { goodToken, startGitHub } from '../github/scene.ts';
import { earn } from '../support/earn.ts';
import type { TestOwner } from '../support/harness.ts';
import {
  type BusyAccount,
  busyAccount,
  deleteIt,
  obstaclesTo,
  ofAgents,
  ofOwner,
  ofWork,
  signUp,
  tablesAbout,
  tablesThatSay,
  tablesWith,
  untilPaid,
} from './deletion-scene.ts';
import { day, dispute, hire, hireAndPass, makePair, pass, refusalOf, serverForFile, startSecondApp } from './scene.ts';
import { password } from './totp-scene.ts';

/** What becomes of an account that is deleted; at the end of the file the ledger must be sound. */

const server = serverForFile({ config: { SESSION_IDLE_MS: 1e12 } });

const newOwner = () => server.owner({ credits: 0 });

describe('a deleted account with a bit of everything', () => {
  let github: Awaited<ReturnType<typeof startGitHub>>;
  let second: Awaited<ReturnType<typeof startSecondApp>>;
  let busy: BusyAccount;
  let named: string[];
  let said: string[];

  beforeAll(async () => {
    github = await startGitHub();
    second = await startSecondApp(server, { config: { ...server.config, ...github.settings } });
    busy = await busyAccount(server, async (agora) => {
      const at = agora.withOptions({ baseUrl: second.url });
      await at.github.connect({ token: goodToken });
      await at.github.setIntake({ repository: 'octocat/alpha', maxBudget: 500, dailyBudget: 500 });
      await agora.packageRegistries.set({ kind: 'npm', url: 'https://npm.example.com', token: 'secret' });
    });
    for (const call of Object.values(busy.signedIn)) await call();
    [named, said] = [await tablesWith(server, busy.uuids), await tablesThatSay(server, ofOwner)];
    expect(await refusalOf(deleteIt(busy.owner))).toBe('401 TOTP_REQUIRED');
    expect(await refusalOf(deleteIt(busy.owner, 'wrong'))).toBe('401 TOTP_INVALID');
    await deleteIt(busy.owner, busy.recoveryCode);
    await server.app.run('overview.eraseAccount');
  });
  afterAll(async () => {
    await second.app.close();
    await github.close();
  });

  /** Tables that name owners or agents, and of which the account has no row, with the reason why it needs none. */
  const numbersAlone = [
    'agent_spendings',
    'budget_notices',
    'dry_runs',
    'gate_cpu',
    'judge_tokens',
    'kept_trees',
    'sandboxes',
    'storage_sums',
    'task_commands',
    'task_storage',
    'task_views',
  ];
  const ofOperator = ['held_payments', 'reconciliation_findings', 'wallet_flags'];
  // Ids alone, or replies that nobody can open without the credential.
  const ids = [
    'idempotency_keys',
    'agreements',
    'appeals',
    'dispute_proofs',
    'model_tries',
    'payout_hold_payers',
    'payout_holds',
    'platform_faults',
    'task_repositories',
  ];

  test('had a row in every table that names owners or agents', async () => {
    const all = [...(await tablesAbout(server)).keys()];
    expect(all.filter((table) => !named.includes(table)).sort()).toEqual(
      [...numbersAlone, ...ofOperator, ...ids].sort(),
    );
    for (const table of ['agents', 'approvals', 'developer_tokens', 'events', 'owners', 'trust_keys', 'webhooks'])
      expect(said).toContain(table);
  });

  test('is named in no row of any table, nor are its agents, keys and connections', async () => {
    expect(await tablesThatSay(server, ofOwner)).toEqual([]);
    // What others were told of the agents is in their lists for 90 days.
    expect(await tablesThatSay(server, ofAgents)).toEqual(['notifications']);
    expect(await tablesThatSay(server, 'octocat')).toEqual([]);
    const gone = [
      'sessions',
      'developer_tokens',
      'mailed_tokens',
      'trust_keys',
      'payment_methods',
      'webhooks',
      'totp_factors',
      'recovery_codes',
      'forge_connections',
      'intakes',
      'task_templates',
      'schedules',
      'package_registries',
      'notification_owners',
      'policies',
      'deprecated_uses',
    ];
    const left = await tablesWith(server, busy.uuids);
    expect(left.filter((table) => gone.includes(table))).toEqual([]);
  });

  test('leaves the texts of tasks, disputes and work requests to the other parties', async () => {
    const kept = [
      ...['dispute_proofs', 'dispute_statements', 'disputes', 'task_messages', 'task_texts', 'tasks', 'work_requests'],
    ];
    const found = await tablesThatSay(server, ofWork);
    expect(found.filter((table) => !kept.includes(table))).toEqual([]);
    expect(found).toContain('tasks');
    const task = await busy.partner.owner.agora.tasks.get(busy.sold);
    expect(task).toMatchObject({ status: 'completed', agentId: busy.agent.id });
    expect((await busy.partner.owner.agora.tasks.receipt(busy.sold)).entries.length).toBeGreaterThan(3);
    expect(await busy.partner.agora.agents.get(busy.agent.id)).toMatchObject({
      displayName: 'Deleted agent',
      description: '',
      status: 'deactivated',
    });
  });

  test('is signed in to by nothing any more, and cannot be told from one that never was', async () => {
    const refusals = await Promise.all(Object.values(busy.signedIn).map((call) => refusalOf(call())));
    expect(refusals).toEqual([
      '401 INVALID_SESSION',
      '401 INVALID_SESSION',
      '401 INVALID_API_KEY',
      '401 INVALID_TRUST_KEY',
    ]);
    const signIn = (email: string) => refusalOf(server.client().auth.signIn({ email, password }));
    expect(await signIn(busy.owner.email)).toBe('401 INVALID_CREDENTIALS');
    const { rows } = await server.pool.query('select email from owners where id = $1', [busy.uuids[0]]);
    expect(await signIn(rows[0].email)).toBe('401 INVALID_CREDENTIALS');
    const change = { plan: 'pro' as const, reason: 'x', by: 'Ops' };
    expect(await refusalOf(server.operator().auth.updateOwner(busy.owner.id, change))).toBe('404 OWNER_NOT_FOUND');
  });

  test('is told of by an event and by mail, and its cards are detached at the processor', async () => {
    const { rows } = await server.pool.query(
      `select type, data from events where owner_id = $1 and type like 'owner.%' order by seq desc limit 1`,
      [busy.uuids[0]],
    );
    expect(rows).toEqual([{ type: 'owner.deleted', data: { ownerId: busy.owner.id } }]);
    await server.app.run('mail.send');
    const [mail] = (await caughtMail(server.config)).filter(({ to }) => to === busy.owner.email);
    expect(mail?.subject).toBe('Your Agora account was deleted');
    await server.app.run('vault.detachMethod');
    const queued = await server.pool.query(`select kind from queued_jobs where kind = 'vault.detachMethod'`);
    expect(queued.rows).toEqual([]);
  });

  test('is nobody’s business when its partner goes on: no notification or mail is made for it', async () => {
    const { id } = await hireAndPass({ buyer: busy.partner.owner, agent: await (await newOwner()).agent() });
    // As an event that was logged before the deletion and is read after it.
    await server.pool.query('update events set owner_id = $2 where task_id = $1', [toUuid('task', id), busy.uuids[0]]);
    await server.app.run('embassy.notify');
    await server.app.run('mail.send');
    const told = await server.pool.query('select from notification_owners where owner_id = $1', [busy.uuids[0]]);
    expect(told.rowCount).toBe(0);
    expect((await caughtMail(server.config)).filter(({ to }) => /invalid$/.test(to))).toEqual([]);
  });

  test('frees its address for a new account, which has nothing of it', async () => {
    const anew = await signUp(server, 'Somebody else', busy.owner.email);
    expect(anew.id).not.toBe(busy.owner.id);
    expect((await anew.agora.agents.listOwn()).data).toEqual([]);
    expect((await anew.agora.vault.getPool()).balance).toBe(0);
  });
});

describe('who may delete', () => {
  test('whoever gives the password with a session, and nobody else', async () => {
    const owner = await newOwner();
    const tell = (agora: TestOwner['agora'], given: string) => refusalOf(agora.auth.deleteAccount({ password: given }));
    expect(await tell(owner.agora, 'wrong horse')).toBe('401 INVALID_CREDENTIALS');
    const { token } = await owner.agora.auth.createToken({ name: 'ci' });
    expect(await tell(server.client({ ownerToken: token }), password)).toBe('400 WRONG_STATE');
    const { key } = await owner.agent();
    expect(await tell(server.client({ agentKey: key }), password)).not.toBe('no refusal');
    await owner.agora.auth.session();
    await deleteIt(owner);
    expect(await refusalOf(owner.agora.auth.session())).toBe('401 INVALID_SESSION');
  });

  test('wrong passwords are counted with those of sign-in', async () => {
    const owner = await newOwner();
    const guess = () => refusalOf(owner.agora.auth.deleteAccount({ password: 'a guess' }));
    const refusals: string[] = [];
    for (let nth = 0; nth < 12; nth++) refusals.push(await guess());
    expect(refusals.at(-1)).toBe('429 RATE_LIMITED');
  });
});

describe('what stands in the way is told in full', () => {
  test('open tasks and credits, on both sides', async () => {
    const pair = await makePair(server, { credits: 5_000 });
    await hire(pair);
    expect(await obstaclesTo(pair.buyer)).toEqual(['submitted_tasks 1', 'pool_balance 1 5000']);
    expect(await obstaclesTo(pair.seller)).toEqual(['assigned_tasks 1']);
    const { status, message } = (await pair.buyer.agora.auth
      .deleteAccount({ password })
      .catch((error: { status: number; message: string }) => error)) as { status: number; message: string };
    expect([status, message]).toEqual([409, expect.stringContaining('work or money')]);
  });

  test('a dispute, earnings in escrow, and credits in a wallet that can be withdrawn', async () => {
    const pair = await makePair(server, { credits: 3_000 });
    await dispute(server, pair);
    expect(await obstaclesTo(pair.buyer)).toEqual(['disputes 1', 'pool_balance 1 2000']);
    expect(await obstaclesTo(pair.seller)).toEqual(['disputes 1', 'wallet_escrow 1 850']);
    await pass(server, 30 * day);
    const wallet = await pair.agent.agora.vault.getWallet();
    expect(wallet.escrowed).toBe(0);
    if (wallet.available > 0) expect(await obstaclesTo(pair.seller)).toEqual(['wallet_balance 1 850']);
  });

  test('allocated credits are to be reclaimed, however few, and those of the pool to be refunded', async () => {
    const owner = await server.owner({ credits: 500 });
    const agent = await owner.agent();
    await owner.agora.vault.allocate(agent.id, { amount: 50 });
    expect(await obstaclesTo(owner)).toEqual(['pool_balance 1 450', 'wallet_allocated 1 50']);
    await owner.agora.vault.reclaim(agent.id, { amount: 50 });
    const { data } = await owner.agora.vault.poolTransactions({ cause: 'top_up' });
    await server.operator().vault.refundTopUp(data[0]?.id as string, { reason: 'The owner leaves' });
    await deleteIt(owner);
  });

  test('credits that are too few to withdraw are given up, and stay in the ledger', async () => {
    const owner = await server.owner({ credits: 0 });
    const agent = await owner.agent();
    await earn(server, agent, 500);
    await owner.agora.vault.onboardPayouts();
    await owner.agora.vault.withdraw(agent.id, { amount: 401 });
    expect(await obstaclesTo(owner)).toEqual(['withdrawals 1']);
    await untilPaid(server);
    await deleteIt(owner);
    const { rows } = await server.pool.query(
      'select sum(balance)::int as left from ledger_accounts where holder = $1',
      [toUuid('agent', agent.id)],
    );
    expect(rows).toEqual([{ left: 99 }]);
  });
});

describe('at once', () => {
  test('of two deletions one is made', async () => {
    for (let round = 0; round < 5; round++) {
      const owner = await newOwner();
      const outcomes = await Promise.all([refusalOf(deleteIt(owner)), refusalOf(deleteIt(owner))]);
      // The second may already be unknown where its password is looked up.
      expect(outcomes.map((outcome) => outcome.slice(0, 3)).sort()).toEqual(['401', 'no ']);
    }
  });

  test('an agent is hired or its owner gone, never both', async () => {
    for (let round = 0; round < 10; round++) {
      const pair = await makePair(server, { credits: 1_000 });
      const [hired, deleted] = await Promise.all([refusalOf(hire(pair)), refusalOf(deleteIt(pair.seller))]);
      const isHired = hired === 'no refusal';
      expect(deleted === 'no refusal').toBe(!isHired);
      if (isHired) expect(deleted).toBe('409 ACCOUNT_NOT_EMPTY');
    }
  });

  test('nothing new is made for an account that is being deleted', async () => {
    for (let round = 0; round < 10; round++) {
      const owner = await server.owner({ credits: 0 });
      await owner.agora.vault.addPaymentMethod({ paymentMethodId: 'pm_card_visa' });
      const uuid = toUuid('owner', owner.id);
      const made = await Promise.all([
        refusalOf(deleteIt(owner)),
        refusalOf(owner.agora.vault.topUp({ amount: 500 })),
        refusalOf(owner.agora.auth.createToken({ name: 'late' })),
        refusalOf(owner.agora.trust.createKey({ name: 'late' })),
        refusalOf(owner.agent()),
        refusalOf(server.client().auth.signIn({ email: owner.email, password })),
      ]);
      const [deleted, toppedUp] = made;
      expect([deleted, toppedUp].filter((outcome) => outcome === 'no refusal').length).toBeLessThanOrEqual(1);
      if (deleted !== 'no refusal') continue;
      const { rows } = await server.pool.query(
        `select (select count(*) from sessions where owner_id = $1)::int as sessions,
           (select count(*) from developer_tokens where owner_id = $1)::int as tokens,
           (select count(*) from trust_keys where owner_id = $1)::int as keys,
           (select count(*) from top_ups where owner_id = $1 and status <> 'failed')::int as paid,
           (select count(*) from agents where owner_id = $1 and status <> 'deactivated')::int as agents`,
        [uuid],
      );
      expect(rows).toEqual([{ sessions: 0, tokens: 0, keys: 0, paid: 0, agents: 0 }]);
    }
  });

  test('a buyer without credits is gone, and its last submission is refused', async () => {
    const pair = await makePair(server, { credits: 1_000 });
    await hireAndPass(pair);
    const outcomes = await Promise.all([refusalOf(hire(pair)), refusalOf(deleteIt(pair.buyer))]);
    expect(outcomes[0]).toMatch(/^(402|401)/);
    expect(outcomes[1]).toBe('no refusal');
  });
});
