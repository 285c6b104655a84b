import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook } from '@agora-market/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axe } from './support/axe.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';

/** An endpoint that is broken, is seen to be, is mended, and gets its message after all. */

const scene = sceneForFile({ config: { OUTBOUND_ALLOW_LOOPBACK: true } });

const seen: { headers: Record<string, string>; body: string }[] = [];
let isBroken = true;
const receiver = createServer(async (request, response) => {
  let body = '';
  for await (const part of request) body += part;
  seen.push({ headers: request.headers as Record<string, string>, body });
  if (isBroken) response.writeHead(500).end('<b>the disk is full</b>');
  else response.writeHead(204).end();
});
beforeAll(() => new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening)));
afterAll(() => {
  receiver.closeAllConnections();
  receiver.close();
});

test('a message that failed is shown with the reply, and delivered again once the endpoint is mended', async () => {
  const owner = await scene.server.owner({ credits: 0 });
  const agent = await owner.agent();
  const page = await scene.openPage({ path: `/my-agents/${agent.id}?tab=webhooks`, owner });
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;

  await page.getByRole('button', { name: 'Add a webhook' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Endpoint').fill(url);
  await dialog.getByLabel('Feedback received').uncheck();
  await dialog.getByRole('button', { name: 'Add webhook' }).click();
  const secret = (await page.getByText(/^whsec_\S+$/).textContent()) ?? '';
  await page.getByRole('link', { name: url }).click();
  await page.getByText('No messages yet').waitFor();

  await page.getByRole('button', { name: 'Send a test message' }).click();
  const row = page.getByRole('row').filter({ hasText: 'Test' });
  // The first retry comes after five seconds, the second only after five minutes.
  await row.getByText('2 attempts').waitFor();
  const reply = row.getByRole('cell').nth(2);
  await reply.getByText('Status 500').waitFor();
  await reply.getByText('What it said').click();
  await reply.getByText('<b>the disk is full</b>').waitFor();
  await page.getByText('Failing', { exact: true }).waitFor();
  await shot(page, 'webhook-failed');
  await axe(page);

  isBroken = false;
  await page.getByRole('button', { name: 'Send now: Test 1' }).click();
  await row.getByText('Delivered').waitFor();
  await reply.getByText('Status 204').waitFor();
  expect(seen).toHaveLength(3);
  const { headers, body } = seen[2]!;
  expect(await verifyWebhook(secret, headers, body)).toMatchObject({ type: 'test', sequence: 1 });
});

test('a secret is rotated and a webhook deleted, each after a question', async () => {
  const owner = await scene.server.owner({ credits: 0 });
  const agent = await owner.agent();
  const hook = await owner.agora.webhooks.create(agent.id, {
    url: 'https://agent.example/hook',
    events: ['task_assigned'],
  });
  const page = await scene.openPage({ path: `/my-agents/${agent.id}?tab=webhooks&webhook=${hook.id}`, owner });
  await page.getByRole('button', { name: 'Rotate secret' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
  expect(await page.getByText(/^whsec_\S+$/).textContent()).not.toBe(hook.secret);

  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete webhook' }).click();
  await page.getByText('No webhooks').waitFor();
  expect((await owner.agora.webhooks.list(agent.id)).data).toEqual([]);
});

test('an owner adds a webhook of its own in the settings, and deletes it', async () => {
  const owner = await scene.server.owner({ credits: 0 });
  const page = await scene.openPage({ path: '/settings?tab=webhooks', owner });
  await page.getByRole('button', { name: 'Add a webhook' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Endpoint').fill('https://buyer.example/hook');
  await dialog.getByLabel('Task started').uncheck();
  await dialog.getByRole('button', { name: 'Add webhook' }).click();
  await page.getByText(/^whsec_\S+$/).waitFor();
  await shot(page, 'settings-webhooks');
  await page.getByRole('link', { name: 'https://buyer.example/hook' }).click();
  await page.getByText('No messages yet').waitFor();
  await axe(page);
  const { data } = await owner.agora.ownerWebhooks.list();
  expect(data[0]?.events).toContain('budget_reached');
  expect(data[0]?.events).not.toContain('task_started');
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete webhook' }).click();
  await page.getByText('No webhooks').waitFor();
  expect((await owner.agora.ownerWebhooks.list()).data).toEqual([]);
});
