import { execFileSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { UsageError } from '../../failure.ts';
import { shellWord } from '../../print.ts';

export interface Place {
  /** Where the worker was started. */
  directory: string;
  /** Whether the command runs in the files of a task, which have names of their own. */
  workspace: boolean;
}

/** A word as /bin/sh sees it, with its quotes, and a sign before it that makes it a file to write. */
const words = /(>&?\s*)?((?:'[^']*'|"(?:\\[\s\S]|[^"\\])*"|\\[\s\S]|[^\s'"\\;&|()<>])+)/g;

/** Programs whose first argument is a program itself. */
const interpreters = /^(?:python[\d.]*|node|bun|deno|tsx|(?:ba|da|z)?sh|ruby|perl|php)$/;

/**
 * The command as it runs in another directory: a word that is written as a path (with a `/` or a `.`) and names a file
 * where the worker was started becomes absolute. Words that the shell expands, files that it writes, and what follows a
 * `cd` stay as they are. Throws if the program is not there or cannot be executed, before a task fails for it.
 */
export function resolveCommand(command: string, place: Place): string {
  tryProgram(command, place);
  let last = '';
  let hasMoved = false;
  return command.replace(words, (all, writes: string | undefined, word: string, at: number) => {
    const isBuiltIn = word === '.' && /(?:^|[;&|({])\s*$/.test(command.slice(0, at));
    const path = writes || isBuiltIn || hasMoved ? null : pathOf(word, place);
    hasMoved ||= last === 'cd';
    last = word;
    return path === null || path === plain(word) ? all : shellWord(path);
  });
}

/** The file that a word names where the worker was started. Directories of a task's files have the same names. */
function pathOf(word: string, { directory, workspace }: Place): string | null {
  const text = plain(word);
  if (text === null || !/[./]/.test(text)) return null;
  const path = resolve(directory, text);
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() || (found?.isDirectory() && !workspace) ? path : null;
}

/** The word without its quotes; null where the shell makes something else of it. */
function plain(word: string): string | null {
  if (/[$`*?[~{]/.test(word)) return null;
  return word.replace(/'([^']*)'|"((?:\\[\s\S]|[^"\\])*)"|\\([\s\S])/g, (_, single, double, one) =>
    double === undefined ? (single ?? one) : double.replace(/\\(["\\])/g, '$1'),
  );
}

/** Whether a word names a file to read or write, or the number of a stream: `2>err.log <in.txt ./agent.sh`. */
function isOfRedirection({ 0: all, 1: writes, 2: word = '', index, input }: RegExpExecArray): boolean {
  if (writes !== undefined || /<\s*$/.test(input.slice(0, index))) return true;
  return /^\d+$/.test(word) && /^[<>]/.test(input.slice(index + all.length));
}

/** Throws unless the first command can be started. One that the shell makes of a variable is not tried. */
function tryProgram(command: string, place: Place): void {
  const all = [...command.matchAll(words)]
    .filter((found) => !isOfRedirection(found))
    .map(([, , word]) => plain(word as string));
  const at = all.findIndex((word) => word === null || !/^\w+=/.test(word));
  const program = at === -1 ? '' : all[at];
  if (program === '') throw new UsageError('--exec is empty: name the program that does a task');
  if (!program) return;
  if (program.includes('/') || (program !== '.' && pathOf(program, place) !== null)) tryFile(program, place);
  else if (!isKnown(program)) throw new UsageError(unknown(program, place));
  const script = all[at + 1];
  // A script among the task's own files cannot be tried.
  if (place.workspace || !script || !interpreters.test(program) || !/^[^-].*\.\w+$/.test(script)) return;
  if (pathOf(script, place) === null) throw new UsageError(missing(script, place));
}

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

function tryFile(program: string, place: Place): void {
  const path = resolve(place.directory, program);
  if (!isFile(path)) throw new UsageError(missing(program, place));
  try {
    accessSync(path, constants.X_OK);
  } catch {
    throw new UsageError(`--exec: ${program} is not executable. Run chmod +x ${shellWord(path)}`);
  }
}

const unknown = (program: string, { directory }: Place) =>
  `--exec: there is no program ${program} in PATH. ` +
  (isFile(resolve(directory, program)) ? `Write ./${program}` : 'Install it, or write its path');

const missing = (file: string, { directory }: Place) =>
  isAbsolute(file)
    ? `--exec: there is no file ${file}. Write the path of your program`
    : `--exec: there is no file ${file} in ${directory}. Go to the directory of your program, or write its path`;

/** Whether the shell knows a program, or a word of its own. */
export function isKnown(program: string): boolean {
  try {
    execFileSync('/bin/sh', ['-c', 'command -v -- "$1"', 'sh', program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
