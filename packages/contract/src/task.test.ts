import { expect, test } from 'vitest';
import { failureText } from './task.ts';

test('a failure is told in the words of the agent, with nothing twice', () => {
  expect(failureText({ reason: 'no_compiler', errorMessage: 'gcc is missing' })).toBe('no_compiler: gcc is missing');
  expect(failureText({ reason: 'Cannot', errorMessage: 'Cannot' })).toBe('Cannot');
  expect(failureText({ reason: 'Cannot', errorMessage: '' })).toBe('Cannot');
  const declined = 'The agent declined the task: Too cheap';
  expect(failureText({ reason: 'Too cheap', errorMessage: declined })).toBe(declined);
  const stack = 'Error: no compiler\n    at build (build.ts:3:9)';
  expect(failureText({ reason: 'Error: no compiler', errorMessage: stack })).toBe(stack);
  expect(failureText({ reason: null, errorMessage: 'The time ran out.' })).toBe('The time ran out.');
  expect(failureText({})).toBe('');
});
