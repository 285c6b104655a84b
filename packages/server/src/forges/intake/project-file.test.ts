import { toId } from '@agora-market/contract';
import { expect, test } from 'vitest';
import { projectFileOf } from './project-file.ts';

const agent = '01932f5e-0000-7000-8000-000000000001';
const named = toId('agent', agent);

test('a file of the repository says checks, tests, environment, budget, agents and held-out files', () => {
  const text = `checks:\n  - name: tests\n    command: npm test\ntests:\n  mayFail: [slow.js > *]\nenvironment:\n  tools: [go@1.22]\n  setup: make\nbudget: 500\nagents: [${named}]\n`;
  expect(projectFileOf(text)).toEqual({
    checks: [{ name: 'tests', command: 'npm test', weight: 1 }],
    tests: { mayFail: ['slow.js > *'] },
    environment: { tools: ['go@1.22'], setup: 'make' },
    budget: 500,
    agents: [agent],
    heldOut: null,
  });
  expect(projectFileOf('# nothing yet\n')).toEqual({
    checks: [],
    tests: null,
    environment: null,
    budget: null,
    agents: null,
    heldOut: null,
  });
});

test.each([
  ['checks: [', /^is no YAML: /],
  ['['.repeat(2_000), /^nests too deeply$/],
  ['- '.repeat(2_000), /^nests too deeply$/],
  ['a: &a [1]\nb: *a', /^is no YAML: /],
  ['files: {}', /^takes checks, tests, environment, budget, agents and heldOut: /],
  ['checks:\n  - name: tests', /^has a fault at checks\.0\.command: /],
  ['heldOut: { repository: a/b, path: ../c }', /^has a fault at heldOut\.path: /],
  ['heldOut: { repository: b, path: c }', /^has a fault at heldOut\.repository: /],
  ['environment:\n  tools: [../x]', /^has a fault at environment\.tools\.0: must be a name such as go/],
  ['budget: $5', /^has a fault at budget: /],
  ['- 1', /^takes checks, tests, environment, budget, agents and heldOut: /],
  [`# ${'x'.repeat(9_000)}`, /^is larger than 4 KiB$/],
])('a file with %j is refused with what is wrong', (text, says) => {
  expect(projectFileOf(text)).toMatch(says);
});
