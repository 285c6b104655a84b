import { expect, test } from 'vitest';
import { byRoom } from './placement.ts';

const servers = [
  { id: 'full', room: 0 },
  { id: 'one', room: 1 },
  { id: 'four', room: 4 },
  { id: 'other four', room: 4 },
];
const order = (weight: number, draws: number[]) =>
  byRoom(servers, weight, () => draws.shift() ?? 0).map(({ id }) => id);

test('most room goes first, ties are drawn, and who has too little is not asked', () => {
  expect(order(1, [0, 0.1, 0.2])).toEqual(['four', 'other four', 'one']);
  expect(order(1, [0, 0.2, 0.1])).toEqual(['other four', 'four', 'one']);
  expect(order(2, [0.1, 0.2])).toEqual(['four', 'other four']);
  expect(order(5, [])).toEqual([]);
});
