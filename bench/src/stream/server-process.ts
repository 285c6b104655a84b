import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
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

/** Servers of one database are one installation, and read with one key. */
const encryptionKey = randomBytes(32).toString('hex');

export async function startServer(databaseUrl: string, dataDir: string): Promise<Server> {
  const shared = { ...highLimits, DATABASE_URL: databaseUrl, AGORA_ENCRYPTION_KEY: encryptionKey };
  const child = fork(bench, ['--role=server'], {
    env: { ...process.env, ...shared, PORT: '0', LOG_LEVEL: 'warn', AGORA_DATA_DIR: dataDir },
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
