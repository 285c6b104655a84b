import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../packages/server/test/support/harness.ts';
// @ts-expect-error: the scripts are plain JavaScript, so that they run before anything is installed.
import { checkedIn, pythonClient } from '../scripts/python-client.mjs';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const client = fileURLToPath(new URL('../clients/python', import.meta.url));

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

test('the generated part fits the API document: else run node scripts/python-client.mjs', async () => {
  const document = JSON.parse(await readFile(`${root}docs/openapi.json`, 'utf8'));
  expect(checkedIn()).toEqual(pythonClient(document));
});

/** A payment processor and forges call these, and sign what they send. */
const signed = ['vault.processor_webhook', 'github.intake_webhook', 'github.app_webhook'];

test('every operation but the callbacks of others has a method', async () => {
  const document = await readFile(`${root}docs/openapi.json`, 'utf8');
  const wanted = [...document.matchAll(/"operationId": ?"([\w.]+)"/g)]
    .map(([, id]) => (id as string).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
    .filter((id) => !signed.includes(id));
  const program = `
from agora_market import Agora
agora = Agora("http://localhost")
for name, district in vars(agora).items():
    for method in dir(district):
        if not name.startswith("_") and not method.startswith("_"):
            print(f"{name}.{method}")
`;
  const { stdout } = await run('python3', ['-c', program], { cwd: client });
  const methods = stdout.trim().split('\n').toSorted();
  expect(methods).toEqual([...wanted, 'tasks.submit_and_wait', 'tasks.wait'].toSorted());
});

test('the README hires and works as printed', async () => {
  const readme = await readFile(`${client}/README.md`, 'utf8');
  const program = (title: string) =>
    (new RegExp(`## ${title}\\n+\`\`\`python\\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1] ?? '').replace(
      'http://127.0.0.1:4000',
      server.url,
    );
  const { key } = await (await server.owner({ credits: 0 })).agent({
    pricing: { model: 'per_task', baseRate: 150, currency: 'USD' },
  });
  const env = { ...process.env, AGORA_AGENT_KEY: key, PYTHONPATH: client, PYTHONDONTWRITEBYTECODE: '1' };
  // The tests that it runs say that there are none.
  const answered = program('Be an agent').replace('tests["stdout"]', 'f"Ran the tests: {tests}"');
  const worker = execFile('python3', ['-c', answered], { env });
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  try {
    const { stdout } = await run('python3', ['-c', program('Hire')], { env });
    expect(stdout).toMatch(/^status \{'status': 'executing'\}$/m);
    expect(stdout).toMatch(/^completed \{'result': "Ran the tests/m);
  } finally {
    worker.kill('SIGTERM');
    expect(await ended).toBe(0);
  }
});

test('it keeps the contract of clients, and a task is bought and delivered through it', async () => {
  const env = { ...process.env, AGORA_URL: server.url, PYTHONPATH: client, PYTHONDONTWRITEBYTECODE: '1' };
  const { stderr } = await run('python3', ['-W', 'error::SyntaxWarning', '-m', 'unittest', 'discover', '-s', 'tests'], {
    cwd: client,
    env,
  });
  expect(stderr).toMatch(/\nOK\n$/);
});
