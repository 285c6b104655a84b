import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { databaseForFile } from '../../test/support/database.ts';
import { startSmtp } from '../../test/support/smtp.ts';
import { createQueue } from '../jobs/index.ts';
import { createLog, manualClock, type Queryable, readConfig, transaction } from '../platform/index.ts';
import { caughtMail, createMail } from './index.ts';

const { pool } = await databaseForFile();
const log = createLog('silent');
let dataDir: string;
let smtp: Awaited<ReturnType<typeof startSmtp>>;
let clock: ReturnType<typeof manualClock>;
const closers: (() => unknown)[] = [];
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'agora-mail-'));
  smtp = await startSmtp((address) => (address.startsWith('gone') ? 550 : address.startsWith('full') ? 452 : null));
});
afterAll(async () => {
  await smtp.close();
  await rm(dataDir, { recursive: true });
});
beforeEach(async () => {
  clock = manualClock('2026-11-21T12:00:00.000Z');
  smtp.received.length = 0;
  await pool.query('delete from queued_jobs');
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const from = 'Agora <mail@agora.example>';

/** A server with these settings; `deliver` sends what is due. */
function serverWith(env: Record<string, string>) {
  const config = readConfig({ AGORA_DATA_DIR: dataDir, ...env });
  const mail = createMail({ pool, clock, config, log });
  const stopping = new AbortController();
  const queue = createQueue({ pool, clock, log, stopping: stopping.signal, random: () => 0.5 }, mail.handlers);
  closers.push(() => stopping.abort());
  const write = (fields: object = {}, db: Queryable = pool) =>
    mail.queue(db, { to: 'ada@example.com', subject: 'Hello', text: 'Token: s3cret', ...fields });
  const deliver = async () => {
    for (const job of queue.jobs) await job.run();
    await queue.idle();
  };
  return { mail, write, deliver, config, stop: () => stopping.abort() };
}
const withSmtp = (url = smtp.url) => serverWith({ SMTP_URL: url, MAIL_FROM: from });
const waiting = async () => (await pool.query('select payload::text, due_at, error from queued_jobs')).rows;
const later = (ms: number) => clock.advance(ms);

describe('with a mail server', () => {
  test('a mail is sent once, after the commit, from the sender to the owner', async () => {
    const { write, deliver } = withSmtp();
    await transaction(pool, 'write', (tx) => write({}, tx));
    await deliver();
    await deliver();
    expect(smtp.received).toHaveLength(1);
    const [{ to, raw, from: sender } = { to: [], raw: '', from: '' }] = smtp.received;
    expect({ to, sender }).toEqual({ to: ['ada@example.com'], sender: 'mail@agora.example' });
    for (const line of [`From: ${from}`, 'To: ada@example.com', 'Subject: Hello', 'Token: s3cret']) {
      expect(raw).toContain(line);
    }
    expect(await waiting()).toEqual([]);
  });

  test('a change that is undone sends nothing', async () => {
    const { write, deliver } = withSmtp();
    const undone = transaction(pool, 'write', async (tx) => {
      await write({}, tx);
      throw new Error('of the test');
    });
    await expect(undone).rejects.toThrow('of the test');
    await deliver();
    expect(smtp.received).toEqual([]);
  });

  test('a mail that waits cannot be read in the database', async () => {
    await withSmtp().write({ subject: 'Private matter' });
    const [row] = await waiting();
    expect(row.payload).not.toMatch(/s3cret|ada@|Private/);
  });

  test.each([
    ['a subject', { subject: 'Hi\r\nBcc: eve@example.com\r\n\r\nmore' }],
    ['an address', { to: 'ada@example.com\r\nBcc: eve@example.com' }],
    ['a list for an address', { to: 'ada@example.com, eve@example.com' }],
  ])('%s cannot add a header or a recipient', async (_what, fields) => {
    const { write, deliver } = withSmtp();
    await write(fields);
    await deliver();
    for (const { raw, to } of smtp.received) {
      expect(raw).not.toMatch(/^bcc:/im);
      expect(to).not.toContain('eve@example.com');
      expect(to).toHaveLength(1);
    }
  });

  test('a server that is away delays the mail: it is tried again later, with the same id', async () => {
    const away = await startSmtp();
    await away.close();
    const { write, deliver } = withSmtp(away.url);
    await write();
    await deliver();
    expect(await waiting()).toMatchObject([{ error: expect.stringContaining('ECONNREFUSED') }]);
    later(60_000);
    await withSmtp().deliver();
    expect(smtp.received).toHaveLength(1);
    expect(await waiting()).toEqual([]);
  });

  test('one recipient that is refused for a while does not hold up another', async () => {
    const { write, deliver } = withSmtp();
    await write({ to: 'full@example.com' });
    await write();
    await deliver();
    expect(smtp.received.map(({ to }) => to)).toEqual([['ada@example.com']]);
    expect(await waiting()).toHaveLength(1);
  });

  test('a recipient that does not exist is not tried again', async () => {
    const { write, deliver } = withSmtp();
    await write({ to: 'gone@example.com' });
    await deliver();
    expect(await waiting()).toEqual([]);
  });

  test('a mail whose matter has ended is not sent any more', async () => {
    const { write, deliver } = withSmtp();
    await write({ until: new Date(clock.now().getTime() + 1000) });
    later(1000);
    await deliver();
    expect(smtp.received).toEqual([]);
    expect(await waiting()).toEqual([]);
  });

  test('a server that says nothing holds the job alone, and a stop does not wait for it', async () => {
    const sockets: Socket[] = [];
    const mute = createServer((socket) => void sockets.push(socket));
    await new Promise<void>((ready) => mute.listen(0, '127.0.0.1', ready));
    closers.push(() => mute.close());
    const { write, deliver, stop } = withSmtp(`smtp://127.0.0.1:${(mute.address() as { port: number }).port}`);
    await write();
    const delivering = deliver();
    await expect.poll(() => sockets.length).toBe(1);
    stop();
    await delivering;
    for (const socket of sockets) socket.destroy();
    expect(await waiting()).toHaveLength(1);
  });
});

describe('without a mail server', () => {
  test('development keeps the newest mails as files that only the user of the server reads', async () => {
    const { write, deliver, config } = serverWith({});
    for (let nth = 1; nth <= 203; nth++) {
      later(1);
      await write({ subject: `Mail ${nth}` });
    }
    await deliver();
    const found = await caughtMail(config);
    expect(found).toHaveLength(200);
    expect(found[0]).toMatchObject({ to: 'ada@example.com', subject: 'Mail 203', text: 'Token: s3cret' });
    expect(found.at(-1)?.subject).toBe('Mail 4');
    expect(await readdir(join(dataDir, 'mail'))).toHaveLength(200);
  });

  test('production sends nothing and queues nothing', async () => {
    const { write, mail } = serverWith({ AGORA_ENV: 'production' });
    await write();
    expect(mail.isOn).toBe(false);
    expect(await waiting()).toEqual([]);
  });
});

test('mail that was given up is forgotten after 30 days', async () => {
  const { write, mail } = withSmtp();
  await write();
  await pool.query('update queued_jobs set due_at = null');
  const [forget] = mail.jobs;
  await forget?.run();
  expect(await waiting()).toHaveLength(1);
  later(31 * 86_400_000);
  await forget?.run();
  expect(await waiting()).toEqual([]);
});

test.each(['smtp://host', 'http://host'])('SMTP_URL=%s alone is refused', (SMTP_URL) => {
  expect(() => readConfig({ SMTP_URL })).toThrow('SMTP_URL');
});

test.each(['a\r\nBcc: b@example.com', 'Ada <a@example.com>, <b@example.com>', 'Ada'])(
  'MAIL_FROM=%j is refused',
  (given) => {
    expect(() => readConfig({ SMTP_URL: 'smtp://host', MAIL_FROM: given })).toThrow('MAIL_FROM');
  },
);
