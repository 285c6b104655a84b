import { type CaughtMail, caughtMail } from '../../src/mail/index.ts';
import type { TestServer } from '../support/harness.ts';

/** What was mailed to an address, newest first, after all that is due has been done. */
export async function mailTo(server: TestServer, email: string): Promise<CaughtMail[]> {
  await server.app.run('auth.forgotPassword');
  await server.app.run('embassy.notify');
  await server.app.run('mail.send');
  return (await caughtMail(server.config)).filter(({ to }) => to === email);
}

async function tokenFor(server: TestServer, email: string, subject: RegExp): Promise<string> {
  const found = (await mailTo(server, email)).find((mail) => subject.test(mail.subject));
  return /ac_mail_\S+/.exec(found?.text ?? '')?.[0] as string;
}

/** The token of the newest mail that verifies the address. */
export const verification = (server: TestServer, email: string) => tokenFor(server, email, /^Verify/);

export const verify = async (server: TestServer, { email }: { email: string }) =>
  server.client().auth.verifyEmail({ token: await verification(server, email) });

/** The token of a new mail for a forgotten password. */
export async function askForReset(server: TestServer, email: string): Promise<string> {
  await server.client().auth.forgotPassword({ email });
  return tokenFor(server, email, /^Reset/);
}
