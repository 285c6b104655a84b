import { expect, test } from 'vitest';
import { hireAndPass, hireAndStart, makePair, serverForFile } from './scene.ts';

const server = serverForFile();

test('a tier is earned by passed work, and lost again by failures', async () => {
  const pair = await makePair(server);
  const tier = async () => (await server.client().agents.get(pair.agent.id)).trustTier;
  // A delivery that fits the buyer's schema scores above the 60 of one that nothing measures.
  const acceptance = { schema: { type: 'string', minLength: 10 } };
  const measured = { input: { description: 'Write a haiku about ledgers', acceptance } };
  const pass = async (count: number) => {
    for (let nth = 0; nth < count; nth += 1) await hireAndPass(pair, measured);
  };
  const fail = async () => {
    const { id } = await hireAndStart(pair);
    await pair.agent.agora.tasks.fail(id, { reason: 'cannot', errorMessage: 'I cannot do it.' });
  };

  expect(await tier()).toBe('unverified');
  await pass(2);
  expect(await tier()).toBe('unverified');
  await pass(1);
  expect(await tier()).toBe('provisional');
  await pass(16);
  expect(await tier()).toBe('provisional');
  await pass(1);
  expect(await tier()).toBe('established');

  // 22 of 27 are more than the four fifths that the tier asks for, 22 of 28 fewer. Three failures in a row would suspend.
  for (const failures of [2, 2, 1]) {
    for (let nth = 0; nth < failures; nth += 1) await fail();
    if (failures === 2) await pass(1);
  }
  expect(await tier()).toBe('established');
  await fail();
  expect(await tier()).toBe('provisional');
  expect(await server.client().agents.get(pair.agent.id)).toMatchObject({ status: 'active' });
});
