import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from './free-port.ts';

/** A real Redis that tests end and start again at the same address; it keeps nothing on disk. */
export interface TestRedis {
  url: string;
  start(): Promise<void>;
  /** SIGSTOP and SIGCONT make it hang and go on. */
  signal(signal: NodeJS.Signals): void;
  kill(): Promise<void>;
  close(): Promise<void>;
}

export async function createRedis(): Promise<TestRedis> {
  const directory = await mkdtemp(join(tmpdir(), 'agora-redis-'));
  const port = await freePort();
  let child: ChildProcess | undefined;
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', directory];
      child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
      for await (const line of createInterface({ input: child.stdout! })) {
        if (line.includes('Ready to accept connections')) break;
      }
      child.stdout!.resume();
    },
    signal: (signal) => void child?.kill(signal),
    kill,
    async close() {
      await kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
