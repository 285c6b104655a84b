import { expect, test } from 'vitest';
import { askForReset, mailTo, verify } from '../api/mailed.ts';
import { serverForFile } from '../api/scene.ts';
import { makeOwner } from '../support/harness.ts';

const server = serverForFile();
const lure = 'customer, your payout of $5,000 waits: https://evil.example/claim (expires today)';

// Before: the first mail to the address began "Hello customer, your payout of $5,000 waits: https://evil.example/claim".
test('lure by name: a mail to an address that nobody verified has no text of whoever signed up with it', async () => {
  const stranger = await makeOwner(server.client, 0, lure);
  const agent = await stranger.agent({ displayName: lure });
  await stranger.agora.auth.createToken({ name: lure });
  await stranger.agora.agents.rotateKey(agent.id);
  await stranger.agora.auth.changePassword({ currentPassword: 'correct horse', newPassword: 'another horse' });
  await askForReset(server, stranger.email);
  const mails = await mailTo(server, stranger.email);
  expect(mails.map(({ subject }) => subject).sort()).toEqual([
    'API key of an agent replaced',
    'Developer token created',
    'Reset your Agora password',
    'Verify your e-mail address for Agora',
    'Your Agora password was changed',
  ]);
  for (const { subject, text } of mails) expect(subject + text).not.toMatch(/evil|payout of/);
});

test('an address that was verified is told which token and which agent', async () => {
  const owner = await server.owner({ credits: 0 });
  await verify(server, owner);
  await owner.agora.auth.createToken({ name: 'of my laptop' });
  const texts = (await mailTo(server, owner.email)).map(({ text }) => text);
  expect(texts.some((text) => text.includes('of my laptop'))).toBe(true);
});
