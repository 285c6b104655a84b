import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { webhookLimits } from '@agora-market/contract';
import { expect, onTestFinished, test } from 'vitest';
import { retryPauses } from '../../src/webhooks/schedule.ts';
import { makePair, serverForFile } from '../api/scene.ts';
import { freePort } from '../support/free-port.ts';
import { startProgram } from '../support/program.ts';
import { send, settled } from './scene.ts';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));
const page = () => readFile(join(repository, 'docs/webhooks.md'), 'utf8');

const server = serverForFile({ at: new Date().toISOString(), config: { OUTBOUND_ALLOW_LOOPBACK: true } });

/** Starts the program of the page; resolves with what it writes once it is ready. */
async function startReceiver(secret: string, port: number): Promise<readonly string[]> {
  const [, program = ''] = /```js\n([\s\S]*?)```/.exec(await page()) ?? [];
  const place = await mkdtemp(join(tmpdir(), 'agora-webhook-docs-'));
  await symlink(join(repository, 'node_modules'), join(place, 'node_modules'));
  await writeFile(join(place, 'receiver.mjs'), program);
  onTestFinished(() => rm(place, { recursive: true, force: true }));
  const { lines, kill } = await startProgram({
    command: process.execPath,
    args: [join(place, 'receiver.mjs')],
    env: { PATH: process.env.PATH, WEBHOOK_SECRET: secret, PORT: String(port) },
    ready: (line) => line === 'ready',
  });
  onTestFinished(() => kill());
  return lines;
}

test('the receiver of docs/webhooks.md verifies messages, takes each once, and refuses others', async () => {
  const { agent } = await makePair(server, { credits: 0 });
  const { webhooks } = agent.agora;
  const port = await freePort();
  const url = `http://localhost:${port}/`;
  const { id, secret } = await webhooks.createMine({ url, events: ['task_assigned'] });
  const said = await startReceiver(secret, port);
  const { id: messageId } = await webhooks.testMine(id);
  await send(server);
  expect(await settled(server, agent, id)).toMatchObject([{ status: 'delivered' }]);
  await webhooks.redeliverMine(id, messageId);
  await send(server);
  expect(await settled(server, agent, id)).toMatchObject([{ status: 'delivered', lastAttempt: { statusCode: 204 } }]);
  expect(said.filter((line) => line.startsWith('test'))).toHaveLength(1);
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(400);
});

test('docs/webhooks.md states the limits and pauses that the code has', async () => {
  const text = await page();
  const units = { 5000: '5 s', 300000: '5 min', 1800000: '30 min' } as Record<number, string>;
  const pauses = retryPauses.map((pause) => units[pause] ?? `${pause / 3_600_000} h`);
  const shown = text.replace(/\s+/g, ' ');
  expect(shown).toContain(`${pauses.slice(0, -1).join(', ')} and ${pauses.at(-1)}`);
  expect(shown).toContain(`An agent can have ${webhookLimits.perHolder} webhooks`);
  expect(shown).toContain(
    `| messages of a webhook that wait | ${webhookLimits.waitingPerWebhook.toLocaleString('en')};`,
  );
  expect(shown).toContain(`the last ${webhookLimits.keptPerWebhook.toLocaleString('en')}, for 30 days`);
});
