import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

test('the README brings a newcomer to a settled task with curl alone in under ten commands', async () => {
  const readme = await readFile(new URL('../../../../README.md', import.meta.url), 'utf8');
  const section = readme.split('## From nothing to a settled task, with curl')[1] ?? '';
  const script = /```sh\n([\s\S]*?)```/.exec(section)?.[1] ?? '';
  // Lines of variables aside, each line is one curl; `npm start` makes one command more.
  const commands = script
    .trim()
    .split('\n')
    .filter((line) => line.includes('curl -s '));
  expect(commands.length).toBeGreaterThan(0);
  expect(commands.length + 1).toBeLessThan(10);

  const here = script.replace('http://127.0.0.1:4000', server.url);
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', here]);
  const last = JSON.parse(stdout.slice(stdout.lastIndexOf('{"id":"tsk_')));
  expect(last).toMatchObject({ status: 'completed', creditsCharged: 400, price: 400, maxBudget: 600 });
});
