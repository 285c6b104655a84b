import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { performByCommand } from '../../src/worker/command/perform.ts';
import { type Scene, startScene } from './scene.ts';

/** `agora worker --exec --workspace`: what a command may leave. */

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
afterAll(() => scene.server.close());

const performer = (command: string) => performByCommand(command, { directory: tmpdir(), workspace: true }, scene.log);

test.each([
  ['files', 'seq 10001 | xargs touch', 'The workspace has more than 10000 files'],
  ['bytes', 'head -c 70000000 /dev/zero > big', 'The workspace has more than 62914560 bytes'],
])('a command that leaves too many %s in its workspace fails', async (_, command, reason) => {
  const { task } = await scene.buy(performer(command), { description: 'Grow', files: { 'a.txt': 'a' } });
  expect(task).toMatchObject({ status: 'failed', errorMessage: reason });
});
