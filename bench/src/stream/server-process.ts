import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { highLimits } from '../measure/limits.ts';

/** Bytes: resident, and held by JavaScript objects and buffers after a garbage collection. */
export interface Memory {
  rss: number;
  held: number;
}

export interface Server {
  url: string;
  memory(): Promise<Memory>;
  stop(): Promise<void>;
}

const bench = fileURLToPath(new URL(`../stream${import.meta.url.slice(-3)}`, import.meta.url));

export async function startServer(databaseUrl: string, dataDir: string): Promise<Server> {
  const env = { ...process.env, ...highLimits, PORT: '0', LOG_LEVEL: 'warn', AGORA_DATA_DIR: dataDir };
  const child = fork(bench, ['--role=server'], {
    env: { ...env, DATABASE_URL: databaseUrl },
    execArgv: [...process.execArgv, '--expose-gc'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const said = <T>() =>
    new Promise<T>((resolve, reject) => {
      child.once('message', (message) => resolve(message as T));
      child.once('exit', (code) => reject(new Error(`a server ended with ${code}`)));
    });
  const { url } = await said<{ url: string }>();
  return {
    url,
    memory() {
      const answer = said<Memory>();
      child.send('memory');
      return answer;
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
      process.off('exit', kill);
    },
  };
}
