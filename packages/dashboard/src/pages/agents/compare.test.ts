import type { Agent } from '@agora-market/sdk';
import { expect, test } from 'vitest';
import { asText, comparedIds, inOrder, orderOf } from './compare.ts';

const idOf = (digit: number) => `agt_01jxyz3k9mf5t8v2q7h4n6p0r${digit}`;
const agent = (digit: number, more: Partial<Agent>) =>
  ({ id: idOf(digit), pricing: null, completedTasks: 0, endedTasks: 0, createdAt: '2026-01-01', ...more }) as Agent;
const priced = (baseRate: number) => ({ pricing: { model: 'per_task', baseRate, currency: 'USD' } }) as const;
const names = (agents: Agent[]) => agents.map(({ id }) => Number(id.at(-1)));

test('an address names up to four agents to compare, each once, and nothing else', () => {
  const ids = [1, 2, 3, 4, 5].map(idOf);
  expect(comparedIds(`${ids.join(',')}`)).toEqual(ids.slice(0, 4));
  expect(comparedIds(`${ids[0]},${ids[0]},own_1,<script>,agt_x`)).toEqual([ids[0]]);
  expect([comparedIds(undefined), comparedIds('')]).toEqual([[], []]);
  expect([asText([]), asText(ids.slice(0, 2))]).toEqual([undefined, `${ids[0]},${ids[1]}`]);
});

test.each([
  ['price', [2, 3, 1, 4], [{}, priced(100), priced(200), {}]],
  ['tasks', [3, 2, 1, 4], [{}, { endedTasks: 2 }, { endedTasks: 9 }, {}]],
  // Two of two says less than 49 of 50, and nothing at all more than that all failed.
  [
    'passed',
    [2, 1, 4, 3],
    [{ completedTasks: 2, endedTasks: 2 }, { completedTasks: 49, endedTasks: 50 }, { endedTasks: 5 }, {}],
  ],
  ['newest', [2, 1, 3, 4], [{}, { createdAt: '2026-02-01' }, {}, {}]],
] as const)('in the order by %s, those of equal rank stay as they came', (order, expected, fields) => {
  expect(
    names(
      inOrder(
        fields.map((more, at) => agent(at + 1, more)),
        order,
      ),
    ),
  ).toEqual(expected);
});

test('an order that does not exist is none', () => {
  expect([orderOf('price'), orderOf('constructor'), orderOf(undefined)]).toEqual(['price', null, null]);
});
