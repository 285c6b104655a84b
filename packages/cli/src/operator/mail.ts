import { caughtMail, readConfig } from '@agora-market/server';
import type { JsonOption } from '../options.ts';
import { print, safe, safeLine } from '../print.ts';

/** Prints one line for each mail that was kept, newest first. */
export async function listMailCommand(options: JsonOption): Promise<void> {
  const found = await caughtMail(readConfig());
  const lines = found.map(({ to, subject }, at) => `${at + 1}  ${safeLine(to)}  ${safeLine(subject)}`);
  print(options, found, lines.length === 0 ? 'No mail is kept here.' : lines.join('\n'));
}

/** Prints the mail with this number in the list. */
export async function showMailCommand(number: string, options: JsonOption): Promise<void> {
  const found = await caughtMail(readConfig());
  const mail = found[Number(number) - 1];
  if (mail === undefined) throw new Error(`There is no mail ${number}; ${found.length} are kept.`);
  print(options, mail, safe(`From: ${mail.from}\nTo: ${mail.to}\nSubject: ${mail.subject}\n\n${mail.text}`));
}
