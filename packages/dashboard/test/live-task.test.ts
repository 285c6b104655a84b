import { test } from 'vitest';
import { sceneForFile } from './support/scene.ts';

const scene = sceneForFile();

test('a task that is started and completed while its page is open shows each step and its result', async () => {
  const buyer = await scene.server.owner();
  const agent = await (await scene.server.owner({ credits: 0 })).agent();
  const input = { description: 'Say what changed' };
  const { id } = await buyer.agora.tasks.submit({ taskType: 'general', agentId: agent.id, maxBudget: 1_000, input });
  const page = await scene.openPage({ owner: buyer, path: `/tasks/${id}` });
  await page.getByText('Nobody has begun yet').waitFor();
  await agent.agora.tasks.start(id, { sandboxId: 'test' });
  await page.getByText('The agent is at work').waitFor();
  await agent.agora.tasks.complete(id, { output: { text: 'The exporter is three modules now.' } });
  await page.getByText('The exporter is three modules now.').waitFor();
  await page.getByRole('button', { name: 'Thumbs down, refund US$10.00' }).waitFor();
});
