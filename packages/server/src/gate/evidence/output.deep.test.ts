import { expect, test } from 'vitest';
import { outputEvidence } from './output.ts';

const of = (output: Record<string, unknown>, input: Record<string, unknown>) =>
  outputEvidence({ taskType: 'bug_fix', input, output, usedSandbox: false }).score;

test('hostile texts are matched in linear time', () => {
  const started = performance.now();
  for (const text of [
    ' '.repeat(200_000),
    `sorry${' ,'.repeat(100_000)}`,
    '.'.repeat(200_000),
    `as an ai${'a '.repeat(99_999)}`,
  ]) {
    of({ result: text }, { description: text });
  }
  expect(performance.now() - started).toBeLessThan(1000);
});
