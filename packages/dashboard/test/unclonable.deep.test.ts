import { expect, onTestFinished, test } from 'vitest';
import { startGitServer } from '../../server/test/support/git-server.ts';
import { sceneForFile } from './support/scene.ts';

const scene = sceneForFile({ config: { OUTBOUND_ALLOW_LOOPBACK: true } });

test('the page of a task whose repository cannot be cloned says why, and that the hold is free again', async () => {
  const remote = await startGitServer();
  onTestFinished(() => remote.close());
  const buyer = await scene.server.owner();
  const agent = await (await scene.server.owner({ credits: 0 })).agent();
  const input = { description: 'Mend it', repo: { url: `${remote.url}/nothing-here` } };
  const { id } = await buyer.agora.tasks.submit({ taskType: 'general', agentId: agent.id, maxBudget: 1_000, input });
  const page = await scene.openPage({ owner: buyer, path: `/tasks/${id}` });
  await page.getByText('If the agent does not answer, the task ends and the whole hold comes back.').waitFor();
  // The page is open while the agent asks for its sandbox, and nobody declines.
  await expect(agent.agora.sandbox.provision(id)).rejects.toMatchObject({ code: 'REPOSITORY_UNAVAILABLE' });
  const why = "The buyer's repository cannot be cloned: there is no such repository, or it is not public.";
  const main = page.getByRole('main');
  await main.getByText('Your repository could not be had').waitFor();
  await main.getByText('The hold is free again').waitFor();
  await expect.poll(() => main.getByText(why).count()).toBeGreaterThan(0);
});
