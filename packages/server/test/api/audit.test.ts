import { toUuid } from '@agora-market/contract';
import { describe, expect, test } from 'vitest';
import { ownerEvents } from '../../src/events/index.ts';
import { hireAndPass, hireAndReject, hireAndStart, makePair, minute, type Pair, pass, serverForFile } from './scene.ts';

/** What is logged for audit beside the steps of tasks. */

const server = serverForFile();

interface Logged {
  type: string;
  correlationId: string;
  data: Record<string, unknown>;
}

const whatIsLogged = ({ type, correlationId, data }: Logged): Logged => ({ type, correlationId, data });

async function ofOwner(id: string): Promise<Logged[]> {
  const events = await ownerEvents(server.pool, toUuid('owner', id) as string, { limit: 100 });
  return events.reverse().map(whatIsLogged);
}

async function ofAgent(id: string): Promise<Logged[]> {
  const { rows } = await server.pool.query<Logged>(
    `select type, correlation_id as "correlationId", data from events where agent_id = $1 order by seq`,
    [toUuid('agent', id)],
  );
  return rows;
}
const typesOf = (events: Logged[]) => events.map(({ type }) => type);

describe('sessions and developer tokens', () => {
  test('are logged when they are made and revoked, under the correlation id of the request, and without the secret', async () => {
    const owner = await server.owner({ credits: 0 });
    const again = await server.client().auth.signIn({ email: owner.email, password: 'correct horse' });
    const second = server.client({ ownerToken: again.token });
    const made = await second.auth.createToken({ name: 'ci' });
    await second.auth.revokeToken(made.id);
    const ended = await fetch(`${server.url}/api/v1/auth/sign-out`, {
      method: 'POST',
      headers: { authorization: `Bearer ${again.token}`, 'x-correlation-id': 'signing-out' },
    });
    expect(ended.status).toBe(204);
    const events = await ofOwner(owner.id);
    expect(typesOf(events)).toEqual([
      'owner.registered',
      'session.started',
      'session.started',
      'token.created',
      'token.revoked',
      'session.ended',
    ]);
    const named = { tokenId: made.id, name: 'ci', tokenPrefix: made.tokenPrefix };
    expect(events.slice(3, 5).map(({ data }) => data)).toEqual([named, named]);
    expect(events.at(-1)).toMatchObject({ correlationId: 'signing-out', data: { ownerId: owner.id } });
    // Signing up is one request.
    expect(events[1]?.correlationId).toBe(events[0]?.correlationId);
    for (const secret of [owner.token, again.token, made.token]) expect(JSON.stringify(events)).not.toContain(secret);
  });

  test('a refused sign-in and the revocation of a token that is not there leave nothing', async () => {
    const owner = await server.owner({ credits: 0 });
    const before = await ofOwner(owner.id);
    await server
      .client()
      .auth.signIn({ email: owner.email, password: 'wrong' })
      .catch(() => {});
    await owner.agora.auth.revokeToken('tkn_01jxyz3k9mf5t8v2q7h4n6p0rs').catch(() => {});
    expect(await ofOwner(owner.id)).toEqual(before);
  });
});

describe('earnings', () => {
  test('are logged as released when their hold ends, in the task and in its receipt', async () => {
    const pair = await makePair(server);
    const { id, correlationId } = await hireAndPass(pair);
    await pass(server, 15 * minute - 1);
    const typesNow = async () => (await pair.buyer.agora.tasks.events(id)).data.map((event) => event.eventType);
    expect(await typesNow()).not.toContain('earnings.released');
    await pass(server, 1);
    await pass(server, minute);
    const released = (await pair.agent.agora.tasks.events(id)).data.filter(
      (event) => event.eventType === 'earnings.released',
    );
    expect(released).toMatchObject([
      { sourceDistrict: 'vault', data: { amount: 850 }, metadata: { correlationId, taskId: id } },
    ]);
    const receipt = await pair.buyer.agora.tasks.receipt(id);
    expect(receipt.entries.at(-1)?.event.eventType).toBe('earnings.released');
  });

  test('that a thumbs-down took back are never logged as released', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndPass(pair);
    await pair.buyer.agora.tasks.feedback(id, { direction: 'down' });
    await pass(server, 16 * minute);
    const { data } = await pair.buyer.agora.tasks.events(id);
    expect(data.map((event) => event.eventType)).not.toContain('earnings.released');
  });
});

describe('tier and suspension', () => {
  const correlationsOf = async ({ agent }: Pair, type: string) =>
    (await ofAgent(agent.id)).filter((event) => event.type === type);

  test('a suspension carries the correlation id of the failure that brought it about', async () => {
    const pair = await makePair(server);
    await hireAndReject(pair);
    await hireAndReject(pair);
    const { correlationId } = await hireAndReject(pair);
    expect(await correlationsOf(pair, 'agent.suspended')).toEqual([
      { type: 'agent.suspended', correlationId, data: { consecutiveFailures: 3 } },
    ]);
  });

  test('of failures that fall together it carries that of the third', async () => {
    const pair = await makePair(server);
    const started = [];
    for (let each = 0; each < 5; each++) started.push(await hireAndStart(pair));
    // Those that come after the third, in a batch of their own, are refused: the agent is suspended by then.
    await Promise.allSettled(started.map(({ id }) => pair.agent.agora.tasks.fail(id, { reason: 'cannot' })));
    const { rows } = await server.pool.query<{ correlationId: string }>(
      `select correlation_id as "correlationId" from events where agent_id = $1 and type = 'task.failed' order by seq`,
      [toUuid('agent', pair.agent.id)],
    );
    expect(rows.length).toBeGreaterThanOrEqual(3);
    expect(await correlationsOf(pair, 'agent.suspended')).toMatchObject([{ correlationId: rows[2]?.correlationId }]);
  });

  test('a change of tier is logged once, with the task that caused it', async () => {
    const pair = await makePair(server);
    await hireAndPass(pair);
    await hireAndPass(pair);
    expect(await correlationsOf(pair, 'agent.tier_changed')).toEqual([]);
    const third = await hireAndPass(pair);
    await hireAndPass(pair);
    const up = { from: 'unverified', to: 'provisional' };
    expect(await correlationsOf(pair, 'agent.tier_changed')).toEqual([
      { type: 'agent.tier_changed', correlationId: third.correlationId, data: up },
    ]);
    expect((await pair.agent.agora.agents.me()).trustTier).toBe('provisional');
  });
});

describe('the events of an owner', () => {
  test('are those of its own that are about no task, newest first, and pages of any size give each once', async () => {
    const pair = await makePair(server);
    await hireAndPass(pair);
    await hireAndReject(await makePair(server));
    for (const name of ['one', 'two', 'three']) await pair.buyer.agora.auth.createToken({ name });
    const ownerId = toUuid('owner', pair.buyer.id) as string;
    const whole = await ownerEvents(server.pool, ownerId, { limit: 100 });
    expect(whole.slice(0, 3).map(({ data }) => data.name)).toEqual(['three', 'two', 'one']);
    expect(whole.at(-1)?.type).toBe('owner.registered');
    const { rows } = await server.pool.query<{ type: string }>(
      'select type from events where owner_id = $1 and task_id is null order by seq desc',
      [ownerId],
    );
    expect(typesOf(whole)).toEqual(rows.map(({ type }) => type));
    for (const limit of [1, 2, 3, 5]) {
      const walked: typeof whole = [];
      for (let more = true; more; ) {
        const page = await ownerEvents(server.pool, ownerId, { before: walked.at(-1)?.seq, limit });
        walked.push(...page);
        more = page.length === limit;
      }
      expect(walked).toEqual(whole);
    }
  });

  test('are found by an index in which the life of a task has no entry', async () => {
    const entries = async () => {
      await server.pool.query('analyze events');
      const { rows } = await server.pool.query(
        `select reltuples::int as n from pg_class where relname = 'events_owner'`,
      );
      return rows[0].n;
    };
    const pair = await makePair(server);
    const before = await entries();
    const { id } = await hireAndPass(pair);
    await pass(server, 16 * minute);
    expect((await pair.buyer.agora.tasks.events(id)).data.at(-1)?.eventType).toBe('earnings.released');
    expect(await entries()).toBe(before);
    await pair.buyer.agora.auth.createToken({ name: 'one more' });
    expect(await entries()).toBe(before + 1);
  });
});
