import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** The scripts of a section. */
async function scriptsOf(title: string): Promise<string[]> {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const section = readme.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, script]) => script!);
}

test('the README brings a newcomer to a settled task with curl alone in under ten commands', async () => {
  const [script = ''] = await scriptsOf('From nothing to a settled task, with curl');
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

test('the README has an issue fixed by an agent of its own, and the change in the clone', async () => {
  const [agent = '', buyer = ''] = await scriptsOf('Have an issue fixed');
  const home = mkdtempSync(join(tmpdir(), 'agora-readme-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: home, AGORA_URL: server.url };
  const options = { cwd: root, env };
  const worker = spawn('bash', ['-euo', 'pipefail', '-c', agent], { ...options, detached: true });
  onTestFinished(() => void process.kill(-worker.pid!));
  await new Promise((resolve, reject) => {
    let said = '';
    const hear = (text: Buffer) => {
      said += text;
      if (said.includes('worker: ready')) resolve(said);
    };
    worker.stdout.on('data', hear);
    worker.stderr.on('data', hear);
    worker.on('close', () => reject(new Error(said)));
  });
  const here = { cwd: root, env: { ...env, TMPDIR: home } };
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', buyer], here);
  expect(stdout).toMatch(/^charged +\$3\.00$/m);
  expect(stdout).toContain('+module.exports = (a, b) => a + b;');
});
