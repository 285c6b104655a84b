import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ClientMessage, Load, LoadResult } from './client.ts';

/** The one client process; it drives every contender. */
export interface LoadClient {
  /** `onPhase` is called as the measured time begins and ends. */
  drive(load: Load, onPhase: (at: 'start' | 'end') => void): Promise<LoadResult>;
  stop(): void;
}

export function startLoadClient(populationFile: string): LoadClient {
  const script = fileURLToPath(new URL('../lifecycle.js', import.meta.url));
  const child = fork(script, ['--role=client', populationFile]);
  return {
    drive: (load, onPhase) =>
      new Promise((resolve, reject) => {
        const finish = (outcome: () => void) => {
          child.off('message', receive).off('exit', gone);
          outcome();
        };
        const gone = () => finish(() => reject(new Error('the client ended')));
        const receive = (message: unknown) => {
          const told = message as ClientMessage;
          if ('at' in told) onPhase(told.at);
          else if ('error' in told) finish(() => reject(new Error(told.error)));
          else finish(() => resolve(told.result));
        };
        child.on('message', receive).on('exit', gone);
        child.send(load);
      }),
    stop: () => void child.kill('SIGKILL'),
  };
}
