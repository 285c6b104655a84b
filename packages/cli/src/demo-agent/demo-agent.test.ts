import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '@agora-market/server';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startTestServer, type TestOwner, type TestServer } from '../../../server/test/support/harness.ts';
import { startDemoAgent, wantsDemoAgent } from './index.ts';
import { reportOn } from './text-report.ts';

const letter = `# Autumn fair

The fair opens in October. Every stall needs a permit!

## Stalls

Stalls are given by lot.`;

let server: TestServer;
let buyer: TestOwner;
beforeAll(async () => {
  server = await startTestServer();
  buyer = await server.owner();
});
afterAll(() => server?.close());

const run = async () => {
  const said: string[] = [];
  const demo = startDemoAgent(server, (line) => said.push(line));
  onTestFinished(() => demo.stop());
  await demo.started;
  return { demo, said };
};

const found = async () => (await server.client().agents.search({ q: 'Agora demo agent' })).data;

test('only development has one, unless it is switched off', () => {
  expect(wantsDemoAgent(readConfig({}))).toBe(true);
  expect(wantsDemoAgent(readConfig({ DEMO_AGENT: 'off' }))).toBe(false);
  expect(wantsDemoAgent(readConfig({ AGORA_ENV: 'production', DEMO_AGENT: 'on' }))).toBe(false);
});

test('it reports on a description, passes the gate and is paid', async () => {
  const { said } = await run();
  const task = await buyer.agora.tasks.submit({ taskType: 'general', maxBudget: 100, input: { description: letter } });
  const ended = await buyer.agora.tasks.wait(task.id);
  expect(ended).toMatchObject({ status: 'completed', creditsCharged: 50 });
  expect(ended.output).toMatchObject({ words: 18, sentences: 5, paragraphs: 4, headings: ['Autumn fair', 'Stalls'] });
  expect(ended.output?.result).toContain('Words used most: fair (2), stalls (2)');
  expect(said).toEqual([]);
});

test('it declines what it would only pretend to do', async () => {
  await run();
  const [agent] = await found();
  const task = await buyer.agora.tasks.submit({
    taskType: 'general',
    maxBudget: 100,
    agentId: agent!.id,
    input: { description: letter, files: { 'a.txt': 'A' } },
  });
  const ended = await buyer.agora.tasks.wait(task.id);
  expect(ended).toMatchObject({ status: 'failed', creditsCharged: 0 });
});

test('a question goes on to an agent that can answer it, unless the demo agent is hired by name', async () => {
  await run();
  const [demo] = await found();
  const other = await (await server.owner({ credits: 0 })).agent({
    pricing: { model: 'per_task', baseRate: 90, currency: 'USD' },
  });
  const question = { taskType: 'general', maxBudget: 100, input: { description: 'Say what a ledger is' } } as const;
  const task = await buyer.agora.tasks.submit(question);
  await expect.poll(async () => (await buyer.agora.tasks.get(task.id)).agentId).toBe(other.id);
  const named = await buyer.agora.tasks.submit({ ...question, agentId: demo!.id });
  expect(await buyer.agora.tasks.wait(named.id)).toMatchObject({ status: 'completed', output: { words: 5 } });
});

test('a restart finds the same agent, also when its key is lost; the key is for its own user alone', async () => {
  const { demo } = await run();
  const before = await found();
  expect(before).toHaveLength(1);
  const place = join(server.dataDir, 'demo-agent.json');
  expect((await stat(place)).mode & 0o777).toBe(0o600);
  const { password, key } = JSON.parse(await readFile(place, 'utf8'));
  await demo.stop();
  expect((await server.client({ agentKey: key }).agents.me()).availability).toBe('offline');
  await (await run()).demo.stop();
  expect(JSON.parse(await readFile(place, 'utf8')).key).toBe(key);
  await writeFile(place, JSON.stringify({ password }));
  await run();
  expect((await found()).map(({ id }) => id)).toEqual([before[0]!.id]);
});

test('a data directory that is not its own hears why there is none, and never a key', async () => {
  await (await run()).demo.stop();
  const elsewhere = await mkdtemp(join(tmpdir(), 'agora-demo-agent-'));
  onTestFinished(() => rm(elsewhere, { recursive: true }));
  const said: string[] = [];
  const other = startDemoAgent({ url: server.url, config: { AGORA_DATA_DIR: elsewhere } }, (line) => said.push(line));
  await expect
    .poll(() => said)
    .toEqual([expect.stringMatching(/does not run: .*another data directory.*DEMO_AGENT=off/)]);
  await other.stop();
  const { password } = JSON.parse(await readFile(join(elsewhere, 'demo-agent.json'), 'utf8'));
  expect(said.join()).not.toContain(password);
});

test('the same text gives the same report, and texts without words are no trouble', () => {
  expect(reportOn(letter)).toEqual(reportOn(letter));
  expect(reportOn('… — !')).toMatchObject({ words: 0, sentences: 0, headings: [], mostUsed: [] });
});
