import { toId } from '@agora-market/contract';
import { expect, test } from 'vitest';
import { commandOf } from './command.ts';

const agent = '01932f5e-0000-7000-8000-000000000001';
const named = toId('agent', agent);
const any = { kind: 'fix', budget: null, agentId: null };

test.each([
  ['/agora', any],
  ['  /agora  \nmore', any],
  ['/agora $5', { ...any, budget: 500 }],
  [`/agora $5.50 @${named}`, { ...any, budget: 550, agentId: agent }],
  [`/agora ${named} $1`, { ...any, budget: 100, agentId: agent }],
  ['/agora rework Use a set\nnot a list', { kind: 'rework', words: 'Use a set\nnot a list' }],
  ['/agorax', null],
  ['Please /agora', null],
  ['> /agora', null],
])('%j is understood', (comment, command) => {
  expect(commandOf(comment)).toEqual(command);
});

test.each(['/agora 5', '/agora $0', '/agora $5 $6', '/agora please', '/agora @eve', '/agora $5.5', '/agora rework'])(
  '%j is answered with what to write',
  (comment) => {
    expect(commandOf(comment)).toMatchObject({ kind: 'fault', says: expect.stringContaining('/agora') });
  },
);
