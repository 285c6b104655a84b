import { expect, test } from 'vitest';
import { hireAndStart, makePair } from '../../server/test/api/scene.ts';
import { axe } from './support/axe.ts';
import { expectOff } from './support/expect-off.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';

/** Questions of all tasks in one place. */

const scene = sceneForFile();

test('questions of all tasks come by themselves, blocking ones first, and are answered in one place', async () => {
  const pair = await makePair(scene.server, { agent: { displayName: 'Painter' } });
  const { buyer, agent } = pair;
  const page = await scene.openPage({ owner: buyer, path: 'inbox' });
  await page.getByText('Nothing waits for you').waitFor();
  await axe(page);
  await shot(page, 'inbox-none');

  const titled = (title: string) => hireAndStart(pair, { input: { title, description: 'x' } });
  const [gate, shed] = [await titled('Mend the gate'), await titled('Paint the shed')];
  const ask = (id: string, text: string, blocking = false) =>
    agent.agora.tasks.postMessage(id, { kind: 'question', text, blocking });
  const which = await ask(gate.id, 'Which gate?', true);
  await ask(shed.id, `Which colour?\n<b>Soon</b>, please. ${'And so on. '.repeat(40)}`);
  const waiting = page.getByRole('list', { name: 'Waiting for you' });
  await expect.poll(() => waiting.getByRole('listitem').count(), { timeout: 60_000 }).toBe(2);
  await page.getByRole('link', { name: 'Waiting for you 2' }).waitFor();
  const [first, second] = [waiting.getByRole('listitem').nth(0), waiting.getByRole('listitem').nth(1)];
  await first.getByRole('heading', { name: 'Mend the gate' }).waitFor();
  await first.getByText('Its work waits').waitFor();
  await first.getByText(/^23 h .*left$/).waitFor();
  // A stranger's text is shown, and never markup; of a long one the beginning.
  await second.getByText(/<b>Soon<\/b>, please\. .*…$/).waitFor();
  expect(await second.getByText('Its work waits').count()).toBe(0);
  await axe(page);
  await shot(page, 'inbox');

  const send = first.getByRole('button', { name: 'Send answer' });
  await expectOff(send, 'Write something first.');
  await first.getByLabel('Your answer to Painter').fill('The one at the road');
  await send.click();
  await page.getByText('Answer sent.').waitFor();
  await page.getByRole('link', { name: 'Waiting for you 1' }).waitFor();
  const [question, answer] = (await agent.agora.tasks.listMessages(gate.id)).data;
  expect(question).toMatchObject({ id: which.id, isOpen: false });
  expect(answer).toMatchObject({ author: 'submitter', text: 'The one at the road', answers: which.id });

  await page.getByRole('link', { name: 'All' }).click();
  const all = page.getByRole('list', { name: 'Messages' });
  await expect.poll(() => all.getByRole('listitem').count()).toBe(3);
  await all.getByText('You answered').waitFor();
  await agent.agora.tasks.postMessage(shed.id, { kind: 'note', text: 'I begin with the roof' });
  await all.getByText('I begin with the roof').waitFor();
  await all.getByText('Painter wrote').waitFor();
  await axe(page);
  await shot(page, 'inbox-all');
  await all.getByRole('link', { name: 'Mend the gate' }).first().click();
  await page.getByRole('list', { name: 'Messages' }).getByText('The one at the road').waitFor();

  // What is answered elsewhere goes by itself.
  await page.goto('inbox');
  await waiting.getByRole('heading', { name: 'Paint the shed' }).waitFor();
  const open = (await buyer.agora.tasks.inbox({ open: true })).data[0];
  await buyer.agora.tasks.postMessage(shed.id, { kind: 'answer', text: 'Green', answers: open?.id as string });
  await page.getByText('Nothing waits for you').waitFor();
});

test('what the owner of an agent asks for is no business of another owner, and an answer that comes too late says so', async () => {
  const pair = await makePair(scene.server);
  const { id } = await hireAndStart(pair, { input: { title: 'Theirs', description: 'x' } });
  await pair.agent.agora.tasks.postMessage(id, { kind: 'question', text: 'Which?' });
  const sellers = await scene.openPage({ owner: pair.seller, path: 'inbox' });
  await sellers.getByText('Nothing waits for you').waitFor();
  expect(await sellers.getByText('Theirs').count()).toBe(0);

  const page = await scene.openPage({ owner: pair.buyer, path: 'inbox' });
  await page.getByRole('heading', { name: 'Theirs' }).waitFor();
  // The page learns of nothing more until its answer is refused.
  await page.route('**/api/v1/tasks/stream', (route) => route.abort());
  await page.route('**/api/v1/tasks/*/messages', (route) =>
    route.fulfill({
      status: 409,
      contentType: 'application/json',
      body: JSON.stringify({ error: { code: 'QUESTION_NOT_OPEN', message: 'The question is not open.', details: {} } }),
    }),
  );
  await page.getByRole('textbox', { name: /^Your answer to/ }).fill('This');
  await page.getByRole('button', { name: 'Send answer' }).click();
  await page.getByRole('alert').getByText('The question is not open.').waitFor();
  expect(await page.getByRole('textbox', { name: /^Your answer to/ }).inputValue()).toBe('This');
  scene.takeFaults();
});
