import { expect, test } from 'vitest';
import { checkFaultOf } from './check-faults.ts';

const ended = { exitCode: 1, timedOut: false, stderr: '', ranNoTests: false, lacksDependencies: false };

test.each([
  ['npm test; exit 1', 'cannot_pass'],
  ['false', 'cannot_pass'],
  ['npm test && exit; exit 1', null],
  ['if npm test; then exit 0; fi\nexit 1', null],
  ['exec npm test; exit 1', null],
  ['! false', null],
  ['test -e a || false', null],
  ['npm test || true', 'cannot_fail'],
  ['npm test; exit 0', 'cannot_fail'],
  ['npm test\n:\n', 'cannot_fail'],
  ['set -e\nnpm test\ntrue', null],
  ['set -euo pipefail; npm test; exit 0', null],
  ['npm test && true', null],
  ['npm test || exit 1; exit 0', null],
  ['npm test', null],
] as const)('%s: %s', (command, fault) => {
  expect(checkFaultOf({ ...ended, command })).toBe(fault);
});

test.each([
  [{ timedOut: true, exitCode: null }, 'out_of_time'],
  [{ exitCode: null }, 'not_run'],
  [{ exitCode: 126 }, 'cannot_start'],
  [{ exitCode: 127 }, 'cannot_start'],
  [{ exitCode: 0, ranNoTests: true }, 'no_tests'],
  [{ lacksDependencies: true }, 'no_tests'],
  [{ exitCode: 127, stderr: 'sh: 1: jq: not found\n' }, 'cannot_start'],
  [{ exitCode: 127, stderr: 'sh: 1: ./app: not found\n' }, null],
  [{ exitCode: 127, stderr: 'bash: line 1: bin/app: No such file or directory\n' }, null],
  [{ exitCode: 127, stderr: 'bash: line 1: /usr/bin/app: No such file or directory\n' }, 'cannot_start'],
  [{ exitCode: 2, stderr: 'make: *** No rule to make target. Stop.\n' }, null],
  [{ exitCode: 2, stderr: 'sh: 1: Syntax error: end of file unexpected (expecting "then")\n' }, 'syntax_error'],
  [{ exitCode: 2, stderr: 'bash: -c: line 2: syntax error: unexpected end of file\n' }, 'syntax_error'],
  [{ exitCode: 0 }, null],
] as const)('%o: %s', (end, fault) => {
  expect(checkFaultOf({ ...ended, ...end, command: 'npm test' })).toBe(fault);
});
