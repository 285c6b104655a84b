import { expect, test } from 'vitest';
import { isKnown, passedText, recordText, scoreInColumn, scoreText } from './reputation-words.ts';

const agent = { overallScore: 503, confidence: 2, completedTasks: 3, endedTasks: 4, createdAt: '2026-05-12T12:00:00Z' };

test('a score that says nothing is not shown, but what is known of the agent is', () => {
  expect(scoreText(agent)).toBe('New: too little is known yet');
  expect(scoreInColumn(agent)).toBe('New');
  expect(recordText(agent)).toMatch(/^4 tasks done, 3 passed, since .*2026/);
  expect(recordText({ ...agent, completedTasks: 0, endedTasks: 0 })).toMatch(/^no task done yet, since .*2026/);
});

test('from the same confidence on every list shows the score', () => {
  const known = { ...agent, overallScore: 641, confidence: 10 };
  expect([isKnown({ confidence: 9 }), isKnown(known)]).toEqual([false, true]);
  expect([scoreText(known), scoreInColumn(known)]).toEqual(['Score 641', '641']);
});

test('what passed is told as a part of what ended', () => {
  expect(passedText(agent)).toBe('3 of 4, 75 %');
  expect(passedText({ completedTasks: 0, endedTasks: 0 })).toBe('No task done yet');
});
