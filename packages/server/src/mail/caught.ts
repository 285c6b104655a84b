import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Config, isTaskId as isUuid, nullWhereMissing, writeAtomically } from '../platform/index.ts';
import type { Send, SentMessage } from './message.ts';

/** Mail of development, which goes to files instead of people. The newest are kept. */
const keptMails = 200;

/** A mail that was caught. */
export type CaughtMail = SentMessage;

const directoryOf = ({ AGORA_DATA_DIR }: Pick<Config, 'AGORA_DATA_DIR'>) => join(resolve(AGORA_DATA_DIR), 'mail');

/** Newest first: the names are UUIDv7. */
const namesIn = async (directory: string): Promise<string[]> =>
  ((await readdir(directory).catch(nullWhereMissing)) ?? []).filter(isUuid).sort().reverse();

export function catchMail(config: Pick<Config, 'AGORA_DATA_DIR'>): Send {
  const directory = directoryOf(config);
  return async (message) => {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await writeAtomically(join(directory, message.id), Buffer.from(JSON.stringify(message)));
    for (const name of (await namesIn(directory)).slice(keptMails)) await rm(join(directory, name), { force: true });
  };
}

/** Writes a file where mail goes, and removes it; a data directory that is still to be made stays so. */
export async function tryCatching(config: Pick<Config, 'AGORA_DATA_DIR'>): Promise<void> {
  if (!existsSync(resolve(config.AGORA_DATA_DIR))) return;
  const directory = directoryOf(config);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, 'try');
  await writeAtomically(path, Buffer.from(''));
  await rm(path);
}

/** The mail that was caught, newest first: all of it, or some to one address. */
export async function caughtMail(
  config: Pick<Config, 'AGORA_DATA_DIR'>,
  { to, atMost = keptMails }: { to?: string; atMost?: number } = {},
): Promise<CaughtMail[]> {
  const directory = directoryOf(config);
  const found: CaughtMail[] = [];
  for (const name of await namesIn(directory)) {
    if (found.length === atMost) break;
    const text = await readFile(join(directory, name), 'utf8').catch(nullWhereMissing);
    const mail: CaughtMail | null = text === null ? null : JSON.parse(text);
    if (mail !== null && (to === undefined || mail.to === to)) found.push(mail);
  }
  return found;
}
