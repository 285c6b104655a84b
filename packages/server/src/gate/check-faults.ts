import type { CheckFault } from '@agora-market/contract';

/** How a check ended over the untouched input. */
interface Ended {
  command: string;
  exitCode: number | null;
  timedOut: boolean;
  stderr: string;
  /** By what its runner says. */
  ranNoTests: boolean;
  lacksDependencies: boolean;
}

/** The last command, whatever came before it: `false`, or an exit that is no success. */
const endsInFailure = /(?:^|[;\n])\s*(?:false|exit\s+[1-9]\d*)\s*;?\s*$/;
const endsInSuccess = /(?:^|[;\n]|\|\|)\s*(?:true|:|exit\s+0)\s*;?\s*$/;
/** What may end a command before its end. */
const leaves = /\bexit\b|\bexec\b|\btrap\b|\bset\s{1,9}-\w{0,9}e/;

/** A path in the workspace is work that is still to be written. */
const lacksWork = /: (?!\/)[^\s:]*\/[^\s:]*: (?:not found|No such file or directory)$/m;
const isUnreadable = /^\S*sh: .*syntax error/im;

/** Characters of a command's end, and of what it said, that patterns look at: their cost may grow with the square. */
const looked = { end: 200, said: 2_000 };

/** By its last command alone, which nothing before it may leave out. */
function endsAlways(pattern: RegExp, given: string): boolean {
  const command = given.trimEnd();
  const [before, end] = [command.slice(0, -looked.end), command.slice(-looked.end)];
  return pattern.test(end) && ![before, end.replace(pattern, '')].some((part) => leaves.test(part));
}

/**
 * What is wrong with a check itself, whose end then says nothing about the work; null where nothing is. Shells end with
 * 126 and 127 where they cannot start a program, and with 2 where they cannot read the command.
 */
export function checkFaultOf({ command, exitCode, timedOut, stderr, ...says }: Ended): CheckFault | null {
  const said = stderr.slice(-looked.said);
  if (endsAlways(endsInFailure, command)) return 'cannot_pass';
  if (endsAlways(endsInSuccess, command)) return 'cannot_fail';
  if (timedOut) return 'out_of_time';
  if (exitCode === null) return 'not_run';
  if (exitCode === 126 || (exitCode === 127 && !lacksWork.test(said))) return 'cannot_start';
  if (says.ranNoTests || (exitCode !== 0 && says.lacksDependencies)) return 'no_tests';
  return exitCode === 2 && isUnreadable.test(said) ? 'syntax_error' : null;
}

/** The fault, and what the buyer can do about it. */
export const checkAdvice: Record<CheckFault, string> = {
  cannot_pass:
    'It ends in failure whatever the work is, so no delivery passes it. End it with the command that decides.',
  cannot_fail: 'It ends in success whatever the work is, so any delivery passes it. Take the end off.',
  out_of_time: 'It ran out of time. Make it shorter, or split it into several checks.',
  not_run: 'Its sandbox ended or refused it. Make sure that it needs less memory and fewer processes.',
  cannot_start:
    'It starts a program that is not there, or a file that cannot be executed. A sandbox has no network, so the program must be in the input or in the sandbox.',
  no_tests:
    'It runs no test: the runner finds none, or lacks a module. Supply the module with the input, because a sandbox has no network.',
  syntax_error: 'The shell cannot read it. Its message says where: look at what it printed.',
};
