import { terminalStatuses } from '@agora-market/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chance } from '../simulation/chance.ts';
import type { TestAgent, TestOwner } from '../support/harness.ts';
import { goodOutput, minute, pass, refusalOf, type SecondApp, serverForFile, startSecondApp } from './scene.ts';

// Time goes on in leaps here; only the longest make an agent silent.
const server = serverForFile({ config: { AGENT_SILENT_MS: 40 * minute } });
let other: SecondApp;
beforeAll(async () => {
  other = await startSecondApp(server);
});
afterAll(() => other.app.close());

const seed = Number(process.env.VANISHING_SEED ?? 1);
const tasksInAll = Number(process.env.VANISHING_TASKS ?? 60);
/** What agents may be told: the task has moved on, or they have failed too often. */
const expected = ['no refusal', '409 TASK_WRONG_STATE', '403 NOT_A_PARTY', '403 AGENT_SUSPENDED'];

/** Agents of all kinds at two processes; most tasks meet one that disappoints them. */
async function disappoint(random: ReturnType<typeof chance>, agent: TestAgent): Promise<string[]> {
  const agora = random.yes(0.5) ? agent.agora : agent.agora.withOptions({ baseUrl: other.url });
  const answers: string[] = [];
  const say = async (call: Promise<unknown>) => answers.push(await refusalOf(call));
  // Vanishes for a while, with what it has.
  if (random.yes(0.4)) return answers;
  const poll = await agora.tasks.assigned({ pageSize: 5 }).catch(() => ({ data: [] }));
  for (const { id } of poll.data) {
    const whim = random.of(['decline', 'ignore', 'hang', 'do', 'do', 'fail', 'both'] as const);
    if (whim === 'decline') await say(agora.tasks.decline(id, { reason: 'No' }));
    if (whim === 'both') {
      await Promise.all([say(agent.agora.tasks.decline(id)), say(agora.tasks.start(id, { sandboxId: 'x' }))]);
    }
    if (!['hang', 'do', 'fail'].includes(whim)) continue;
    await say(agora.tasks.start(id, { sandboxId: 'x' }));
    if (whim === 'do') await say(agora.tasks.complete(id, { output: goodOutput }));
    if (whim === 'fail') await say(agora.tasks.fail(id, { reason: 'broken' }));
  }
  return answers;
}

// Which ways they take is chance; assignment.test.ts walks each of them.
test(`agents that vanish, decline, hang and fail leave no task stuck, no credit held and none lost (seed ${seed})`, async () => {
  const random = chance(seed);
  const [buyer, ...sellers] = (await Promise.all([
    server.owner({ credits: 900_000 }),
    server.owner({ credits: 0 }),
    server.owner({ credits: 0 }),
  ])) as [TestOwner, TestOwner, TestOwner];
  const agents: TestAgent[] = [];
  for (let each = 0; each < 10; each++) agents.push(await random.of(sellers).agent());
  // Each agent draws for itself, so that it matters little who is faster.
  const whims = agents.map((_, at) => chance(1_000 * seed + at));
  const answers: string[] = [];
  const ids: string[] = [];
  while (ids.length < tasksInAll) {
    const agora = random.yes(0.5) ? buyer.agora : buyer.agora.withOptions({ baseUrl: other.url });
    for (let each = random.below(6); each >= 0; each--) {
      const hired = random.yes(0.25) ? { agentId: random.of(agents).id } : {};
      const body = { taskType: 'general' as const, maxBudget: random.of([1000, 1700]), input: {}, ...hired };
      const task = await agora.tasks.submit(body).catch((error) => {
        expect(['NO_AGENTS_AVAILABLE', 'HIRE_TARGET_NOT_ACTIVE']).toContain(error.code);
      });
      if (task) ids.push(task.id);
    }
    const round = await Promise.all([
      ...agents.map((agent, at) => disappoint(whims[at] as ReturnType<typeof chance>, agent)),
      random.yes(0.3) && ids.length > 0 ? refusalOf(agora.tasks.cancel(random.of(ids.slice(-4)))) : [],
      random.yes(0.5) ? other.app.sweep().then(() => []) : [],
    ]);
    answers.push(...round.flat());
    await pass(server, random.of([0, minute, 4 * minute, 15 * minute, 15 * minute, 61 * minute]));
    for (const seller of sellers) {
      for (const { id, status } of (await seller.agora.agents.listOwn({ pageSize: 20 })).data) {
        if (status === 'suspended') await seller.agora.agents.reactivate(id);
      }
    }
  }
  expect(answers.filter((answer) => !expected.includes(answer))).toEqual([]);
  // Nobody does anything any more: deadlines and gates end what is left.
  for (let round = 0; round < 5; round++) await pass(server, 61 * minute);
  const { rows } = await server.pool.query<{ status: string; n: number }>(
    'select status, count(*)::int as n from tasks group by 1',
  );
  const ended: readonly string[] = terminalStatuses;
  expect(rows.filter(({ status }) => !ended.includes(status))).toEqual([]);
  expect(rows.reduce((sum, { n }) => sum + n, 0)).toBe(ids.length);
  const { balance, held } = await buyer.agora.vault.getPool();
  const { rows: paid } = await server.pool.query<{ cents: string }>(
    `select sum(price) as cents from tasks where status = 'completed'`,
  );
  expect([balance, held]).toEqual([900_000 - Number(paid[0]?.cents), 0]);
  for (const seller of sellers) {
    for (const agent of (await seller.agora.agents.listOwn({ pageSize: 20 })).data)
      expect(agent.capacity.openTasks).toBe(0);
  }
});
