import { caughtMail, readConfig } from '@agora/server';

/** Prints one line for each mail that was kept, newest first. */
export async function listMailCommand({ json }: { json?: boolean }): Promise<void> {
  const found = await caughtMail(readConfig());
  if (json) console.log(JSON.stringify(found, null, 2));
  else if (found.length === 0) console.log('No mail is kept here.');
  for (const [at, { to, subject }] of json ? [] : found.entries()) console.log(`${at + 1}  ${to}  ${subject}`);
}

/** Prints the mail with this number in the list. */
export async function showMailCommand(number: string, { json }: { json?: boolean }): Promise<void> {
  const found = await caughtMail(readConfig());
  const mail = found[Number(number) - 1];
  if (mail === undefined) throw new Error(`There is no mail ${number}; ${found.length} are kept.`);
  if (json) console.log(JSON.stringify(mail, null, 2));
  else console.log(`From: ${mail.from}\nTo: ${mail.to}\nSubject: ${mail.subject}\n\n${mail.text}`);
}
