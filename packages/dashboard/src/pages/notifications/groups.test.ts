import { expect, test } from 'vitest';
import type { Notification } from '../../api/notifications.ts';
import { bellLabel } from '../../app/bell-label.ts';
import { groupsOf, isBuyers, targetOf } from './groups.ts';

const told = (id: string, more: Partial<Notification>) =>
  ({ id, kind: 'task_completed', taskId: null, agentId: null, disputeId: null, ...more }) as Notification;

test('what was told of one task stands together, where the newest of it stands', () => {
  const groups = groupsOf([
    told('4', { taskId: 'a' }),
    told('3', { kind: 'token_created' }),
    told('2', { taskId: 'b', kind: 'question_asked' }),
    told('1', { taskId: 'a', kind: 'question_asked' }),
    told('0', { kind: 'token_created' }),
  ]);
  expect(groups.map(({ notifications }) => notifications.map(({ id }) => id))).toEqual([
    ['4', '1'],
    ['3'],
    ['2'],
    ['0'],
  ]);
  expect(groups.map(isBuyers)).toEqual([true, false, true, false]);
});

test.each([
  [{ taskId: 't', kind: 'question_asked' }, 'Answer the question', { tab: 'messages' }],
  [{ taskId: 't', kind: 'task_failed' }, 'See why', { tab: 'assessment' }],
  [{ taskId: 't', kind: 'pull_request_opened' }, 'Open the task', undefined],
  [{ taskId: 't', agentId: 'a', kind: 'task_accepted' }, 'See the job', undefined],
  [{ taskId: null, agentId: 'a', kind: 'task_sold' }, 'See its jobs', { agentId: 'a', status: 'completed' }],
  [{ taskId: 't', disputeId: 'd', kind: 'dispute_opened' }, 'Open the dispute', undefined],
  [{ agentId: 'a', kind: 'budget_reached' }, 'See its budget', { agentId: 'a' }],
  [{ kind: 'top_up_failed' }, 'See cards and top-ups', { tab: 'top-up' }],
] as const)('%j leads to what can be done about it', (notification, text, search) => {
  const target = targetOf(told('1', notification));
  expect([target?.[0], target?.[1].search]).toEqual([text, search]);
});

test('the bell is called by as much as it shows', () => {
  expect([undefined, 0, 1, 99, 100].map(bellLabel)).toEqual([
    ...['Notifications', 'Notifications', '1 unread notification', '99 unread notifications'],
    'More than 99 unread notifications',
  ]);
});
