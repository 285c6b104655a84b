import { toUuid } from '@agora-market/contract';
import { beforeEach, expect, test } from 'vitest';
import { lockCredentials } from '../../src/auth/sql.ts';
import { row, transaction } from '../../src/platform/index.ts';
import { createTestProcessor } from '../../src/vault/payments/processor-test.ts';
import { askForReset, mailTo, verify } from '../api/mailed.ts';
import { refusalOf, serverForFile, startSecondApp } from '../api/scene.ts';
import { codeOf, enableTotp, password } from '../api/totp-scene.ts';
import { until } from '../steps/world.ts';
import { earn } from '../support/earn.ts';
import { makeOwner, type TestAgent, type TestOwner } from '../support/harness.ts';

/** An account that is made with somebody else's address, and waits for that person. */

const processor = createTestProcessor();
const server = serverForFile({ processor, config: { PAYMENT_LIMITS: 'on' } });
const minute = 60_000;
const strangersText = 'Your payout of $5,000 waits: https://evil.example/claim';
let account: TestOwner;
let agent: TestAgent;
beforeEach(async () => {
  account = await makeOwner(server.client, 0, strangersText);
  agent = await account.agent({ displayName: strangersText });
});

/** What the stranger makes, and how it shows that each still counts. */
async function furnish() {
  const { token } = await account.agora.auth.createToken({ name: strangersText });
  const trust = await account.agora.trust.createKey({ name: strangersText });
  await account.agora.webhooks.create(agent.id, { url: 'https://evil.example/hook', events: ['task_assigned'] });
  await account.agora.vault.addPaymentMethod({ paymentMethodId: 'pm_card_visa' });
  await account.agora.vault.onboardPayouts();
  const uses = {
    session: () => account.agora.auth.session(),
    'developer token': () => server.client({ ownerToken: token }).vault.getPool(),
    'agent key': () => agent.agora.agents.me(),
    'trust key': () => server.client({ trustKey: trust.key }).trust.getAgents({ ids: [agent.id] }),
  };
  return async () => {
    const outcomes = Object.entries(uses).map(async ([name, use]) => `${name}: ${await refusalOf(use())}`);
    return Promise.all(outcomes);
  };
}

const reset = async (more: { endCredentials?: boolean } = {}) =>
  server.client().auth.resetPassword({
    token: await askForReset(server, account.email),
    password: 'another horse',
    ...more,
  });
const signedIn = async (code?: string) => {
  const signIn = { email: account.email, password: 'another horse', ...(code !== undefined && { code }) };
  return server.client({ ownerToken: (await server.client().auth.signIn(signIn)).token });
};
const kindsOf = (found: { kind: string }[]) => found.map(({ kind }) => kind).sort();

const made = ['agent_key', 'developer_token', 'payment_method', 'payout_account', 'trust_key', 'webhook'];

// Before: token, agent key and trust key of the stranger read and spent the pool that the victim paid for after its reset.
test('pre-hijack: nothing that a stranger made in an account outlives the reset by whose address it is', async () => {
  const tries = await furnish();
  const { ended, kept, endToken } = await reset();
  expect(kindsOf(ended)).toEqual(made);
  expect([kept, endToken]).toEqual([[], null]);
  expect(await tries()).toEqual([
    'session: 401 INVALID_SESSION',
    'developer token: 401 INVALID_SESSION',
    'agent key: 401 INVALID_API_KEY',
    'trust key: 401 INVALID_TRUST_KEY',
  ]);
  const victim = await signedIn();
  expect((await victim.auth.session()).owner.emailVerified).toBe(true);
  expect((await victim.auth.listTokens()).data).toEqual([]);
  expect((await victim.vault.listPaymentMethods()).data).toEqual([]);
  const { apiKey } = await victim.agents.rotateKey(agent.id);
  await server.client({ agentKey: apiKey }).agents.me();
});

/**
 * The outcome of an attempt that was let in before a reset and comes to its change after it: the reset waits for another
 * transaction, and the attempt for the reset.
 */
async function whileResetting(attempt: () => Promise<unknown>): Promise<string> {
  let running: [Promise<unknown>, Promise<string>] | undefined;
  await transaction(server.pool, 'write', async (tx) => {
    await lockCredentials(tx, toUuid('owner', account.id) as string);
    const waiting = (count: number) =>
      until(`${count} wait`, async () => {
        const found = await row<{ count: number }>(
          tx,
          'test_waiting',
          `select count(*)::int as count from pg_locks w join pg_locks h using (locktype, database, classid, objid, objsubid)
           where locktype = 'advisory' and h.pid = pg_backend_pid() and h.granted and not w.granted`,
        );
        return found?.count === count;
      });
    const resetting = reset();
    await waiting(1);
    const refusal = refusalOf(attempt());
    await waiting(2);
    running = [resetting, refusal];
  });
  const [, refusal] = await Promise.all(running ?? []);
  return refusal as string;
}

test.each([
  ['a developer token', () => account.agora.auth.createToken({ name: 'mine' }), '401 INVALID_SESSION'],
  ['another key of an agent', () => account.agora.agents.rotateKey(agent.id), '401 INVALID_SESSION'],
  ['a card', () => account.agora.vault.addPaymentMethod({ paymentMethodId: 'pm_card_visa' }), '401 INVALID_SESSION'],
  ['an account for payouts', () => account.agora.vault.onboardPayouts(), '401 INVALID_SESSION'],
  // Before: the webhook was made, and outlived the key that made it.
  [
    'a webhook with the key of its agent',
    () => agent.agora.webhooks.createMine({ url: 'https://evil.example/hook', events: ['task_assigned'] }),
    '401 INVALID_API_KEY',
  ],
])('pre-hijack: who makes %s while a reset ends its credential gets none', async (_, attempt, expected) => {
  expect(await whileResetting(attempt)).toBe(expected);
});

/** The next question about an account for payouts waits at the processor until it is let go. */
function holdQuestion() {
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const { accountStatus } = processor;
  processor.accountStatus = async (...about) => {
    processor.accountStatus = accountStatus;
    asked.resolve();
    await answered.promise;
    return accountStatus.apply(processor, about);
  };
  return { asked: asked.promise, letGo: answered.resolve };
}

/** The stranger's account for payouts is not ready yet, so whoever needs it asks the processor. */
async function onboardSlowly(): Promise<void> {
  processor.payoutFaults.account = 'onboarding';
  await account.agora.vault.onboardPayouts();
  processor.payoutFaults.account = undefined;
}

// Before: the question found the account gone, and its answer connected it again.
test("pre-hijack: a question about the stranger's account for payouts does not bring it back", async () => {
  await onboardSlowly();
  const question = holdQuestion();
  const asking = account.agora.vault.getPayouts();
  await question.asked;
  await reset();
  question.letGo();
  await asking;
  expect((await (await signedIn()).vault.getPayouts()).account).toMatchObject({ connected: false });
});

// Before: it was paid to the stranger's bank after the reset.
test('pre-hijack: a withdrawal that a reset overtakes is not made', async () => {
  await verify(server, account);
  await earn(server, agent, 1_000);
  await onboardSlowly();
  const question = holdQuestion();
  const withdrawing = refusalOf(account.agora.vault.withdraw(agent.id, { amount: 1_000 }));
  await question.asked;
  await reset({ endCredentials: true });
  question.letGo();
  expect(await withdrawing).toBe('401 INVALID_SESSION');
  const victim = await signedIn();
  expect((await victim.vault.getAgentWallet(agent.id)).available).toBe(1_000);
});

// Before: it kept the bank account of whoever had made it, and the operator's release paid there.
test('a withdrawal that waits for the operator returns to its wallet when credentials are ended', async () => {
  await verify(server, account);
  await earn(server, agent, 1_000);
  await account.agora.vault.onboardPayouts();
  for (let nth = 0; nth < 3; nth++) await account.agora.vault.withdraw(agent.id, { amount: 100 });
  const { endToken } = await reset();
  await server.client().auth.endCredentials({ token: endToken as string });
  const victim = await signedIn();
  expect((await victim.vault.getAgentWallet(agent.id)).available).toBe(800);
  const { data } = await victim.vault.getPayouts();
  expect(data.map(({ status }) => status).sort()).toEqual(['failed', 'paid', 'paid']);
  const held = await server.operator().vault.listHeldPayments({ pageSize: 100 });
  const { status, decidedBy } = held.data.find(({ ownerId }) => ownerId === account.id) ?? {};
  expect({ status, decidedBy }).toEqual({ status: 'refused', decidedBy: 'Agora' });
});

test('webhooks are ended at once, and deleted afterwards with their messages', async () => {
  await furnish();
  await reset();
  const victim = await signedIn();
  expect((await victim.webhooks.list(agent.id)).data).toEqual([]);
  await victim.webhooks.create(agent.id, { url: 'https://own.example/hook', events: ['task_assigned'] });
  await server.app.sweep();
  const { rows } = await server.pool.query('select url from webhooks where agent_id = $1', [toUuid('agent', agent.id)]);
  expect(rows).toEqual([{ url: 'https://own.example/hook' }]);
});

// Before: the victim's sign-in with its own new password was 401 TOTP_REQUIRED for ever.
test('pre-hijack: a second factor that a stranger turned on locks nobody out of the own address', async () => {
  const { recoveryCodes } = await enableTotp(server, account);
  await reset();
  const victim = await signedIn();
  expect(await victim.auth.totp()).toEqual({ enabled: false, enabledAt: null, recoveryCodesLeft: 0 });
  expect(recoveryCodes).toHaveLength(10);
});

// Before: the mail said "Click http://evil.example/ now", which was the name of the account.
test('pre-hijack: the mail of the reset says what has ended, and nothing that the stranger wrote', async () => {
  await furnish();
  await reset();
  const mails = await mailTo(server, account.email);
  const changed = mails.find(({ subject }) => subject === 'Your Agora password was changed');
  expect(changed?.text).toContain('1 × developer token');
  expect(changed?.text).toContain('1 × agent key');
  expect(changed?.text).toContain('the second factor was turned off');
  expect(mails.length).toBeGreaterThan(3);
  for (const { subject, text } of mails) expect(subject + text).not.toMatch(/evil|payout of/);
});

// Before: `POST /auth/tokens` was 201 for an address that nobody had verified.
test('pre-hijack: where owners must verify, a stranger gets no token that outlives its session', async () => {
  const config = { ...server.config, EMAIL_VERIFICATION: 'required' as const };
  const { app, url } = await startSecondApp(server, { config });
  try {
    const there = account.agora.withOptions({ baseUrl: url });
    expect(await refusalOf(there.auth.createToken({ name: 'ci' }))).toBe('403 EMAIL_NOT_VERIFIED');
    expect(await refusalOf(there.trust.createKey({ name: 'ci' }))).toBe('403 EMAIL_NOT_VERIFIED');
    await verify(server, account);
    await there.auth.createToken({ name: 'ci' });
    await there.trust.createKey({ name: 'ci' });
  } finally {
    await app.close();
  }
});

test('a reset of a verified address keeps credentials and second factor, lists them, and ends them by its token once', async () => {
  await verify(server, account);
  const tries = await furnish();
  const { secret } = await enableTotp(server, account);
  const { ended, kept, endToken } = await reset();
  expect([ended, kindsOf(kept)]).toEqual([[], made]);
  expect(kept.find(({ kind }) => kind === 'developer_token')).toMatchObject({ name: strangersText });
  expect(kept.find(({ kind }) => kind === 'webhook')).toMatchObject({ name: 'evil.example' });
  const goOn = ['developer token: no refusal', 'agent key: no refusal', 'trust key: no refusal'];
  expect(await tries()).toEqual(['session: 401 INVALID_SESSION', ...goOn]);
  const end = () => server.client().auth.endCredentials({ token: endToken as string });
  await end();
  expect(await refusalOf(end())).toBe('400 MAILED_TOKEN_INVALID');
  expect((await tries()).filter((each) => each.includes('no refusal'))).toEqual([]);
  server.clock.advance(minute);
  const owner = await signedIn(codeOf(server, secret));
  expect(await owner.auth.totp()).toMatchObject({ enabled: true });
});

test('a reset of a verified address ends credentials at once if it says so, and the second factor stays', async () => {
  await verify(server, account);
  const tries = await furnish();
  await enableTotp(server, account);
  expect(await reset({ endCredentials: true })).toMatchObject({ kept: [], endToken: null });
  expect((await tries()).filter((each) => each.includes('no refusal'))).toEqual([]);
  expect(await refusalOf(signedIn())).toBe('401 TOTP_REQUIRED');
});

test('a token that ends credentials resets no password, and the other way round', async () => {
  await verify(server, account);
  await furnish();
  const { endToken } = await reset();
  const asReset = server.client().auth.resetPassword({ token: endToken as string, password });
  expect(await refusalOf(asReset)).toBe('400 MAILED_TOKEN_INVALID');
  const mailed = await askForReset(server, account.email);
  expect(await refusalOf(server.client().auth.endCredentials({ token: mailed }))).toBe('400 MAILED_TOKEN_INVALID');
});
