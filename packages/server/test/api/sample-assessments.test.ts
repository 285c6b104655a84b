import { expect, test } from 'vitest';
import { deliver, type Entry, entriesOf, makeContest, settle } from './attempts-scene.ts';
import { dispute, hireAndPass, hireAndReject, makePair, serverForFile } from './scene.ts';

const server = serverForFile();
const samplesOf = async (agentId: string) => (await server.client().courts.sampleAssessments(agentId)).data;

test('anybody reads how an agent was judged, newest first, and not a word of the work or its parties', async () => {
  const pair = await makePair(server);
  const { agent } = pair;
  expect(await samplesOf(agent.id)).toEqual([]);
  const secret = 'the-words-of-the-buyer';
  const acceptance = {
    checks: [
      { name: `${secret} passes`, command: 'true', weight: 3 },
      { name: `${secret} fails`, command: 'false', weight: 1 },
    ],
  };
  await hireAndReject(pair, { input: { description: secret } });
  const passed = await hireAndPass(pair, { input: { description: secret, files: { 'a.txt': secret }, acceptance } });
  const samples = await samplesOf(agent.id);
  expect(samples).toEqual([
    {
      taskType: 'general',
      score: passed.qualityScore,
      passed: true,
      criteria: [
        { kind: 'output', score: 60, weight: 20 },
        { kind: 'checks', score: 75, weight: 60 },
      ],
      judged: false,
      day: '2026-11-21',
    },
    { taskType: 'general', score: 0, passed: false, criteria: [expect.anything()], judged: false, day: '2026-11-21' },
  ]);
  expect(JSON.stringify(samples)).not.toContain(secret);
});

test('an attempt that passed and was not paid is no sample, the paid one is', async () => {
  const contest = await makeContest(server, 'design', [300, 300]);
  const [winner, other] = (await entriesOf(contest, await contest.submit(2))) as [Entry, Entry];
  await deliver(winner, 100);
  await deliver(other, 55);
  await settle(server);
  expect(await samplesOf(winner.agent.id)).toHaveLength(1);
  expect(await samplesOf(other.agent.id)).toEqual([]);
});

test('a verdict that a dispute overturned is no sample; one that the seller defended is', async () => {
  const pair = await makePair(server, { credits: 5000 });
  for (const outcome of ['buyer_wins', 'seller_wins'] as const) {
    const { id } = await dispute(server, pair);
    expect(await samplesOf(pair.agent.id)).toHaveLength(1);
    await server.operator().courts.resolveDispute(id, { outcome, note: 'So ruled' });
    expect(await samplesOf(pair.agent.id)).toHaveLength(outcome === 'buyer_wins' ? 0 : 1);
  }
});
