import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseForFile } from '../../../test/support/database.ts';
import { silentLog } from '../../../test/support/invoke.ts';
import {
  codes,
  decidedStep,
  installNotes,
  type Note,
  noLock,
  noteStep,
  otherStep,
} from '../../../test/support/platform/notes.ts';
import { createHub } from '../hub/hub.ts';
import type { Claim } from './idempotency-claims.ts';
import { createStepWriter, type StepWriter } from './step-writer.ts';

const { url, pool } = await databaseForFile();
let writer: StepWriter;

beforeAll(async () => {
  await installNotes(pool);
  writer = createStepWriter(url, createHub(), silentLog, { lock: noLock });
});
afterAll(async () => {
  await writer.close();
});

const write = (note: Note, step = noteStep, claim?: Claim) => writer.write(step, note, claim);

test('of twins that claim one key in one batch, one is written and the other learns of it', async () => {
  const claim = () => ({
    id: 'ab'.repeat(32),
    requestHash: randomBytes(32).toString('hex'),
    at: '2026-11-21T12:00:00Z',
  });
  const work = [
    write({ key: 'a' }),
    write({ key: 'twin' }, noteStep, claim()),
    write({ key: 'twin too' }, otherStep, claim()),
    write({ key: 'z' }),
  ];
  expect((await codes(work)).sort()).toEqual(['23505', 'ok', 'ok', 'ok']);
  const { rows } = await pool.query(`select key from notes where key like 'twin%'`);
  expect(rows).toHaveLength(1);
  await expect(write({ key: 'later' }, noteStep, claim())).rejects.toMatchObject({
    constraint: 'idempotency_keys_pkey',
  });
});

test('a claim is stored with the change that was made, and not where the step refused, passed over or failed', async () => {
  const subjects: string[] = [];
  const claimed = (note: Partial<Note>, step = noteStep) => {
    const id = randomBytes(32).toString('hex');
    const subject = randomUUID();
    subjects.push(subject);
    return write({ key: id, ...note }, step, { id, requestHash: id, at: '2026-11-21T12:00:00Z', subject });
  };
  const once = randomUUID();
  await write({ key: 'first', once });
  const work = [
    claimed({}),
    claimed({ unwanted: true }),
    write({ key: 'without' }),
    claimed({}, decidedStep),
    claimed({ skip: true }),
    claimed({ once }),
  ];
  expect(await codes(work)).toEqual(['ok', 'ok', 'ok', 'ok', 'error', '23505']);
  expect(await work[1]).toMatchObject({ outcome: 'unwanted' });
  const { rows } = await pool.query('select subject from idempotency_keys where subject is not null');
  expect(rows.map((row) => row.subject).sort()).toEqual([subjects[0], subjects[2]].sort());
});
