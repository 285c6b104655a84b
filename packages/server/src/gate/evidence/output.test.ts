import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { outputScores } from '../criteria.ts';
import { outputEvidence } from './output.ts';

const of = (
  output: Record<string, unknown> | null,
  input: Record<string, unknown> = {},
  taskType = 'bug_fix' as const,
) => outputEvidence({ taskType, input, output, usedSandbox: false }).score;

describe('the output criterion', () => {
  test.each<[string, Record<string, unknown> | null]>([
    ['no output', null],
    ['an empty object', {}],
    ['a blank result', { result: ' \n' }],
    ['a null result', { result: null }],
    ['nested nothing', { result: { files: [], notes: [{ text: '' }] } }],
    ['bookkeeping alone', { model: 'm', turns: 4, toolCallCount: 12, actualApiCostCents: 3 }],
    ['a placeholder', { result: 'TODO' }],
    ['punctuation', { result: '...' }],
    ['a stringified object', { result: '[object Object]' }],
    ['filler', { result: 'Lorem ipsum dolor sit amet, consectetur' }],
  ])('%s is empty', (_name, output) => {
    expect(of(output)).toBe(outputScores.empty);
  });

  test.each<[string, Record<string, unknown>]>([
    ['a short answer', { result: 'done' }],
    ['zero', { result: 0 }],
    ['false', { result: false }],
    ['none, the honest answer to a question', { result: 'none' }],
    ['text under another key', { summary: 'Fixed the rounding.' }],
    ['a structure', { result: { rows: [1, 2] } }],
    ['an error next to a result', { result: 'Partly done', error: 'one file was locked' }],
  ])('%s is present and proves nothing', (_name, output) => {
    expect(of(output)).toBe(outputScores.present);
  });

  test.each([
    "I'm sorry, but I can't help with that.",
    'I cannot assist with this request.',
    "Sorry, I can't complete this task because the repository is private.",
    'Unfortunately, I am unable to perform the task.',
    'As an AI language model, I cannot provide this code.',
    'I won’t be able to complete the task.',
    'We cannot comply with this.',
  ])('a refusal is recognised: %s', (result) => {
    expect(of({ result })).toBe(outputScores.refused);
  });

  test.each([
    ['We decline a refund after 90 days: write the e-mail.', 'Unfortunately, we cannot process your request.'],
    ['Write the line of the guard, who refuses to help.', 'I will not do the work of a tyrant, said the guard.'],
    [
      'Write the text our form shows when the server is busy.',
      'Sorry, we are unable to process your request right now.',
    ],
    ['Write our note for guests who come too late.', 'We cannot continue with your request today.'],
  ])('what the buyer ordered is no refusal: %s', (description, result) => {
    const asked = { taskType: 'content_creation', input: { description }, usedSandbox: false } as const;
    expect(outputEvidence({ ...asked, output: { result } }).score).toBe(outputScores.present);
    const refused = { result: "I'm sorry, but I can't help with that." };
    const unasked = { ...asked, input: { description: 'Write a poem on autumn.' }, output: refused };
    expect(outputEvidence(unasked).score).toBe(outputScores.refused);
  });

  test.each([
    'I cannot help falling in love with you.',
    "I'm sorry, but I can't attend the party on Friday. Kind regards",
    'The handler refused requests it could not complete; it now answers 400.',
    'I could not find any vulnerability.',
    `The assistant said: I cannot help with that. ${'We analysed why. '.repeat(60)}`,
  ])('an answer that only sounds like one is not: %s', (result) => {
    expect(of({ result })).toBe(outputScores.present);
  });

  test('an error instead of a result counts as a refusal', () => {
    expect(of({ error: 'Out of credits', model: 'm' })).toBe(outputScores.refused);
  });

  test('the description or the unchanged code handed back is an echo', () => {
    const description = 'Fix the rounding error in the invoice total';
    expect(of({ result: ` ${description.toUpperCase()}\n` }, { description })).toBe(outputScores.echo);
    const code = 'export const add = (a, b) => a - b;';
    expect(of({ result: code }, { code })).toBe(outputScores.echo);
    expect(of({ result: code.replace('-', '+') }, { code })).toBe(outputScores.present);
  });

  test('a long answer that shares no word with a long description is doubted, not failed', () => {
    const description =
      'Review the payment module of the attached repository for concurrency problems and list every race condition that you find';
    const result = 'Bananas are yellow and they grow in the tropics. The trees have large leaves. '.repeat(5);
    const doubt = (taskType: 'code_review' | 'content_creation') =>
      outputEvidence({ taskType, input: { description }, output: { result }, usedSandbox: false }).score;
    expect(doubt('code_review')).toBe(outputScores.doubtful);
    expect(doubt('content_creation')).toBe(outputScores.present);
    expect(of({ result: `${result} One race was found.` }, { description })).toBe(outputScores.present);
    expect(of({ result: 'Keine Fehler.' }, { description })).toBe(outputScores.present);
  });

  test('any output at all gets one of the known scores', () => {
    const known = new Set<unknown>(Object.values(outputScores));
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (output) => {
        expect(known.has(of(output as Record<string, unknown>))).toBe(true);
      }),
    );
  });

  test('an output nested a hundred thousand levels deep is walked without overflowing', () => {
    let deep: unknown = '';
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(of({ result: deep })).toBe(outputScores.empty);
  });
});
