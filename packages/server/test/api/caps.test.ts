import { agentsByPlan, agentsMadePerPlace, ownedAtMost } from '@agora-market/contract';
import { expect, test } from 'vitest';
import { queueStates } from '../../src/jobs/index.ts';
import { createTestProcessor } from '../../src/vault/payments/processor-test.ts';
import { refusalOf, serverForFile } from './scene.ts';

/** What an owner can make without end has an end, also where many requests come at once. */

const detached: string[] = [];
const server = serverForFile({
  processor: {
    ...createTestProcessor(),
    /** Every id is a card of its own. */
    saveMethod: async ({ ownerId, paymentMethodId }) => ({
      ...{ status: 'saved', customerRef: `customer_${ownerId}`, id: paymentMethodId },
      ...{ brand: 'visa', last4: '4242', expMonth: 12, expYear: 2040, fingerprint: paymentMethodId },
    }),
    detachMethod: async ({ paymentMethodId }) => void detached.push(paymentMethodId),
  },
});

const outcomeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    () => refusalOf(work),
  );

/** How 64 requests at once came out: how often each outcome. */
async function outcomes(request: (nth: number) => Promise<unknown>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const each of await Promise.all(Array.from({ length: 64 }, (_, nth) => outcomeOf(request(nth)))))
    counts[each] = (counts[each] ?? 0) + 1;
  return counts;
}

const countOf = async (table: string, email: string) =>
  Number(
    (
      await server.pool.query(
        `select count(*) as n from ${table} x join owners o on o.id = x.owner_id where o.email = $1`,
        [email],
      )
    ).rows[0].n,
  );

test('an owner has at most 50 developer tokens, and revoking one makes room for another', async () => {
  const { agora, email } = await server.owner({ credits: 0 });
  const limit = ownedAtMost.developerTokens;
  expect(await outcomes(() => agora.auth.createToken({ name: 'ci' }))).toEqual({
    done: limit,
    '403 TOKEN_LIMIT_REACHED': 64 - limit,
  });
  expect(await countOf('developer_tokens', email)).toBe(limit);
  const [token] = (await agora.auth.listTokens()).data;
  await agora.auth.revokeToken(token?.id as string);
  await agora.auth.createToken({ name: 'in its place' });
});

test('the session that was not used for the longest ends when the hundred and first starts', async () => {
  const owner = await server.owner({ credits: 0 });
  const signIn = () => server.client().auth.signIn({ email: owner.email, password: 'correct horse' });
  const session = async (token: string) => outcomeOf(server.client({ ownerToken: token }).auth.session());
  server.clock.advance(120_000);
  const second = await signIn();
  server.clock.advance(120_000);
  // The first is used again, so that the second is the one that nobody misses.
  expect(await session(owner.token)).toBe('done');
  server.clock.advance(120_000);
  // As 98 sign-ins would leave them, without the time that 98 passwords take.
  await server.pool.query(
    `insert into sessions (token_hash, owner_id, created_at, expires_at, id)
     select sha256(n::text::bytea), id, $2, $3, gen_random_uuid()
     from owners, generate_series(3, $4::int) n where email = $1`,
    [
      owner.email,
      server.clock.now(),
      new Date(server.clock.now().getTime() + server.config.SESSION_IDLE_MS),
      ownedAtMost.sessions,
    ],
  );
  expect(await countOf('sessions', owner.email)).toBe(ownedAtMost.sessions);
  await signIn();
  expect(await session(second.token)).toBe('401 INVALID_SESSION');
  expect(await session(owner.token)).toBe('done');
  await Promise.all([signIn(), signIn(), signIn(), signIn()]);
  expect(await countOf('sessions', owner.email)).toBe(ownedAtMost.sessions);
});

test('an owner has 20 payment methods at most; the processor forgets a card that came too late', async () => {
  const { agora, email } = await server.owner({ credits: 0 });
  const limit = ownedAtMost.paymentMethods;
  expect(await outcomes((nth) => agora.vault.addPaymentMethod({ paymentMethodId: `pm_${nth}` }))).toEqual({
    done: limit,
    '403 PAYMENT_METHOD_LIMIT_REACHED': 64 - limit,
  });
  expect(await countOf('payment_methods', email)).toBe(limit);
  const saved = (await agora.vault.listPaymentMethods({ pageSize: 100 })).data.map(({ id }) => id);
  expect(saved).toHaveLength(limit);
  // What is saved already is told so, full or not.
  expect(await refusalOf(agora.vault.addPaymentMethod({ paymentMethodId: saved[0] as string }))).toBe('409 DUPLICATE');
  await server.app.sweep();
  expect(detached.filter((id) => saved.includes(id))).toEqual([]);
  // Those that came too late and only those, each once.
  expect(new Set(detached).size).toBe(detached.length);
  const states = await queueStates(server.pool, server.clock.now());
  expect(states.filter(({ kind }) => kind.startsWith('vault.'))).toEqual([]);
  await agora.vault.removePaymentMethod(saved[0] as string);
  await agora.vault.addPaymentMethod({ paymentMethodId: 'pm_another' });
});

test('an owner who registers and deactivates agents in turn reaches a limit, and can reactivate one', async () => {
  const owner = await server.owner({ credits: 0 });
  const most = agentsByPlan.free * agentsMadePerPlace;
  const first = await owner.agent();
  await owner.agora.agents.deactivate(first.id);
  await server.pool.query(
    `insert into agents select (jsonb_populate_record(a, jsonb_build_object('id', gen_random_uuid(),
       'key_hash', '\\x' || encode(sha256(n::text::bytea), 'hex')))).* from agents a, generate_series(1, $2) n
     where a.owner_id = (select id from owners where email = $1)`,
    [owner.email, most - 2],
  );
  expect(await outcomes(() => owner.agent())).toEqual({ done: 1, '403 AGENT_LIMIT_REACHED': 63 });
  expect(await countOf('agents', owner.email)).toBe(most);
  await owner.agora.agents.reactivate(first.id);
});
