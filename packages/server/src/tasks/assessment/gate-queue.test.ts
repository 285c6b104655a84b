import { expect, test } from 'vitest';
import type { TaskRow } from '../sql.ts';
import { isJudgedAtOnce } from './gate-queue.ts';

const task = (taskType: TaskRow['taskType'], input: Record<string, unknown>) =>
  ({ taskType, input, groupTasks: null as string[] | null }) as TaskRow;
const checks = [{ name: 'a', command: 'true' }];

test('a delivery without workspace is judged at once where nothing is to be run over what the buyer provided', () => {
  const provided = { files: { 'a.test.js': '' }, repo: { url: 'https://example.com/a.git' }, code: 'x' };
  for (const taskType of ['general', 'refactor', 'testing', 'devops', 'security', 'code_review'] as const)
    expect(isJudgedAtOnce(task(taskType, provided), null)).toBe(true);
  for (const taskType of ['bug_fix', 'code_generation'] as const) {
    expect(isJudgedAtOnce(task(taskType, { code: 'x' }), null)).toBe(true);
    expect(isJudgedAtOnce(task(taskType, { files: provided.files }), null)).toBe(false);
    expect(isJudgedAtOnce(task(taskType, { repo: provided.repo }), null)).toBe(false);
  }
});

test('the verdict on one of several attempts does not decide, so that it is stored before', () => {
  expect(isJudgedAtOnce({ ...task('general', {}), groupTasks: ['a', 'b'] }, null)).toBe(false);
});

test('checks, a schema or a workspace take their time', () => {
  expect(isJudgedAtOnce(task('general', { acceptance: { checks } }), null)).toBe(false);
  expect(isJudgedAtOnce(task('general', { acceptance: { schema: {} } }), null)).toBe(false);
  expect(isJudgedAtOnce(task('general', {}), 0)).toBe(false);
});
