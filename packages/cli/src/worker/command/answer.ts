import { ToldFailure } from './presets.ts';
import { CommandError, type CommandRun, runCommand } from './run-command.ts';

/** Makes the output of a task of what a command wrote on stdout. */
export type Read = (stdout: string) => Record<string, unknown>;

/** What a command answers. One that fails may say why in the form of its answers. */
export async function answerOf(command: string, run: CommandRun, read: Read): Promise<Record<string, unknown>> {
  try {
    return read(await runCommand(command, run));
  } catch (error) {
    if (error instanceof CommandError) tellFailure(() => read(error.said));
    throw error;
  }
}

/** Throws the failure that was told; that it was not told in this form is no matter. */
function tellFailure(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    if (error instanceof ToldFailure) throw error;
  }
}

/** A coding agent without its maker may try for ever. */
const probeMinutes = 2;

/** Has a coding agent say one word. Rejects with what it says instead. */
export async function sayReady(command: string, run: Pick<CommandRun, 'directory' | 'env' | 'signal'>, read: Read) {
  let last = 'it wrote nothing on stderr';
  const onLine = (line: string) => {
    last = line.trim() || last;
  };
  const stdin = 'Answer with one word: ready';
  const time = limited(run.signal, probeMinutes);
  try {
    const { result } = await answerOf(command, { ...run, stdin, signal: time.signal, onLine }, read);
    if (!/ready/i.test(String(result))) throw new Error(`It was asked for one word and said: ${String(result)}`);
  } catch (error) {
    throw time.signal.aborted ? new Error(`${String(time.signal.reason.message)}: ${last}`) : error;
  } finally {
    time.end();
  }
}

/** A signal that also fires after so many minutes. */
export function limited(signal: AbortSignal, minutes: number | null): { signal: AbortSignal; end(): void } {
  if (minutes === null) return { signal, end: () => undefined };
  const late = new AbortController();
  const why = new Error(`The command took longer than ${minutes} minutes`);
  const timer = setTimeout(() => late.abort(why), minutes * 60_000);
  return { signal: AbortSignal.any([signal, late.signal]), end: () => clearTimeout(timer) };
}
