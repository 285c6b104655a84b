import { atOnce, type HostileCase, times } from '../hostile-case.ts';

/** Output that is read while it is written. */

const singleBytes = 'while :; do printf x; printf y >&2; done';

const floods: Record<string, string> = { 'single bytes': singleBytes, 'full pipes': 'yes & yes >&2' };

export const liveCases: HostileCase[] = Object.entries(floods).flatMap(([input, command]): HostileCase[] => [
  {
    place: 'sandbox: output streamed',
    input: `${input} on both streams, eight commands in two sandboxes`,
    prepare: async ({ task, pair }) => {
      const { sandbox } = pair.agent.agora;
      const ids = [await task(), await task()];
      await atOnce(ids, 2, (id) => sandbox.exec(id, { command: 'true' }));
      return () =>
        atOnce([...ids, ...ids, ...ids, ...ids], 8, async (id) => {
          for await (const _ of sandbox.execStream(id, { command, timeoutMs: 2_000 }));
        });
    },
  },
  {
    place: 'sandbox: output in the background',
    input: `${input} on both streams, sixteen processes in two sandboxes, read all the while`,
    prepare: async ({ task, pair }) => {
      const { sandbox } = pair.agent.agora;
      const ids = [await task(), await task()];
      await atOnce(ids, 2, (id) => sandbox.exec(id, { command: 'true' }));
      return () =>
        atOnce(ids, 2, async (id) => {
          const started = await Promise.all(times(8).map(() => sandbox.startProcess(id, { command })));
          for (const _ of times(20)) {
            await sandbox.listProcesses(id);
            await sandbox.processOutput(id, started[0]!.data.processId);
          }
          for (const { data } of started) await sandbox.killProcess(id, data.processId);
        });
    },
  },
]);
