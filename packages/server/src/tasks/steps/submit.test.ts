import { expect, test } from 'vitest';
import { decideSubmit, type SubmitItem, type SubmitState } from './submit.ts';

const state: SubmitState = {
  available: 1000,
  candidate: {
    agentOwnerId: 'seller',
    isActive: true,
    baseRate: 500,
    openTasks: 1,
    capacity: 2,
    takesBuyer: true,
    takes: null,
    works: null,
    blocked: null,
  },
  ownerPolicy: null,
  agentPolicy: null,
  budget: null,
  pending: new Set(),
  queued: 1,
};
const item = {
  maxBudget: 1000,
  routed: true,
  baseRate: 500,
  taskType: 'general',
  agentId: 'agent',
  at: '2026-11-23T12:00:00.000Z',
  submitterAgentId: 'hirer',
  approvalId: null as string | null,
  offerId: null as string | null,
} as SubmitItem;
const budget = {
  transactionMax: 1000,
  approvalThreshold: 1000,
  windows: [{ window: 'day' as const, limit: 3000, spent: 2000 }],
};
const candidate = (fields: object) => ({ ...state, candidate: { ...state.candidate, ...fields } });
const budgeted = (fields: object) => ({ ...state, budget: { ...budget, ...fields } });

test.each<[string, SubmitState, object]>([
  ['the last cent and the last place', state, { outcome: 'ok' }],
  ['a pool with a cent less', { ...state, available: 999 }, { outcome: 'short', available: 999 }],
  ['a pool that owes', { ...state, available: -5 }, { outcome: 'short', available: 0 }],
  ['an agent that has gone', candidate({ isActive: false }), { outcome: 'agent_gone' }],
  ['an agent with another price', candidate({ baseRate: null }), { outcome: 'agent_changed' }],
  ['an agent without a place', candidate({ openTasks: 2 }), { outcome: 'agent_full' }],
  ['an agent that may just spend it', budgeted({}), { outcome: 'ok' }],
  [
    'a task above its limit',
    budgeted({ transactionMax: 999 }),
    { outcome: 'over_budget', exceeded: { window: 'transaction', limit: 999, spent: 0 } },
  ],
  ['a task that needs an approval', budgeted({ approvalThreshold: 999 }), { outcome: 'needs_approval', limit: 999 }],
  [
    'the tightest of its rolling limits',
    budgeted({ windows: [...budget.windows, { window: 'week', limit: 9000, spent: 8500 }] }),
    { outcome: 'over_budget', exceeded: { window: 'week', limit: 9000, spent: 8500 } },
  ],
])('a submission meets %s', (_, met, wanted) => {
  expect(decideSubmit(met, item)).toEqual(wanted);
});

test('a task without an agent waits in the queue while its owner has room there', () => {
  const waiting = { ...item, agentId: null, routed: false, baseRate: null, mostQueued: 2 };
  const gone = candidate({ isActive: false });
  expect(decideSubmit(gone, waiting)).toEqual({ outcome: 'ok' });
  expect(decideSubmit({ ...gone, queued: 2 }, waiting)).toEqual({ outcome: 'queue_full', limit: 2 });
  expect(decideSubmit({ ...gone, available: 999 }, waiting)).toMatchObject({ outcome: 'short' });
});

test('a direct hire queues with an agent that has no place left', () => {
  expect(decideSubmit(candidate({ openTasks: 9 }), { ...item, routed: false })).toEqual({ outcome: 'ok' });
});
