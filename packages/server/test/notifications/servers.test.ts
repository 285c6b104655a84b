import { expect, onTestFinished, test } from 'vitest';
import { shared, startPeer } from '../api/peer.ts';
import { hireAndReject, makePair, serverForFile } from '../api/scene.ts';
import { startSmtp } from '../support/smtp.ts';

const smtp = await startSmtp();
const server = serverForFile({ config: { ...shared, SMTP_URL: smtp.url, MAIL_FROM: 'agora@example.com' } });

test('three servers that run their jobs on one database tell each thing once, in the list and by mail', async () => {
  onTestFinished(() => smtp.close());
  const peers = await Promise.all([startPeer(server), startPeer(server)]);
  onTestFinished(async () => {
    await Promise.all(peers.map(({ close }) => close()));
  });
  const pairs = [];
  for (let made = 0; made < 3; made++) pairs.push(await makePair(server));
  for (const { app } of [server, ...peers]) app.startJobs();
  const each = 2;
  const failed = await Promise.all(
    pairs.map(async (pair) => {
      const ids = [];
      for (let done = 0; done < each; done++) ids.push((await hireAndReject(pair)).id);
      return ids;
    }),
  );
  // Addresses are verified too.
  const received = () => smtp.received.filter(({ raw }) => !raw.includes('Subject: Verify'));
  await expect.poll(() => received().length).toBe(pairs.length * each);
  for (const [nth, { buyer }] of pairs.entries()) {
    const told = (await buyer.agora.embassy.listNotifications({ pageSize: 100 })).data.map(({ taskId }) => taskId);
    expect(told).toHaveLength(each);
    expect(new Set(told)).toEqual(new Set(failed[nth]));
    expect(received().filter(({ to }) => to[0] === buyer.email)).toHaveLength(each);
  }
  expect(received()).toHaveLength(pairs.length * each);
});
