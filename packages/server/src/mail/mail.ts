import { z } from 'zod';
import { enqueue, forgetGivenUp, handler, type JobHandler, type JobKind } from '../jobs/index.ts';
import {
  type Clock,
  type Config,
  encryption,
  type Job,
  type Logger,
  newUuid,
  type Pool,
  type Queryable,
  untilEmpty,
} from '../platform/index.ts';
import { type CaughtMail, catchMail, caughtMail, tryCatching } from './caught.ts';
import type { Message, Send } from './message.ts';
import { isRefusedForGood, smtpSender, trySmtp } from './smtp.ts';

/** How the service sends mail to owners. */
export interface Mail {
  /** Whether anything becomes of a mail; without SMTP_URL nothing does in production. */
  isOn: boolean;
  /** The newest mails to an address that were kept instead of sent; null where none are. */
  caught: ((to: string, atMost: number) => Promise<CaughtMail[]>) | null;
  /** Queues a mail in the transaction that causes it. It is sent at least once after the commit. */
  queue(tx: Queryable, message: Message): Promise<void>;
  handlers: JobHandler[];
  jobs: Job[];
}

interface Deps {
  pool: Pool;
  clock: Clock;
  config: Config;
  log: Logger;
}

const letter = z.object({ id: z.string(), to: z.string(), subject: z.string(), text: z.string() });
/** The text may carry a token, so it is encrypted as long as it waits. */
const payload = z.object({ sealed: z.string(), until: z.string().optional() });

/** Tried for four days. */
const kind: JobKind<z.infer<typeof payload>> = {
  name: 'mail.send',
  role: 'webhooks',
  payload,
  attempts: 42,
  atOnce: 4,
  timeoutMs: 60_000,
  pauseMs: { first: 10_000, longest: 10_800_000 },
};

/** A mail that could not be sent is kept for this time, for the operator to see why. */
const keepGivenUpMs = 30 * 86_400_000;

export function createMail({ pool, clock, config, log }: Deps): Mail {
  const safe = encryption(config);
  const key = safe.digest('mail');
  const send = senderOf(config);
  const from = config.MAIL_FROM ?? 'Agora <agora@localhost>';

  async function sendOne({ sealed, until }: z.infer<typeof payload>, signal: AbortSignal): Promise<void> {
    if (until !== undefined && until <= clock.now().toISOString()) return;
    const text = safe.decrypt(key, Buffer.from(sealed, 'base64'));
    if (text === null) throw new Error('the mail was encrypted with another AGORA_ENCRYPTION_KEY');
    const message = letter.parse(JSON.parse(text));
    try {
      await send?.({ ...message, from }, signal);
    } catch (error) {
      if (!isRefusedForGood(error)) throw error;
      log.warn({ err: error, mail: message.id }, 'a mail was refused by its recipient’s server');
    }
  }

  return {
    isOn: send !== null,
    caught: catches(config) ? (to, atMost) => caughtMail(config, { to, atMost }) : null,
    async queue(tx, { until, to, subject, text }) {
      if (send === null) return;
      const id = newUuid(clock);
      const sealed = safe.encrypt(key, JSON.stringify({ id, to, subject: oneLine(subject), text }));
      const waiting = { sealed: sealed.toString('base64'), ...(until && { until: until.toISOString() }) };
      await enqueue(tx, clock, kind, { key: id, payload: waiting, at: clock.now() });
    },
    handlers: [handler(kind, sendOne)],
    jobs: [
      {
        name: 'mail.forget',
        everyMs: 3_600_000,
        run: () =>
          untilEmpty(1_000, (limit) =>
            forgetGivenUp(pool, kind, new Date(clock.now().getTime() - keepGivenUpMs), limit),
          ),
      },
    ],
  };
}

const catches = (config: Config) => config.SMTP_URL === undefined && config.AGORA_ENV !== 'production';

function senderOf(config: Config): Send | null {
  if (config.SMTP_URL !== undefined) return smtpSender(config.SMTP_URL);
  return catches(config) ? catchMail(config) : null;
}

/**
 * Tries how mail goes, without a mail to anybody: the mail server takes a connection and its password, or a file can be
 * written. Resolves to what becomes of mail: `none` in production without SMTP_URL. Rejects with why it does not go.
 */
export async function tryMail(config: Config): Promise<'sent' | 'caught' | 'none'> {
  if (config.SMTP_URL !== undefined) await trySmtp(config.SMTP_URL);
  else if (catches(config)) await tryCatching(config);
  else return 'none';
  return config.SMTP_URL !== undefined ? 'sent' : 'caught';
}

/** A header is one line, whatever names went into it. */
const oneLine = (text: string) =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, 200)
    .toWellFormed();
