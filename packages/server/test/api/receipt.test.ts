import { createHash, createPublicKey, verify } from 'node:crypto';
import { canonicalJson } from '@agora/contract';
import { type Agora, type Receipt, verifyReceipt } from '@agora/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  goodOutput,
  hireAndPass,
  hireAndReject,
  hireAndStart,
  makePair,
  type Pair,
  refusalOf,
  type SecondApp,
  serverForFile,
  startSecondApp,
} from './scene.ts';

const server = serverForFile();
let pair: Pair;
let publicKey: string;
let receipt: Receipt;
let second: SecondApp;

beforeAll(async () => {
  pair = await makePair(server);
  ({ publicKey } = await server.client().tasks.receiptKey());
  const { id } = await hireAndStart(pair);
  await pair.agent.agora.tasks.progress(id, {
    percent: 3,
    message: 'Quotes " and \\, ±, 😀, \u2028, \u0001 and </html>',
  });
  await pair.agent.agora.tasks.progress(id, { percent: 4 });
  await pair.agent.agora.tasks.complete(id, { output: goodOutput });
  receipt = await pair.buyer.agora.tasks.receipt(id);
  second = await startSecondApp(server);
});
afterAll(() => second.app.close());

const sound = { valid: true, origin: 'proved', problems: [] };

describe('a receipt', () => {
  test('tells the audit trail of a task that has ended, and verifies', async () => {
    const { data } = await pair.buyer.agora.tasks.events(receipt.taskId, { pageSize: 100 });
    expect(receipt.entries.map((entry) => entry.event)).toEqual(data);
    expect(receipt).toMatchObject({ status: 'completed', count: data.length, keyId: expect.any(String) });
    expect(await verifyReceipt(receipt, publicKey)).toEqual(sound);
    expect(await verifyReceipt(receipt, null)).toEqual({ ...sound, origin: 'unproved' });
  });

  test('is what the contract says, to whoever builds a verifier from it', () => {
    const { entries, signature, ...statement } = receipt;
    let previous = createHash('sha256').update(receipt.taskId).digest('hex');
    for (const { number, event, hash } of entries) {
      previous = createHash('sha256')
        .update(`${previous}\n${canonicalJson({ number, event })}`)
        .digest('hex');
      expect(hash).toBe(previous);
    }
    expect(statement.head).toBe(previous);
    const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), Buffer.from(publicKey, 'base64')]);
    const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
    expect(verify(null, Buffer.from(canonicalJson(statement)), key, Buffer.from(signature, 'base64'))).toBe(true);
  });

  test('verifies with the key of the JWK set that it names, by what Node makes of it', async () => {
    const response = await fetch(`${server.url}/.well-known/jwks.json`);
    expect(response.headers.get('content-type')).toMatch(/^application\/jwk-set\+json/);
    expect(response.headers.get('x-ratelimit-limit')).not.toBeNull();
    const { keys } = (await response.json()) as Awaited<ReturnType<Agora['system']['jwks']>>;
    expect(await server.client().system.jwks()).toEqual({ keys });
    const jwk = keys.find(({ kid }) => kid === receipt.keyId);
    const { entries: _, signature, ...statement } = receipt;
    const isSigned = (text: string) =>
      verify(
        null,
        Buffer.from(text),
        createPublicKey({ key: { ...jwk }, format: 'jwk' }),
        Buffer.from(signature, 'base64'),
      );
    expect(isSigned(canonicalJson(statement))).toBe(true);
    expect(isSigned(canonicalJson({ ...statement, count: statement.count + 1 }))).toBe(false);
  });

  test('is the same for both parties, and for nobody else', async () => {
    const other = await pair.agent.agora.tasks.receipt(receipt.taskId);
    expect(other).toEqual(receipt);
    const stranger = await server.owner({ credits: 0 });
    expect(await refusalOf(stranger.agora.tasks.receipt(receipt.taskId))).toBe('403 NOT_A_PARTY');
  });

  test('exists once the task has ended, however it did', async () => {
    const { id } = await hireAndStart(pair);
    expect(await refusalOf(pair.buyer.agora.tasks.receipt(id))).toBe('409 TASK_WRONG_STATE');
    await pair.agent.agora.tasks.fail(id, { reason: 'cannot' });
    const rejected = await hireAndReject(pair);
    for (const taskId of [id, rejected.id]) {
      const failed = await pair.buyer.agora.tasks.receipt(taskId);
      expect(failed.status).toBe('failed');
      expect(await verifyReceipt(failed, publicKey)).toEqual(sound);
    }
  });

  test('grows with what happens later; the earlier one is its beginning', async () => {
    const { id } = await hireAndPass(pair);
    const before = await pair.buyer.agora.tasks.receipt(id);
    await pair.buyer.agora.tasks.feedback(id, { direction: 'down', comment: 'No' });
    const after = await pair.buyer.agora.tasks.receipt(id);
    expect([before.status, after.status]).toEqual(['completed', 'refunded']);
    expect(after.entries.slice(0, before.count)).toEqual(before.entries);
    expect(after.count).toBeGreaterThan(before.count);
    for (const each of [before, after]) expect(await verifyReceipt(each, publicKey)).toEqual(sound);
  });

  test('verifies however its JSON is laid out', async () => {
    const turned = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(turned)
        : value !== null && typeof value === 'object'
          ? Object.fromEntries(
              Object.entries(value)
                .reverse()
                .map(([key, each]) => [key, turned(each)]),
            )
          : value;
    expect(await verifyReceipt(JSON.parse(JSON.stringify(turned(receipt), null, 7)), publicKey)).toEqual(sound);
  });

  test('is signed with one key by all servers of the installation, and another one has another', async () => {
    expect(await server.client().withOptions({ baseUrl: second.url }).tasks.receiptKey()).toMatchObject({ publicKey });
    const other = await startSecondApp(server, {
      config: { ...server.config, AGORA_ENCRYPTION_KEY: 'another installation, another secret' },
    });
    try {
      const there = server.client().withOptions({ baseUrl: other.url });
      const strange = (await there.tasks.receiptKey()).publicKey;
      expect(strange).not.toBe(publicKey);
      const { valid, problems } = await verifyReceipt(receipt, strange);
      expect(valid).toBe(false);
      expect(problems.join()).toContain('not the given one');
      const theirs = await pair.buyer.agora.withOptions({ baseUrl: other.url }).tasks.receipt(receipt.taskId);
      expect((await verifyReceipt(theirs, publicKey)).valid).toBe(false);
    } finally {
      await other.app.close();
    }
  });
});

type Entries = Receipt['entries'];
const copy = <T>(value: T): T => structuredClone(value);

/** Numbers and hashes made anew, as a forger without the key would. */
function rechained(entries: Entries): Receipt {
  let previous = createHash('sha256').update(receipt.taskId).digest('hex');
  const chained = entries.map(({ event }, at) => {
    previous = createHash('sha256')
      .update(`${previous}\n${canonicalJson({ number: at + 1, event })}`)
      .digest('hex');
    return { number: at + 1, event, hash: previous };
  });
  return { ...copy(receipt), entries: chained, head: previous, count: chained.length };
}

describe('a receipt that was tampered with', () => {
  const places = () => receipt.entries.map((_, at) => at);

  /** Each forgery is found as it is, and with the chain made anew around it. */
  async function expectFound(what: string, forge: (entries: Entries) => Entries, said: RegExp) {
    const plain = await verifyReceipt({ ...receipt, entries: forge(copy(receipt.entries)) }, publicKey);
    expect(plain.valid, what).toBe(false);
    expect(plain.problems.join('\n'), what).toMatch(said);
    const deep = await verifyReceipt(rechained(forge(copy(receipt.entries))), publicKey);
    expect(deep.problems, `${what}, rechained`).toEqual([expect.stringMatching(/^The signature does not fit/)]);
  }

  test('is found where any one member of any event was changed, added or taken away', async () => {
    for (const at of places()) {
      const event = receipt.entries[at]?.event as Entries[number]['event'];
      const said = new RegExp(`^Entry ${at + 1} \\(.*\\) does not fit its hash`, 'm');
      for (const name of Object.keys(event)) {
        const change = (entries: Entries) =>
          entries.with(at, { ...(entries[at] as Entries[number]), event: { ...event, [name]: { forged: 1 } } });
        await expectFound(`${name} of entry ${at + 1}`, change, said);
      }
      for (const data of [{ ...event.data, more: 1 }, {}]) {
        const change = (entries: Entries) =>
          entries.with(at, { ...(entries[at] as Entries[number]), event: { ...event, data } });
        if (canonicalJson(data) !== canonicalJson(event.data)) await expectFound(`data of ${at + 1}`, change, said);
      }
    }
  });

  test('is found where any one event was dropped', async () => {
    const last = receipt.count - 1;
    for (const at of places()) {
      const said = at === last ? /entries were signed, and there are/ : /entries were dropped, added or moved/;
      await expectFound(`dropped ${at + 1}`, (entries) => entries.toSpliced(at, 1), said);
    }
  });

  test('is found where any two neighbours changed places', async () => {
    for (const at of places().slice(1)) {
      const swap = (entries: Entries) =>
        entries.toSpliced(at - 1, 2, entries[at] as Entries[number], entries[at - 1] as Entries[number]);
      await expectFound(`swapped ${at} and ${at + 1}`, swap, /entries were dropped, added or moved/);
    }
  });

  test('is found where an event was added anywhere, a copy of another one or a new one', async () => {
    for (const at of [...places(), receipt.count]) {
      const twin = receipt.entries[Math.min(at, receipt.count - 1)] as Entries[number];
      const forged = { ...twin, event: { ...twin.event, eventType: 'credits.refunded' } };
      for (const each of [twin, forged]) {
        await expectFound(`added at ${at + 1}`, (entries) => entries.toSpliced(at, 0, copy(each)), /entries were/);
      }
    }
  });

  test('is found where anything around the events was changed, added or taken away', async () => {
    const { entries, ...around } = receipt;
    for (const name of Object.keys(around)) {
      const { [name as keyof typeof around]: _, ...without } = around;
      expect((await verifyReceipt({ ...without, entries }, publicKey)).valid, `without ${name}`).toBe(false);
      const changed = { ...receipt, [name]: name === 'count' ? 1 : 'forged' };
      expect((await verifyReceipt(changed, publicKey)).valid, name).toBe(false);
    }
    expect((await verifyReceipt({ ...receipt, price: 1 }, publicKey)).valid).toBe(false);
    const unsigned = { ...receipt, entries: entries.map((entry) => ({ ...entry, note: 'unsigned' })) };
    expect((await verifyReceipt(unsigned, publicKey)).problems.join()).toContain('entry 1 does not consist of');
  });

  test.each([null, 1, 'text', [], {}, { format: 'agora-receipt-1', algorithm: 'Ed25519' }])(
    'is no receipt where it is %j',
    async (value) => {
      const { valid, problems } = await verifyReceipt(value, publicKey);
      expect(valid).toBe(false);
      expect(problems).toEqual([expect.stringMatching(/^This is no receipt/)]);
    },
  );
});
