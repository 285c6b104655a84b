import { expect, test } from 'vitest';
import { decideReassign, type ReassignItem, type ReassignState } from './reassign.ts';

const at = '2026-11-22T12:00:00.000Z';
const later = '2026-11-22T12:15:00.000Z';
const item = {
  fromAgentId: 'first',
  agentId: 'second',
  because: 'not_accepted',
  baseRate: null,
  acceptBy: later,
  tries: 3,
  at,
} as ReassignItem;
const state: ReassignState = {
  status: 'routing',
  agentId: 'first',
  ownerId: 'buyer',
  dueAt: at,
  inputExpiresAt: later,
  otherOwners: [],
  tried: ['first'],
  agentOwnerId: 'seller',
  isActive: true,
  baseRate: null,
  openTasks: 1,
  capacity: 2,
  takesBuyer: true,
  takes: null,
  works: null,
  blocked: null,
  ownerPolicy: null,
  agentPolicy: null,
  submitterAgentId: null,
  taskType: 'general',
  maxBudget: 1000,
};

test.each<[string, Partial<ReassignState>, string]>([
  ['whose time to accept has run out', {}, 'ok'],
  ['whose next agent does not take the buyer', { takesBuyer: false }, 'agent_gone'],
  ['that another agent has by now', { agentId: 'third' }, 'not_party'],
  ['that was started', { status: 'executing' }, 'wrong_state'],
  ['that may still be accepted', { dueAt: later }, 'not_due'],
  ['that the agent had before', { tried: ['second', 'first'] }, 'tried'],
  ['that as many had as may', { tried: ['a', 'b', 'first'] }, 'tried'],
  ['whose input ends now', { inputExpiresAt: at }, 'tried'],
  ["to its buyer's own agent", { agentOwnerId: 'buyer' }, 'agent_gone'],
  ['to an owner who has another attempt', { otherOwners: ['other', 'seller'] }, 'agent_gone'],
  ['to an agent that has gone', { isActive: false }, 'agent_gone'],
  ['at a price that the agent has changed', { baseRate: 5 }, 'agent_changed'],
  ['to an agent without a place', { openTasks: 2 }, 'agent_full'],
])('reassigning a task %s', (_, met, outcome) => {
  expect(decideReassign({ ...state, ...met }, item)).toBe(outcome);
});

test('a declined task goes on before its time has run out', () => {
  expect(decideReassign({ ...state, dueAt: later }, { ...item, because: 'declined' })).toBe('ok');
});

test.each<[string, Partial<ReassignState>, string]>([
  ['that waits', {}, 'ok'],
  ['that another server has given away', { agentId: 'second', status: 'routing', tried: ['second'] }, 'wrong_state'],
  ['that was cancelled', { status: 'failed', dueAt: null }, 'wrong_state'],
  ['whose wait is over', { dueAt: at }, 'wrong_state'],
  ['to an agent without a place', { openTasks: 2 }, 'agent_full'],
])('a task in the queue %s', (_, fields, wanted) => {
  const waiting: ReassignState = { ...state, status: 'submitted', agentId: null, dueAt: later, tried: [], ...fields };
  expect(decideReassign(waiting, { ...item, fromAgentId: null, because: 'queued' })).toBe(wanted);
});
