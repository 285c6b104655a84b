import { toUuid } from '@agora-market/contract';
import type { Body } from '@agora-market/sdk';
import { describe, expect, test } from 'vitest';
import { provenSide, speaksFor } from '../../src/disputes/proofs.ts';
import { day, goodOutput, hireAndStart, minute, type Pair, pass, refusalOf } from '../api/scene.ts';
import { answered, courtServer, fresh, moneyOf, overWindow } from './scene.ts';

type Proof = NonNullable<Body<'tasks.dispute'>['proof']>;

const server = courtServer();

/** Slugs that are wrong in two ways, of which the agent cures one and breaks another. */
const input = {
  description: 'slug() must turn blanks into hyphens.',
  files: { 'slug.sh': 'tr A-Z a-z\n', 'package.json': '{ "scripts": { "test": "true" } }' },
};
const hyphens: Proof = { checks: [{ name: 'hyphens', command: 'test "$(printf "a b" | sh slug.sh)" = a-b' }] };
const lowers: Proof = {
  checks: [{ name: 'lower case', command: 'sh lower.sh' }],
  files: { 'lower.sh': 'test "$(printf A | sh slug.sh)" = a\n' },
};
const never: Proof = { checks: [{ name: 'never', command: 'exit 1' }] };

/** The agent's delivery turns blanks into hyphens, and leaves capitals as they are. */
async function delivered(pair: Pair): Promise<string> {
  const { id } = await hireAndStart(pair, { input });
  await pair.agent.agora.sandbox.write(id, { path: 'slug.sh', content: "tr ' ' -\n" });
  await pair.agent.agora.tasks.complete(id, { output: goodOutput });
  await expect.poll(async () => (await pair.buyer.agora.tasks.get(id)).status).toBe('completed');
  server.clock.advance(overWindow);
  return id;
}

const shownOf = (pair: Pair, id: string) => pair.buyer.agora.courts.getDispute(id);

/** Runs what is due until no proof waits. */
async function proved(pair: Pair, id: string) {
  await expect
    .poll(
      async () => {
        await pass(server, 0);
        return (await shownOf(pair, id)).proofs.every(({ speaksFor }) => speaksFor !== null);
      },
      { timeout: 60_000 },
    )
    .toBe(true);
  return shownOf(pair, id);
}

describe('a proof', () => {
  test('speaks for the seller where only the delivery passes it, and decides once its time is over', async () => {
    const pair = await fresh(server);
    const taskId = await delivered(pair);
    const { id } = await pair.buyer.agora.tasks.dispute(taskId, { reason: 'It does nothing' });
    await pair.seller.agora.courts.respondToDispute(id, { response: 'It does', proof: hyphens });
    const seen = await proved(pair, id);
    expect(seen.proofs).toEqual([
      {
        ...{ by: 'seller', checks: hyphens.checks, files: null, speaksFor: 'seller', why: null },
        onInput: [expect.objectContaining({ name: 'hyphens', passed: false, exitCode: 1 })],
        onDelivery: [expect.objectContaining({ name: 'hyphens', passed: true, exitCode: 0 })],
        ...{ createdAt: expect.any(String), ranAt: expect.any(String) },
      },
    ]);
    const decides = Date.parse(seen.proofBy ?? '');
    expect(decides - Date.parse(seen.proofs[0]?.ranAt ?? '')).toBe(3 * day);
    await pass(server, decides - server.clock.now().getTime());
    expect(await shownOf(pair, id)).toMatchObject({ status: 'under_review' });
    await pass(server, 1);
    expect(await shownOf(pair, id)).toMatchObject({ outcome: 'seller_wins', decidedBy: 'proof', refunded: 0 });
    expect(await moneyOf(pair)).toMatchObject({ buyer: 4000 });
  });

  test('speaks for the buyer where only the input passes it', async () => {
    const pair = await fresh(server);
    const taskId = await delivered(pair);
    const { id } = await pair.buyer.agora.tasks.dispute(taskId, { reason: 'It broke lower case', proof: lowers });
    const seen = await proved(pair, id);
    expect(seen).toMatchObject({ status: 'filed', proofs: [{ by: 'buyer', speaksFor: 'buyer', files: lowers.files }] });
    await pair.agent.agora.courts.respondToDispute(id, { response: 'You did not ask for that' });
    await pass(server, 3 * day + minute);
    expect(await shownOf(pair, id)).toMatchObject({ outcome: 'buyer_wins', decidedBy: 'proof', refunded: 1000 });
    expect(await moneyOf(pair)).toEqual({ buyer: 5000, escrowed: 0, available: 0 });
  });

  test('of each side against the other leaves it to the operator', async () => {
    const pair = await fresh(server);
    const taskId = await delivered(pair);
    const { id } = await pair.buyer.agora.tasks.dispute(taskId, { reason: 'It broke lower case', proof: lowers });
    await proved(pair, id);
    await pair.agent.agora.courts.respondToDispute(id, { response: 'It has hyphens', proof: hyphens });
    expect(await proved(pair, id)).toMatchObject({ proofBy: null });
    await pass(server, 13 * day);
    expect(await shownOf(pair, id)).toMatchObject({ status: 'under_review', proofBy: null });
    await pass(server, 2 * day);
    expect(await shownOf(pair, id)).toMatchObject({ decidedBy: 'operator_silent' });
  });

  test('that ends alike on both speaks for nobody', async () => {
    const pair = await fresh(server);
    const taskId = await delivered(pair);
    const { id } = await pair.buyer.agora.tasks.dispute(taskId, { reason: 'It fails', proof: never });
    const passes: Proof = { checks: [{ name: 'always', command: 'true' }] };
    await pair.buyer.agora.courts.supplementDispute(id, { statement: 'It holds', proof: passes });
    const third = pair.buyer.agora.courts.supplementDispute(id, { statement: 'Once more', proof: never });
    expect(await refusalOf(third)).toBe('400 WRONG_STATE');
    const seen = await proved(pair, id);
    expect(seen.proofs.map(({ speaksFor }) => speaksFor)).toEqual(['nobody', 'nobody']);
    expect(seen.proofBy).toBeNull();
    expect(seen.statements).toHaveLength(2);
  });

  test('is not taken once the input is erased, or with files outside the workspace', async () => {
    const pair = await fresh(server);
    const taskId = await delivered(pair);
    const outside = { ...never, files: { '../x': '' } };
    const file = (proof: Proof) => pair.buyer.agora.tasks.dispute(taskId, { reason: 'It fails', proof });
    expect(await refusalOf(file(outside))).toBe('400 VALIDATION_ERROR');
    expect(await refusalOf(file({ checks: [] }))).toBe('400 VALIDATION_ERROR');
    await pass(server, day);
    expect(await refusalOf(file(never))).toBe('410 INPUT_EXPIRED');
  });

  test('is run days later too, because a dispute keeps input and delivery until it ends', async () => {
    const pair = await fresh(server);
    const taskId = await delivered(pair);
    const { id } = await pair.buyer.agora.tasks.dispute(taskId, { reason: 'It does nothing' });
    await pass(server, 2 * day);
    await pair.seller.agora.courts.respondToDispute(id, { response: 'It does', proof: hyphens });
    await pass(server, 0);
    expect((await proved(pair, id)).proofs).toMatchObject([{ speaksFor: 'seller' }]);
    const files = async () => (await pair.buyer.agora.tasks.get(taskId)).input.files;
    expect(await files()).toBeDefined();
    await server.operator().courts.resolveDispute(id, { outcome: 'dismissed', note: 'It does' });
    await pass(server, 1);
    expect(await files()).toBeUndefined();
  });

  test('reads no file that the buyer holds out', async () => {
    const pair = await fresh(server);
    const acceptance = { checks: [{ name: 'slug', command: 'sh held.sh' }], files: { 'held.sh': 'true\n' } };
    const { id: taskId } = await hireAndStart(pair, { input: { ...input, acceptance } });
    await pair.agent.agora.sandbox.write(taskId, { path: 'slug.sh', content: "tr ' ' -\n" });
    await pair.agent.agora.tasks.complete(taskId, { output: goodOutput });
    await expect.poll(async () => (await pair.buyer.agora.tasks.get(taskId)).status).toBe('completed');
    server.clock.advance(overWindow);
    const { id } = await pair.buyer.agora.tasks.dispute(taskId, { reason: 'It fails' });
    const looks: Proof = { checks: [{ name: 'looks', command: 'cat held.sh' }] };
    await pair.seller.agora.courts.respondToDispute(id, { response: 'Let me see', proof: looks });
    const [shown] = (await proved(pair, id)).proofs;
    expect(shown).toMatchObject({ speaksFor: 'nobody', onInput: [{ passed: false }], onDelivery: [{ passed: false }] });
  });
});

describe('checks of a proof', () => {
  const ran = (...ends: (number | null)[]) =>
    ends.map(
      (exitCode) => ({ exitCode, passed: exitCode === 0 }) as NonNullable<Parameters<typeof speaksFor>[0]>[number],
    );

  test.each([
    ['hold on the delivery alone', ran(0, 1), ran(0, 0), 'seller'],
    ['hold on the input alone', ran(0, 0), ran(1, 0), 'buyer'],
    ['hold on both', ran(0), ran(0), 'nobody'],
    ['hold on neither', ran(1), ran(2), 'nobody'],
    ['do not come to their end on the delivery', ran(0, 0), ran(0, null), 'nobody'],
    ['do not come to their end on the input', ran(null), ran(0), 'nobody'],
    ['have no delivery that the sandbox gives out', ran(0), null, 'buyer'],
    ['have none, and fail on the input too', ran(1), null, 'nobody'],
  ])('that %s', (_what, onInput, onDelivery, side) => {
    expect(speaksFor(onInput, onDelivery)).toBe(side);
  });

  test('decide for one side, once all were run', () => {
    expect(provenSide(['buyer', 'nobody'])).toBe('buyer');
    expect(provenSide(['buyer', 'seller'])).toBeNull();
    expect(provenSide(['buyer', null])).toBeNull();
    expect(provenSide([])).toBeNull();
  });
});

test('a new assessment decides nothing against a proof', async () => {
  const pair = await fresh(server);
  const taskId = await delivered(pair);
  const { id } = await pair.buyer.agora.tasks.dispute(taskId, { reason: 'It does nothing' });
  await pair.seller.agora.courts.respondToDispute(id, { response: 'It does', proof: hyphens });
  // As if the gate's rules had become stricter since.
  await server.pool.query(`update tasks set output = '{}' where id = $1`, [toUuid('task', taskId)]);
  await proved(pair, id);
  await pass(server, 0);
  const seen = await shownOf(pair, id);
  expect(await pair.buyer.agora.courts.getAssessment(seen.assessmentId ?? '')).toMatchObject({ passed: false });
  expect(seen).toMatchObject({ status: 'under_review', outcome: null, proofs: [{ speaksFor: 'seller' }] });
});

test('proofs of one side that come late give the other no less and no more time', async () => {
  const pair = await fresh(server);
  const taskId = await delivered(pair);
  const { id } = await pair.buyer.agora.tasks.dispute(taskId, { reason: 'It broke lower case', proof: lowers });
  const { proofBy } = await proved(pair, id);
  await pass(server, day);
  await pair.buyer.agora.courts.supplementDispute(id, { statement: 'Once more', proof: lowers });
  expect((await proved(pair, id)).proofBy).toBe(proofBy);
});

test('what a proof printed of the input goes with the input', async () => {
  const pair = await fresh(server);
  const taskId = await delivered(pair);
  const proof: Proof = { checks: [{ name: 'shows', command: 'cat slug.sh' }], files: { 'a.txt': 'a' } };
  const { id } = await pair.buyer.agora.tasks.dispute(taskId, { reason: 'Look', proof });
  expect((await proved(pair, id)).proofs[0]?.onInput?.[0]?.output).toContain('tr A-Z a-z');
  await server.operator().courts.resolveDispute(id, { outcome: 'dismissed', note: 'No' });
  await pass(server, day);
  await pass(server, minute);
  expect((await shownOf(pair, id)).proofs).toMatchObject([
    { speaksFor: 'nobody', checks: proof.checks, files: null, onInput: null, onDelivery: null },
  ]);
});

test('a buyer that got its money back reads the change no more', async () => {
  const pair = await fresh(server);
  const taskId = await delivered(pair);
  const { id } = await pair.buyer.agora.tasks.dispute(taskId, { reason: 'It does nothing' });
  await server.operator().courts.resolveDispute(id, { outcome: 'buyer_wins', note: 'Indeed' });
  expect(await pair.buyer.agora.courts.disputedWork(id)).toMatchObject({ patch: null });
  expect((await pair.seller.agora.courts.disputedWork(id)).patch?.text).toContain("+tr ' ' -");
});

describe('what a dispute is about', () => {
  test('is read by both sides, the agent’s owner and the operator', async () => {
    const pair = await fresh(server);
    const taskId = await delivered(pair);
    const { id } = await pair.buyer.agora.tasks.dispute(taskId, { reason: 'It does nothing' });
    const wanted = {
      taskId,
      description: input.description,
      output: goodOutput,
      assessments: [expect.objectContaining({ purpose: 'gate', score: expect.any(Number) })],
      patch: { sizeBytes: expect.any(Number), text: expect.stringContaining("+tr ' ' -") },
    };
    for (const { agora } of [pair.buyer, pair.agent, pair.seller]) {
      expect(await agora.courts.disputedWork(id)).toMatchObject(wanted);
    }
    expect(await server.operator().courts.docketWork(id)).toMatchObject(wanted);
    const stranger = await fresh(server);
    expect(await refusalOf(stranger.buyer.agora.courts.disputedWork(id))).toBe('403 NOT_A_PARTY');
  });

  test('has no patch where the work is an output only', async () => {
    const pair = await fresh(server);
    const { id } = await answered(server, pair);
    expect(await pair.seller.agora.courts.disputedWork(id)).toMatchObject({ patch: null, output: goodOutput });
  });
});
