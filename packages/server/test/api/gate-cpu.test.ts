import { Agora, type Body, type RateLimitError } from '@agora-market/sdk';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { TestOwner } from '../support/harness.ts';
import { shared, startPeer } from './peer.ts';
import {
  goodOutput,
  hire,
  hireAndPass,
  hireAndStart,
  makePair,
  minute,
  type Pair,
  pass,
  serverForFile,
} from './scene.ts';

const hour = 60 * minute;
const limitMs = 600;
const server = serverForFile({ config: { ...shared, GATE_CPU_MINUTES: limitMs / minute } });

/** Takes so much CPU time, and the little that its start takes. */
const burn = (cpuMs: number) => `node -e "while (process.cpuUsage().user < ${cpuMs * 1000});"`;
const description = 'Write a haiku about ledgers';
const burning = (cpuMs: number, exit = 0): Partial<Body<'tasks.submit'>> => ({
  input: { description, acceptance: { checks: [{ name: 'burns', command: `${burn(cpuMs)}; exit ${exit}` }] } },
});
const free = { input: { description } };

const gateCpuOf = async ({ agora }: Pick<TestOwner, 'agora'>) =>
  (await agora.tasks.quote({ taskType: 'general' })).gateCpu;
const usedBy = async (buyer: TestOwner) => (await gateCpuOf(buyer)).usedMs;

/** Has a task of the pair judged; gives the id of the assessment. */
async function judged(pair: Pick<Pair, 'buyer' | 'agent'>, fields: Partial<Body<'tasks.submit'>>) {
  const { id } = await hireAndStart(pair, fields);
  await pair.agent.agora.tasks.complete(id, { output: goodOutput });
  await verdictOn(pair, id);
  return { id, assessmentId: (await pair.buyer.agora.tasks.get(id)).assessmentId as string };
}

const verdictOn = ({ buyer }: Pick<Pair, 'buyer'>, id: string) =>
  expect.poll(async () => (await buyer.agora.tasks.get(id)).status).not.toMatch(/executing|quality_check/);

const refused = (call: Promise<unknown>): Promise<RateLimitError | 'no refusal'> =>
  call.then(
    () => 'no refusal',
    (error) => error,
  );

async function usesUp(pair: Pick<Pair, 'buyer' | 'agent'>): Promise<void> {
  await judged(pair, burning(limitMs + 50));
  await expect.poll(() => usedBy(pair.buyer)).toBeGreaterThan(limitMs);
}

describe('CPU time of gates', () => {
  test('beyond the allowance only tasks whose gate runs commands are refused, until the window has passed', async () => {
    const [pair, other] = await Promise.all([makePair(server), makePair(server)]);
    const { buyer } = pair;
    expect(await gateCpuOf(buyer)).toEqual({ usedMs: 0, limitMs, windowSeconds: 86_400 });
    const early = { buyer, agent: await pair.seller.agent() };
    const accepted = await hireAndStart(early, burning(50));
    server.clock.advance(hour / 2);
    await usesUp(pair);

    const error = (await refused(hire(pair, burning(1)))) as RateLimitError;
    const used = Math.round((await usedBy(buyer)) / 600) / 100;
    expect(error).toMatchObject({ status: 429, code: 'RATE_LIMITED', retryAfterSeconds: 23.5 * 3600 });
    expect(error.details).toEqual({
      scope: 'gateCpu',
      limit: limitMs / minute,
      used,
      windowSeconds: 86_400,
      setting: 'GATE_CPU_MINUTES',
      retryAfter: 23.5 * 3600,
    });
    expect(error.message).toContain(`${used} of 0.01 CPU minutes`);
    expect(error.message).toContain('submit tasks without checks that change no code');
    // The tests of a project, its build and linter are commands too.
    expect(await refused(hire(pair, { ...free, taskType: 'bug_fix' }))).toMatchObject({ code: 'RATE_LIMITED' });
    const foreman = await buyer.agent();
    const asAgent = foreman.agora.tasks.submitAsAgent({
      ...{ taskType: 'general' as const, maxBudget: 1000, agentId: pair.agent.id },
      input: burning(1).input as Body<'tasks.submit'>['input'],
    });
    expect(await refused(asAgent)).toMatchObject({ code: 'RATE_LIMITED' });
    await hireAndPass(pair, free);
    await judged(other, burning(1));
    // Booked before the clock is moved: a booking is a moment behind its verdict.
    await expect.poll(() => usedBy(other.buyer)).toBeGreaterThan(0);
    const usedBefore = await usedBy(buyer);

    // What was accepted before is judged and paid.
    await early.agent.agora.tasks.complete(accepted.id, { output: goodOutput });
    await verdictOn(pair, accepted.id);
    expect((await buyer.agora.tasks.get(accepted.id)).status).toBe('completed');
    await expect.poll(() => usedBy(buyer)).toBeGreaterThanOrEqual(usedBefore + 50);

    server.clock.advance(23.5 * hour - 1);
    expect(await refused(hire(pair, burning(1)))).toMatchObject({ retryAfterSeconds: 1 });
    await pass(server, 1);
    expect(await hoursKept()).toBe(0);
    expect(await usedBy(buyer)).toBe(0);
    await judged(pair, burning(1));
  });

  test('is what all servers of a database have booked together', async () => {
    const [pair, second] = await Promise.all([makePair(server), makePair(server)]);
    const { buyer } = pair;
    const peer = await startPeer(server);
    onTestFinished(() => peer.close());
    const at = (url: string, options: object) => new Agora({ baseUrl: url, maxRetries: 0, ...options });
    const elsewhere = { ...buyer, agora: at(peer.url, { ownerToken: buyer.token }) };
    const agentThere = { ...second.agent, agora: at(peer.url, { agentKey: second.agent.key }) };
    const part = burning(limitMs / 2 + 20);
    await Promise.all([judged(pair, part), judged({ buyer: elsewhere, agent: agentThere }, part)]);
    await expect.poll(() => usedBy(buyer)).toBeGreaterThan(limitMs);
    expect(await usedBy(elsewhere)).toBe(await usedBy(buyer));
    for (const each of [buyer, elsewhere]) {
      // Each server looks every few seconds at what the others have booked.
      await expect
        .poll(() => refused(hire({ buyer: each, agent: pair.agent }, burning(1))))
        .toMatchObject({ code: 'RATE_LIMITED' });
    }
  });

  test('of a dispute counts against the buyer who filed it, of an appeal against nobody, and the buyer sees both', async () => {
    const [pair, failing] = await Promise.all([makePair(server), makePair(server)]);
    const { id, assessmentId } = await judged(pair, burning(100));
    await expect.poll(() => usedBy(pair.buyer)).toBeGreaterThanOrEqual(100);
    const before = await usedBy(pair.buyer);
    const first = await pair.buyer.agora.courts.getAssessment(assessmentId);
    expect(first.gateCpuMs).toBe(before);
    // It would tell the agent of checks that are held out.
    expect((await pair.agent.agora.courts.getAssessment(assessmentId)).gateCpuMs).toBeNull();

    const rejected = await judged(failing, burning(100, 1));
    await expect.poll(() => usedBy(failing.buyer)).toBeGreaterThanOrEqual(100);
    const ofGate = await usedBy(failing.buyer);
    await failing.agent.agora.courts.appealAssessment(rejected.assessmentId);
    server.clock.advance(10 * minute + 1);
    const dispute = await pair.buyer.agora.tasks.dispute(id, { reason: 'It is no haiku' });
    await pair.agent.agora.courts.respondToDispute(dispute.id, { response: 'It has five, seven and five' });
    await pass(server, 0);
    await expect.poll(() => usedBy(pair.buyer)).toBeGreaterThanOrEqual(before + 100);

    const costOf = async ({ buyer }: Pair, taskId: string, wanted: string) => {
      const { data } = await buyer.agora.courts.listAssessments({ taskId });
      return data.find(({ purpose }) => purpose === wanted)?.gateCpuMs;
    };
    expect(await costOf(pair, id, 'dispute')).toBe((await usedBy(pair.buyer)) - before);
    await expect.poll(() => costOf(failing, rejected.id, 'appeal')).toBeGreaterThanOrEqual(100);
    expect(await usedBy(failing.buyer)).toBe(ofGate);
  });

  test('of a run that the platform could not bring to its end counts against nobody', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair, burning(100));
    await server.pool.query(`create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'refused for a test'; end $$;
      create trigger refuse before insert on assessments for each row execute function refuse()`);
    const isPutOff = async () => {
      const { rows } = await server.pool.query(
        `select due_at < $1::timestamptz + interval '1 minute' as put_off from tasks where status = 'quality_check'`,
        [server.clock.now().toISOString()],
      );
      return rows[0]?.put_off;
    };
    try {
      await pair.agent.agora.tasks.complete(id, { output: goodOutput });
      await expect.poll(isPutOff).toBe(true);
    } finally {
      await server.pool.query('drop trigger refuse on assessments; drop function refuse()');
    }
    expect(await usedBy(pair.buyer)).toBe(0);
    await pass(server, minute);
    await verdictOn(pair, id);
    await expect.poll(() => usedBy(pair.buyer)).toBeGreaterThanOrEqual(100);
    const { data } = await pair.buyer.agora.courts.listAssessments({ taskId: id });
    expect(data.map(({ gateCpuMs }) => gateCpuMs)).toEqual([await usedBy(pair.buyer)]);
  });

  test('is nothing where a gate opens no sandbox, and nothing is written', async () => {
    const pair = await makePair(server);
    await pass(server, 25 * hour);
    const { assessmentId } = await hireAndPass(pair, free);
    expect(await hoursKept()).toBe(0);
    expect((await pair.buyer.agora.courts.getAssessment(assessmentId as string)).gateCpuMs).toBeNull();
  });
});

/** Hours of all owners that are kept. */
const hoursKept = async (): Promise<number> =>
  (await server.pool.query('select count(*)::int as n from gate_cpu')).rows[0].n;
