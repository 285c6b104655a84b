import type { Reply } from '@agora-market/sdk';

export type Tried = Reply<'tasks.tryChecks'>['checks'][number];

/** A fault of a check in a few words. */
const faultWords: Record<NonNullable<Tried['fault']>['code'], string> = {
  cannot_pass: 'Can never pass',
  cannot_fail: 'Can never fail',
  out_of_time: 'Ran out of time',
  not_run: 'Could not run',
  cannot_start: 'Could not run',
  no_tests: 'Runs no test',
  syntax_error: 'Not a command',
};

/**
 * What the end of a check over untouched material says of it: `measures`, it fails as long as the work is not done;
 * `guards`, it passes already; `faulty`, the server found what is wrong with it; `unclear`, it did not pass, but not as
 * checks fail.
 */
type Telling = 'measures' | 'guards' | 'faulty' | 'unclear';

/** Checks, and the runners of tests, say by 1 that something is wrong with the work; named tests say so by any code. */
const isUsualFailure = ({ exitCode, tests }: Tried) => exitCode === 1 || (tests?.failed ?? 0) > 0;

export const tellingOf = (check: Tried): Telling =>
  check.fault ? 'faulty' : check.passed ? 'guards' : isUsualFailure(check) ? 'measures' : 'unclear';

/** Of one check, beside its name. */
export const outcomeWords = (check: Tried): string =>
  check.fault
    ? faultWords[check.fault.code]
    : { measures: 'Fails now', guards: 'Passes already', unclear: 'May be broken' }[
        tellingOf(check) as Exclude<Telling, 'faulty'>
      ];

/** What to look at, in a check that may tell nothing of the work; null where nothing is. */
export function adviceOn(check: Tried): string | null {
  if (check.fault) return check.fault.advice;
  if (tellingOf(check) !== 'unclear') return null;
  const { exitCode } = check;
  const end = exitCode === null ? 'It did not come to its end' : `It ends with exit code ${exitCode}`;
  return `${end}, and names no test that fails. Checks mostly fail with 1; other codes mostly say that the command itself is wrong, or that a file it needs is not there. Read what it printed: is that what the work will cure?`;
}

/** Whether the checks together tell anything about the work. */
export function verdictOn(checks: readonly Tried[]): { isGood: boolean; text: string } {
  const count = (telling: Telling) => checks.filter((check) => tellingOf(check) === telling).length;
  const [measures, guards, doubtful] = [count('measures'), count('guards'), count('faulty') + count('unclear')];
  if (guards === checks.length)
    return { isGood: false, text: 'Everything passes already, so a delivery that changes nothing would be paid.' };
  if (measures === 0)
    return {
      isGood: false,
      text: 'So far the checks tell nothing about the work: none of them fails as a check should.',
    };
  if (measures === checks.length)
    return { isGood: true, text: 'Nothing passes without work. That is what a measure should do.' };
  const parts = [
    `${measures} of ${checks.length} fail as long as the work is not done, and so measure it.`,
    ...(guards > 0 ? [`${guards} pass already and only guard what works now.`] : []),
    ...(doubtful > 0 ? [`${doubtful} may tell nothing about the work.`] : []),
  ];
  return { isGood: doubtful === 0, text: parts.join(' ') };
}
