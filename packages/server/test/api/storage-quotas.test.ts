import { describe, expect, test } from 'vitest';
import type { TestAgent, TestOwner } from '../support/harness.ts';
import { listed } from './artifacts-scene.ts';
import { day, expectSoundLedger, goodOutput, hire, hireAndStart, makePair, pass, serverForFile } from './scene.ts';

const MIB = 1024 ** 2;
/** A task may need 8 MiB, an owner may have two such tasks and all together four. */
const server = serverForFile({
  config: {
    SANDBOX_DISK_BYTES: 4 * MIB,
    ARTIFACT_TOTAL_BYTES: 4 * MIB,
    STORAGE_OWNER_BYTES: 20 * MIB,
    STORAGE_TOTAL_BYTES: 36 * MIB,
  },
});

const sums = async () => {
  const { rows } = await server.pool.query(
    `select role, owner_id as owner, bytes::int from storage_sums where bytes <> 0`,
  );
  return Object.fromEntries(rows.map(({ role, owner, bytes }) => [role === 'all' ? role : `${role} ${owner}`, bytes]));
};
const total = async () => (await sums()).all ?? 0;

/** What the sums should be, from what they sum up. */
const recounted = async () =>
  Number(
    (
      await server.pool.query(
        `select coalesce((select sum(set_aside + artifacts) from task_storage), 0)
           + coalesce((select sum(size_bytes) from kept_trees), 0) as n`,
      )
    ).rows[0].n,
  );

async function opened(buyer: TestOwner, agent: TestAgent): Promise<string> {
  const { id } = await hireAndStart({ buyer, agent });
  await agent.agora.sandbox.exec(id, { command: 'mkdir -p output; head -c 100000 /dev/zero > output/result' });
  return id;
}

const quotaOf = async (call: Promise<unknown>) =>
  call.then(
    () => 'no refusal',
    (error) => `${error.status} ${error.code} ${error.details.quota}`,
  );

const until = (wanted: string, work: () => Promise<unknown>) => expect.poll(() => quotaOf(work())).toBe(wanted);

const finish = async (ids: [TestAgent, string][]) => {
  for (const [agent, id] of ids) await agent.agora.tasks.complete(id, { output: goodOutput });
  await server.app.sweep();
};

describe('what is stored for an owner has a quota', () => {
  test('a buyer learns of it before a task begins, and a task that has begun is delivered and paid', async () => {
    const { buyer, agent } = await makePair(server);
    const { agent: other } = await makePair(server);
    const first = await opened(buyer, agent);
    const { agent: third } = await makePair(server);
    const committed = await hireAndStart({ buyer, agent: third });
    const waiting = await hire({ buyer, agent: other });
    const provision = () => other.agora.sandbox.provision(waiting.id, { idempotencyKey: 'the same' });
    const second = await opened(buyer, other);
    expect(await total()).toBe(16 * MIB);
    await until('409 STORAGE_QUOTA_REACHED buyer', () => hire({ buyer, agent }));
    expect(await quotaOf(provision())).toBe('409 STORAGE_QUOTA_REACHED buyer');
    // It had committed before; that its buyer has no room left is not its fault.
    const { data } = await third.agora.sandbox.exec(committed.id, { command: 'echo done' });
    expect(data.stdout).toBe('done\n');
    expect((await agent.agora.tasks.complete(first, { output: goodOutput })).status).toBe('completed');
    expect((await listed({ buyer, seller: agent.owner, agent }, first)).map(({ dropped }) => dropped)).toEqual([null]);
    await server.app.sweep();
    // Of the first there is left what it delivered.
    expect(await total()).toBe(16 * MIB + 100_000);
    await third.agora.tasks.complete(committed.id, { output: goodOutput });
    await finish([[other, second]]);
    await until('no refusal', provision);
    await other.agora.tasks.decline(waiting.id);
    await pass(server, 8 * day);
    expect(await sums()).toEqual({});
    expect(await total()).toBe(await recounted());
  });

  test('so does a seller, for any buyer', async () => {
    const { buyer, agent, seller } = await makePair(server);
    const { buyer: another } = await makePair(server);
    const sister = await seller.agent();
    const ids = [await opened(buyer, agent), await opened(another, sister)];
    const { id } = await hire({ buyer, agent });
    expect(await quotaOf(agent.agora.sandbox.provision(id))).toBe('409 STORAGE_QUOTA_REACHED seller');
    // The buyer can hire somebody else.
    const { agent: elsewhere } = await makePair(server);
    const third = await opened(buyer, elsewhere);
    await agent.agora.tasks.decline(id);
    await finish([
      [agent, ids[0] as string],
      [sister, ids[1] as string],
      [elsewhere, third],
    ]);
    await pass(server, 8 * day);
    expect(await sums()).toEqual({});
  });

  test('and all together have one', async () => {
    const pairs = await Promise.all(Array.from({ length: 5 }, () => makePair(server)));
    const tasks = await Promise.all(pairs.map((pair) => hire(pair)));
    const outcomes = await Promise.all(
      pairs.map(({ agent }, at) => quotaOf(agent.agora.sandbox.provision(tasks[at]?.id as string))),
    );
    expect(outcomes.sort()).toEqual(['503 STORAGE_FULL total', ...Array(4).fill('no refusal')]);
    const { buyer, agent } = await makePair(server);
    await until('503 STORAGE_FULL total', () => hire({ buyer, agent }));
    for (const [at, { agent }] of pairs.entries()) await agent.agora.tasks.decline(tasks[at]?.id as string);
    await server.app.sweep();
    expect(await sums()).toEqual({});
    await until('no refusal', () => hire({ buyer, agent }));
    await expectSoundLedger(server);
  });

  test('which holds however many sandboxes start at once', async () => {
    const { buyer, seller } = await makePair(server);
    const agents = await Promise.all(Array.from({ length: 6 }, () => seller.agent()));
    const tasks = await Promise.all(agents.map((agent) => hire({ buyer, agent })));
    const outcomes = await Promise.all(
      agents.map((agent, at) => quotaOf(agent.agora.sandbox.provision(tasks[at]?.id as string))),
    );
    expect(outcomes.filter((outcome) => outcome === 'no refusal')).toHaveLength(2);
    expect(await total()).toBe(16 * MIB);
    for (const [at, agent] of agents.entries()) await agent.agora.tasks.decline(tasks[at]?.id as string);
    await server.app.sweep();
    expect(await sums()).toEqual({});
  });

  test('wrong sums are corrected within an hour', async () => {
    const { buyer, agent } = await makePair(server);
    await finish([[agent, await opened(buyer, agent)]]);
    const before = await sums();
    expect(before.all).toBe(100_000);
    await server.pool.query('update storage_sums set bytes = bytes + 7');
    await server.pool.query(`insert into storage_sums values (gen_random_uuid(), 'seller', 9)`);
    await pass(server, day / 24 + 1);
    await expect.poll(sums).toEqual(before);
    await pass(server, 8 * day);
    expect(await sums()).toEqual({});
  });
});
