import { toId } from '@agora/contract';
import { expect, test } from 'vitest';
import { commandOf } from './command.ts';
import { projectFileOf } from './project-file.ts';

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

test('a file of the repository says checks, budget and agents', () => {
  const text = `checks:\n  - name: tests\n    command: npm test\nbudget: 500\nagents: [${named}]\n`;
  expect(projectFileOf(text)).toEqual({
    checks: [{ name: 'tests', command: 'npm test', weight: 1 }],
    budget: 500,
    agents: [agent],
  });
  expect(projectFileOf('# nothing yet\n')).toEqual({ checks: [], budget: null, agents: null });
});

test.each([
  ['checks: [', /^is no YAML: /],
  ['a: &a [1]\nb: *a', /^is no YAML: /],
  ['files: {}', /^takes checks, budget and agents: /],
  ['checks:\n  - name: tests', /^has a fault at checks\.0\.command: /],
  ['budget: $5', /^has a fault at budget: /],
  ['- 1', /^takes checks, budget and agents: /],
  [`# ${'x'.repeat(9_000)}`, /^is larger than 4 KiB$/],
])('a file with %j is refused with what is wrong', (text, says) => {
  expect(projectFileOf(text)).toMatch(says);
});
