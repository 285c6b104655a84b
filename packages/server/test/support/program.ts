import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

interface ProgramSettings {
  command: string;
  args: readonly string[];
  /** Whether this line of its output, or of its errors, says that it can be used. */
  ready(line: string): boolean;
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  uid?: number | undefined;
  gid?: number | undefined;
}

/** Another maker's program, which tests stop, end and start again. */
export interface Program {
  /** What it has written since its first start. */
  lines: readonly string[];
  pid(): number;
  /** SIGSTOP and SIGCONT make it hang and go on. */
  signal(signal: NodeJS.Signals): void;
  /** Resolves once it has ended, at once if it has ended before. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again, in the same way; resolves once it is ready. */
  start(): Promise<void>;
}

/** Resolves once the program is ready; rejects with its last lines if it ends before that. */
export async function startProgram({ command, args, ready, ...options }: ProgramSettings): Promise<Program> {
  const lines: string[] = [];
  let child: ChildProcess;
  let ended: Promise<void>;
  async function start(): Promise<void> {
    const started = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    child = started;
    ended = new Promise((resolve) => started.once('exit', () => resolve()));
    await new Promise<void>((resolve, reject) => {
      started.once('error', reject);
      started.once('close', () => reject(new Error(`${command} ended: ${lines.slice(-20).join('\n')}`)));
      for (const input of [started.stdout, started.stderr]) {
        createInterface({ input }).on('line', (line) => {
          lines.push(line);
          if (ready(line)) resolve();
        });
      }
    });
  }
  await start();
  return {
    lines,
    pid: () => child.pid ?? 0,
    signal: (signal) => void child.kill(signal),
    async kill(signal = 'SIGKILL') {
      child.kill(signal);
      await ended;
    },
    start,
  };
}
