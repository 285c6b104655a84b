import { type ChildProcess, spawn } from 'node:child_process';

/** The platform takes 256 KiB of output; JSON may need more characters than it is worth. */
const mostStdoutBytes = 1024 * 1024;

/** What is kept of stderr to explain a failure. */
const keptLines = 20;
const keptLineChars = 400;

/** A longer line is cut into several. */
const mostLineChars = 10_000;

/** Between SIGTERM and SIGKILL. */
const patienceMs = 2_000;

/** Runs $1 beside a guard that ends the group when the worker's end of the pipe is closed: when the worker was killed. */
const guarded = '{ cat <&3; kill -KILL 0; } >/dev/null 2>&1 & exec 3<&-; exec /bin/sh -c "$1"';

export interface CommandRun {
  directory: string;
  env: NodeJS.ProcessEnv;
  stdin: string;
  /** Ends the command and everything it started. */
  signal: AbortSignal;
  /** Gets each line of stderr. */
  onLine: (line: string) => void;
}

/**
 * Runs a command by /bin/sh in a process group of its own and returns its stdout. Rejects with a `CommandError` if it
 * fails, with the signal's reason if it was ended, and if it writes more than a mebibyte. Whatever it started has ended
 * then.
 */
export async function runCommand(command: string, run: CommandRun): Promise<string> {
  run.signal.throwIfAborted();
  const { directory: cwd, env } = run;
  const stdio = ['pipe', 'pipe', 'pipe', 'pipe'] as const;
  const child = spawn('/bin/sh', ['-c', guarded, 'sh', command], { cwd, env, detached: true, stdio: [...stdio] });
  const ended = endOf(child);
  let killer: NodeJS.Timeout | undefined;
  const stop = () => {
    killGroup(child, 'SIGTERM');
    killer = setTimeout(() => killGroup(child, 'SIGKILL'), patienceMs);
  };
  run.signal.addEventListener('abort', stop, { once: true });
  const lastLines = readLines(child, run.onLine);
  const stdout = readStdout(child);
  // A command need not read its brief.
  child.stdin!.on('error', () => {});
  child.stdin!.end(run.stdin);
  try {
    const how = await ended;
    run.signal.throwIfAborted();
    const { text, tooLong } = stdout;
    if (tooLong()) throw new Error(`The command wrote more than ${mostStdoutBytes} bytes`);
    if (how === null) return text();
    const [last = 'it wrote nothing on stderr', ...more] = lastLines().toReversed();
    throw new CommandError([`${how}: ${last}`, ...more.reverse()].join('\n'), text().trim() || lastLines().join('\n'));
  } finally {
    clearTimeout(killer);
    run.signal.removeEventListener('abort', stop);
  }
}

/** A command that failed, with the last lines of its stderr. */
export class CommandError extends Error {
  /** What it wrote on stdout, else those lines. */
  readonly said: string;

  constructor(message: string, said: string) {
    super(message);
    this.said = said;
  }
}

/** How the command failed, or null. Resolves when it has exited and its group is ended, so that its pipes close. */
function endOf(child: ChildProcess): Promise<string | null> {
  return new Promise((resolve, reject) => {
    let how: string | null = null;
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (code !== 0)
        how = signal === null ? `The command ended with exit code ${code}` : `The command was ended by ${signal}`;
      // What it left in the background would hold the pipes and the directory.
      killGroup(child, 'SIGKILL');
    });
    child.once('close', () => resolve(how));
  });
}

function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // Nothing of the group is left.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Calls back for each line of stderr; returns the last ones. */
function readLines({ stderr }: ChildProcess, onLine: (line: string) => void): () => string[] {
  const last: string[] = [];
  let rest = '';
  const take = (line: string) => {
    if (line.trim() !== '') last.push(line.slice(0, keptLineChars));
    if (last.length > keptLines) last.shift();
    onLine(line);
  };
  stderr!.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() as string;
    lines.forEach(take);
    if (rest.length > mostLineChars) {
      take(rest);
      rest = '';
    }
  });
  stderr!.on('end', () => rest !== '' && take(rest));
  return () => last;
}

/** Collects stdout; a command that writes too much is ended. */
function readStdout(child: ChildProcess): { text: () => string; tooLong: () => boolean } {
  const chunks: Buffer[] = [];
  let size = 0;
  child.stdout!.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= mostStdoutBytes) chunks.push(chunk);
    else killGroup(child, 'SIGKILL');
  });
  return { text: () => Buffer.concat(chunks).toString(), tooLong: () => size > mostStdoutBytes };
}
