import type { CheckFault } from '@agora/contract';

/** How a check ended over the untouched input. */
interface Ended {
  command: string;
  exitCode: number | null;
  timedOut: boolean;
  /** By what its runner says. */
  ranNoTests: boolean;
  lacksDependencies: boolean;
}

/** The last command, whatever came before it: `false`, or an exit that is no success. */
const endsInFailure = /(?:^|[;\n])\s*(?:false|exit\s+[1-9]\d*)\s*;?\s*$/;
const endsInSuccess = /(?:^|[;\n]|\|\|)\s*(?:true|:|exit\s+0)\s*;?\s*$/;
const exits = /\bexit\b/g;

const cannotPass = (command: string) => endsInFailure.test(command) && (command.match(exits) ?? []).length < 2;
const cannotFail = (command: string) => endsInSuccess.test(command) && (command.match(exits) ?? []).length < 2;

/**
 * What is wrong with a check itself, whose end then says nothing about the work; null where nothing is. Shells end with
 * 126 and 127 where they cannot start a program, and with 2 where the command is no program of theirs.
 */
export function checkFaultOf({ command, exitCode, timedOut, ...says }: Ended): CheckFault | null {
  if (cannotPass(command)) return 'cannot_pass';
  if (cannotFail(command)) return 'cannot_fail';
  if (timedOut) return 'out_of_time';
  if (exitCode === null) return 'not_run';
  if (exitCode === 126 || exitCode === 127) return 'cannot_start';
  if (says.ranNoTests || (exitCode !== 0 && says.lacksDependencies)) return 'no_tests';
  return exitCode === 2 ? 'may_be_broken' : null;
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
  may_be_broken: 'Exit code 2 mostly means that the command itself is wrong. Look at what it printed.',
};
