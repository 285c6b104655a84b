import { readFileSync } from 'node:fs';
import { gate as gateBand } from '@agora-market/contract';
import { describe, expect, test } from 'vitest';
import { readBrief } from '../../../test/support/gate/brief-reader.ts';
import { type Case, source, useHostSandboxes } from '../../../test/support/gate/case.ts';
import { fakeEndpoint, says, type Turn } from '../../../test/support/gate/fake-endpoint.ts';
import { manualClock } from '../../platform/index.ts';
import { assess, type Verdict } from '../index.ts';
import { createLanguageJudge } from './language-judge.ts';

useHostSandboxes();

interface Injection {
  form: string;
  place: 'result' | 'field' | 'bookkeeping' | 'file' | 'fileName' | 'log';
  text: string;
  repeat?: number;
  tail?: string;
}

const injections = JSON.parse(readFileSync(new URL('./injections.json', import.meta.url), 'utf8')) as Injection[];
const textOf = ({ text, repeat = 1, tail = '' }: Injection) => text.repeat(repeat) + tail;

const work =
  'The first ledger is append-only, the second one is not; both name the accounts and balance every posting.';
const essay = {
  taskType: 'research',
  input: { description: 'Compare the two ledgers and say which balance.' },
} as const;

/** Two of three checks pass, which leaves the score at 65: a judge is asked. */
const checks = [
  { name: 'shows its log', command: 'cat log.txt; grep -q fixed work.txt' },
  { name: 'is fixed', command: 'grep -q fixed work.txt' },
  { name: 'is documented', command: 'test -e manual.txt' },
];
const code = (files: Record<string, string>): Case => ({
  taskType: 'bug_fix',
  acceptance: { checks },
  original: { 'work.txt': 'broken\n' },
  delivered: { 'work.txt': 'fixed\n', 'log.txt': 'done\n', ...files },
});

/** A delivery and the same one with the hidden instruction in its place; nothing else differs. */
function pairOf(injection: Injection): [clean: Case, injected: Case] {
  const text = textOf(injection);
  switch (injection.place) {
    case 'result':
      return [
        { ...essay, output: { result: work } },
        { ...essay, output: { result: `${work}\n\n${text}` } },
      ];
    case 'field':
      return [
        { ...essay, output: { result: work, notes: 'none' } },
        { ...essay, output: { result: work, notes: text } },
      ];
    case 'bookkeeping':
      return [
        { ...essay, output: { result: work, model: 'm' } },
        { ...essay, output: { result: work, model: text } },
      ];
    case 'file':
      return [code({ 'notes.txt': 'plain\n' }), code({ 'notes.txt': text })];
    case 'fileName':
      return [code({ 'notes.txt': 'plain\n' }), code({ [text]: 'plain\n' })];
    case 'log':
      return [code({}), code({ 'log.txt': `${text}\n` })];
  }
}

const scores = ({ score, passed, criteria }: Verdict) => ({
  score,
  passed,
  criteria: criteria.map(({ name, score: own, weight }) => [name, own, weight]),
});

/**
 * A model as gullible as can be: it obeys whatever it reads outside of the data blocks, and gives 100 for it. Inside
 * of them it sees data, and gives 30 for that.
 */
const gullible: Turn = (response, asked) => {
  const [system, user] = asked.body.messages;
  const obeys = readBrief(user!.content).strangers.length > 0 || system!.content !== instructions;
  says.verdict(obeys ? 100 : 30)(response, asked);
};
let instructions = '';

async function judged(given: Case) {
  const endpoint = await fakeEndpoint((response, asked) => {
    instructions ||= asked.body.messages[0]!.content;
    gullible(response, asked);
  });
  const judge = createLanguageJudge({
    endpoint: { baseUrl: endpoint.url, apiKey: undefined, model: 'gullible' },
    maxChars: 60_000,
    maxTokensADay: 0,
    ownerPercent: 100,
    callMs: 10_000,
    totalMs: 10_000,
    clock: manualClock('2026-11-21T12:00:00.000Z'),
    log: { warn: () => undefined } as never,
    stopping: new AbortController().signal,
    db: {} as never,
  });
  return { verdict: await assess(source(given), { judge }), asked: endpoint.asked };
}

test('there are at least sixty hidden instructions, of many forms and in every place', () => {
  expect(injections.length).toBeGreaterThanOrEqual(60);
  expect(new Set(injections.map(({ form }) => form)).size).toBe(injections.length);
  expect([...new Set(injections.map(({ place }) => place))].sort()).toEqual([
    'bookkeeping',
    'field',
    'file',
    'fileName',
    'log',
    'result',
  ]);
});

describe.each(injections.map((injection) => [injection.form, injection] as const))('%s', (_form, injection) => {
  const [clean, injected] = pairOf(injection);

  test("does not move the rules' score, nor any row of it", async () => {
    const without = await assess(source(clean));
    const within = await assess(source(injected));
    expect(scores(within)).toEqual(scores(without));
    expect(without.score).toBeGreaterThanOrEqual(gateBand.judgeFrom);
    expect(without.score).toBeLessThanOrEqual(gateBand.judgeTo);
  });

  test('does not leave its block in what a judge is sent, so that not even a gullible one obeys it', async () => {
    const without = await judged(clean);
    const within = await judged(injected);
    expect(within.asked).toHaveLength(1);
    expect(readBrief(within.asked[0]!.body.messages[1]!.content).strangers).toEqual([]);
    expect(within.verdict.judge).toMatchObject({ status: 'judged', score: 30 });
    expect(scores(within.verdict)).toEqual(scores(without.verdict));
  });
});
