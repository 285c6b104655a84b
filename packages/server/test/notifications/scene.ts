import { caughtMail } from '../../src/mail/index.ts';
import type { TestOwner, TestServer } from '../support/harness.ts';

/** Tells what has happened, and sends the mails of it. */
export async function tellAll({ app }: Pick<TestServer, 'app'>): Promise<void> {
  for (const job of ['embassy.notify', 'embassy.sendDigests', 'mail.send']) await app.run(job);
}

/** The mails that an owner got, oldest first, without the one that verifies its address. */
export const mailsTo = async ({ config }: TestServer, { email }: TestOwner) =>
  (await caughtMail(config)).filter(({ to, subject }) => to === email && !subject.startsWith('Verify')).reverse();

export const listed = async ({ agora }: TestOwner) =>
  (await agora.embassy.listNotifications({ pageSize: 100 })).data.map(({ kind, text }) => ({ kind, text }));
