import { createHash } from 'node:crypto';
import { canonicalJson, type ReceiptStatement, receiptStatement } from '@agora-market/contract';
import { type KeySet, type Receipt, verifyReceipt } from '@agora-market/sdk';
import { compactVerify, createLocalJWKSet } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contentOf, delivered, listed } from './artifacts-scene.ts';
import { type Entries, inFirstFormat, rechained } from './receipt-scene.ts';
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
let keys: KeySet;
let receipt: Receipt;
let told: ReceiptStatement;
let second: SecondApp;

/** What a receipt states, verified by a library that is not ours against the keys of the installation. */
async function stated({ jws }: Receipt): Promise<ReceiptStatement> {
  const { payload, protectedHeader } = await compactVerify(jws, createLocalJWKSet(keys));
  expect(protectedHeader).toMatchObject({ alg: 'EdDSA', cty: 'vnd.in-toto+json' });
  return receiptStatement.strict().parse(JSON.parse(new TextDecoder().decode(payload)));
}

beforeAll(async () => {
  pair = await makePair(server);
  keys = await server.client().system.jwks();
  const { id } = await hireAndStart(pair);
  await pair.agent.agora.tasks.progress(id, {
    percent: 3,
    message: 'Quotes " and \\, ±, 😀, \u2028, \u0001 and </html>',
  });
  await pair.agent.agora.tasks.progress(id, { percent: 4 });
  await pair.agent.agora.tasks.complete(id, { output: goodOutput });
  receipt = await pair.buyer.agora.tasks.receipt(id);
  told = await stated(receipt);
  second = await startSecondApp(server);
});
afterAll(() => second.app.close());

const sound = { valid: true, origin: 'proved', problems: [] };

describe('a receipt', () => {
  test('tells the audit trail of a task that has ended, and verifies', async () => {
    const { id, status } = told.predicate.task;
    const { data } = await pair.buyer.agora.tasks.events(id, { pageSize: 100 });
    expect(receipt.entries.map((entry) => entry.event)).toEqual(data);
    expect([status, told.predicate.events.count]).toEqual(['completed', data.length]);
    expect(await verifyReceipt(receipt, keys)).toMatchObject({ ...sound, statement: told });
    const { publicKey } = await server.client().tasks.receiptKey();
    expect(await verifyReceipt(receipt, publicKey)).toMatchObject(sound);
    expect(await verifyReceipt(receipt, null)).toMatchObject({ ...sound, origin: 'unproved' });
  });

  test('is an in-toto statement that jose verifies, of what was delivered and how it was judged', async () => {
    const task = await pair.buyer.agora.tasks.get(told.predicate.task.id);
    const { id, score, passed, criteria } = await pair.buyer.agora.courts.getAssessment(task.assessmentId as string);
    const digest = createHash('sha256').update(canonicalJson(goodOutput)).digest('hex');
    expect(told).toMatchObject({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'output.json', digest: { sha256: digest } }],
      predicateType: 'urn:agora:task-receipt:v1',
    });
    expect(told.predicate).toMatchObject({
      task: { type: 'general', agentId: pair.agent.id, finishedAt: task.finishedAt },
      versions: { agora: expect.stringMatching(/^\d+\.\d+\.\d+/) },
    });
    const checks = criteria.map((row) => ({ name: row.name, score: row.score, weight: row.weight }));
    expect(told.predicate.assessment).toMatchObject({ id, score, passed, checks });
    expect(JSON.stringify(told)).not.toContain('evidence');
  });

  test('is about the artifacts, by the digests of the bytes that were given out', async () => {
    const work = await delivered(server, 'echo one > one.txt; mkdir deep; echo two > deep/two.txt');
    const { subject } = await stated(await work.pair.buyer.agora.tasks.receipt(work.id));
    const found = await listed(work.pair, work.id);
    const digests = await Promise.all(
      found.map(async ({ id, path }) => [
        `output/${path}`,
        createHash('sha256')
          .update(await contentOf(work.pair, work.id, id))
          .digest('hex'),
      ]),
    );
    expect(subject.map(({ name, digest }) => [name, digest.sha256])).toEqual(digests);
    expect(subject).toHaveLength(2);
  });

  test('is what the contract says, to whoever builds a verifier from it', () => {
    const made = rechained(told.predicate.task.id, receipt.entries);
    expect(made).toEqual(receipt.entries);
    expect(made.at(-1)?.hash).toBe(told.predicate.events.head);
  });

  test('is the same for both parties, and for nobody else', async () => {
    const { id } = told.predicate.task;
    const other = await pair.agent.agora.tasks.receipt(id);
    expect(other).toEqual(receipt);
    const stranger = await server.owner({ credits: 0 });
    expect(await refusalOf(stranger.agora.tasks.receipt(id))).toBe('403 NOT_A_PARTY');
  });

  test('exists once the task has ended, however it did', async () => {
    const { id } = await hireAndStart(pair);
    expect(await refusalOf(pair.buyer.agora.tasks.receipt(id))).toBe('409 TASK_WRONG_STATE');
    await pair.agent.agora.tasks.fail(id, { reason: 'cannot' });
    const rejected = await hireAndReject(pair);
    for (const taskId of [id, rejected.id]) {
      const failed = await pair.buyer.agora.tasks.receipt(taskId);
      const { predicate, subject } = await stated(failed);
      expect(predicate.task.status).toBe('failed');
      expect(await verifyReceipt(failed, keys)).toMatchObject(sound);
      expect(predicate.assessment === null).toBe(taskId === id);
      // A digest of work that was not paid for would tell whether a guess of it is right.
      expect(subject).toMatchObject([{ name: 'events', digest: { sha256: predicate.events.head } }]);
    }
  });

  test('grows with what happens later; the earlier one is its beginning', async () => {
    const { id } = await hireAndPass(pair);
    const before = await pair.buyer.agora.tasks.receipt(id);
    await pair.buyer.agora.tasks.feedback(id, { direction: 'down', comment: 'No' });
    const after = await pair.buyer.agora.tasks.receipt(id);
    const statuses = await Promise.all([before, after].map(async (each) => (await stated(each)).predicate.task.status));
    expect(statuses).toEqual(['completed', 'refunded']);
    expect(after.entries.slice(0, before.entries.length)).toEqual(before.entries);
    expect(after.entries.length).toBeGreaterThan(before.entries.length);
    for (const each of [before, after]) expect(await verifyReceipt(each, keys)).toMatchObject(sound);
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
    expect(await verifyReceipt(JSON.parse(JSON.stringify(turned(receipt), null, 7)), keys)).toMatchObject(sound);
  });

  test('is signed with one key by all servers of the installation, and another installation has another', async () => {
    expect(await server.client().withOptions({ baseUrl: second.url }).system.jwks()).toEqual(keys);
    const stranger = inFirstFormat(told.predicate.task.id, receipt.entries);
    const { valid, problems } = await verifyReceipt(receipt, stranger.keys);
    expect([valid, problems]).toEqual([false, [expect.stringContaining('has no key')]]);
    const under = await verifyReceipt(receipt, stranger.publicKey);
    expect(under.problems).toEqual([expect.stringMatching(/^The signature does not fit/)]);
  });

  test('of version 0.1.0 still verifies, by its key and by a key set', async () => {
    const { id } = told.predicate.task;
    const first = inFirstFormat(id, receipt.entries);
    for (const given of [first.publicKey, first.keys]) {
      const check = await verifyReceipt(first.receipt, given);
      expect(check).toMatchObject({ ...sound, told: { taskId: id, status: 'completed' }, statement: null });
    }
    expect((await verifyReceipt(first.receipt, keys)).valid).toBe(false);
    for (const name of Object.keys(first.receipt)) {
      const changed = { ...first.receipt, [name]: name === 'count' ? 1 : 'forged' };
      expect((await verifyReceipt(changed, first.publicKey)).valid, name).toBe(false);
    }
  });
});

const copy = <T>(value: T): T => structuredClone(value);

describe('a receipt that was tampered with', () => {
  const places = () => receipt.entries.map((_, at) => at);

  /** Each forgery is found as it is, and with the chain made anew around it. */
  async function expectFound(what: string, forge: (entries: Entries) => Entries, said: RegExp) {
    const plain = await verifyReceipt({ ...receipt, entries: forge(copy(receipt.entries)) }, keys);
    expect(plain.valid, what).toBe(false);
    expect(plain.problems.join('\n'), what).toMatch(said);
    const made = rechained(told.predicate.task.id, forge(copy(receipt.entries)));
    const deep = await verifyReceipt({ ...receipt, entries: made }, keys);
    expect(deep.problems.join('\n'), `${what}, rechained`).toMatch(/last entry is not the last that was signed/);
    // So is one whose statement was made to fit, as a forger without the key would.
    const [header, , signature] = receipt.jws.split('.');
    const forged = copy(told);
    forged.predicate.events = { count: made.length, head: made.at(-1)?.hash ?? '' };
    const jws = [header, Buffer.from(JSON.stringify(forged)).toString('base64url'), signature].join('.');
    const deepest = await verifyReceipt({ ...receipt, jws, entries: made }, keys);
    expect(deepest.problems, `${what}, restated`).toEqual([expect.stringMatching(/^The signature does not fit/)]);
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
    const last = receipt.entries.length - 1;
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
    for (const at of [...places(), receipt.entries.length]) {
      const twin = receipt.entries[Math.min(at, receipt.entries.length - 1)] as Entries[number];
      const forged = { ...twin, event: { ...twin.event, eventType: 'credits.refunded' } };
      for (const each of [twin, forged]) {
        await expectFound(`added at ${at + 1}`, (entries) => entries.toSpliced(at, 0, copy(each)), /entries were/);
      }
    }
  });

  test('is found where anything that is stated was changed, and anything around it', async () => {
    const parts = receipt.jws.split('.') as [string, string, string];
    const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const restated = async (statement: unknown) =>
      verifyReceipt({ ...receipt, jws: [parts[0], encoded(statement), parts[2]].join('.') }, keys);
    for (const name of Object.keys(told.predicate)) {
      const check = await restated({ ...told, predicate: { ...told.predicate, [name]: 'forged' } });
      expect(check.valid, name).toBe(false);
    }
    expect((await restated({ ...told, subject: [] })).valid).toBe(false);
    const headers = [
      {},
      { alg: 'none' },
      { alg: 'none', kid: keys.keys[0]?.kid },
      { alg: 'HS256', kid: keys.keys[0]?.kid },
    ];
    for (const header of headers) {
      const jws = [encoded(header), parts[1], parts[2]].join('.');
      expect((await verifyReceipt({ ...receipt, jws }, keys)).problems.join()).toMatch(/not signed with EdDSA/);
    }
    for (const jws of ['', 'a.b', `${receipt.jws}.x`, parts.slice(0, 2).join('.')]) {
      expect((await verifyReceipt({ ...receipt, jws }, keys)).valid, jws.slice(0, 9)).toBe(false);
    }
    expect((await verifyReceipt({ ...receipt, price: 1 }, keys)).problems.join()).toContain('its member price');
    const unsigned = { ...receipt, entries: receipt.entries.map((entry) => ({ ...entry, note: 'unsigned' })) };
    expect((await verifyReceipt(unsigned, keys)).problems.join()).toContain('entry 1 does not consist of');
  });

  test.each([null, 1, 'text', [], {}, { format: 'agora-receipt-1' }, { format: 'agora-receipt-2', entries: [] }])(
    'is no receipt where it is %j',
    async (value) => {
      const { valid, problems } = await verifyReceipt(value, keys);
      expect(valid).toBe(false);
      expect(problems).toEqual([expect.stringMatching(/^This is no receipt/)]);
    },
  );
});
