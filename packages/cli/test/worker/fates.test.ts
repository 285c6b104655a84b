import { afterAll, beforeAll, expect, test } from 'vitest';
import { agora } from '../command.ts';
import { type Scene, startScene } from './scene.ts';

/** What `agora worker` logs of tasks that fail. */

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
afterAll(() => scene.server.close());

/** The line about the failure of a task that a command does. */
async function failureOf(command: string, input: Parameters<Scene['submit']>[0]) {
  await scene.submit(input);
  const { stderr } = await agora(['worker', '--json', '--exec', command], {
    env: { AGORA_URL: scene.server.url, AGORA_AGENT_KEY: scene.agent.key },
    kill: { signal: 'SIGTERM', when: /"event":"failed".*\n/ },
  });
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return lines.find(({ event }) => event === 'failed');
}

test('a command that fails is told with reason, message, and that it counts against the agent', async () => {
  expect(await failureOf('echo one >&2; echo "no such model" >&2; exit 3', { description: 'Try' })).toMatchObject({
    reason: 'The command ended with exit code 3: no such model',
    message: 'one',
    effect: expect.stringContaining('counts against the agent; 3 such failures in a row suspend it'),
  });
});

test('a delivery that the gate rejects is told with the words of the gate, and by whose measure it failed', async () => {
  const checks = [{ name: 'never', command: 'false' }];
  const input = { description: 'Say what a ledger is', acceptance: { checks } };
  expect(await failureOf('echo "A ledger is a book of accounts, and each entry is in it twice."', input)).toMatchObject(
    {
      message: expect.stringMatching(/^The quality gate gave \d+ of 100; lowest is check: never/),
      effect: expect.stringContaining('Only what the buyer measures by failed it'),
    },
  );
});
