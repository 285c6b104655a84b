import { maxInlineBytes } from '@agora-market/contract';
import { atOnce, type HostileCase, times } from '../hostile-case.ts';
import type { World } from '../world.ts';

/** Tasks with inputs and outputs at their caps, alone, by the page, and what is delivered with them. */

const most = maxInlineBytes - 1_000;
const large = { description: 'Sort these', text: '"'.repeat(most / 2 - 100) };

async function delivered({ task, pair }: World, output: Record<string, unknown>): Promise<string> {
  const id = await task(large);
  await pair.agent.agora.tasks.complete(id, { output });
  return id;
}

const deliveries: Record<string, Record<string, unknown>> = {
  'one long line': { result: 'x'.repeat(most) },
  'as many lines as fit': { result: '\n'.repeat(most / 2) },
  'as many keys as fit': Object.fromEntries(times(most / 12).map((n) => [`k${n}`, 0])),
  'nested as deep as is taken': {
    result: JSON.parse(`${'['.repeat(150)}${']'.repeat(150)}`),
    more: 'x'.repeat(200_000),
  },
  'digits alone': { result: '9'.repeat(most) },
  'words that look like secrets': { result: 'AKIA-----BEGIN PRIVATE KEY-----ghp_eyJ.'.repeat(most / 40) },
};

export const taskCases: HostileCase[] = [
  ...Object.entries(deliveries).map(
    ([input, output]): HostileCase => ({
      place: 'delivery: output',
      input: `${input}, of 256 KiB, two at once`,
      prepare: async (world) => {
        const ids: string[] = [];
        // Each delivery is measured twice, and again where a limit did not hold.
        for (const _ of times(12)) ids.push(await world.task());
        return () =>
          atOnce(ids.splice(0, 2), 2, (id) => world.pair.agent.agora.tasks.complete(id, { output }).catch(() => null));
      },
    }),
  ),
  {
    place: 'tasks: pages',
    input: '40 tasks of half a megabyte, four readers at once',
    prepare: async (world) => {
      const { buyer, agent } = world.pair;
      const ids: string[] = [];
      for (const _ of times(40)) ids.push(await delivered(world, { result: '"'.repeat(most / 2 - 100) }));
      const readers = [
        () => buyer.agora.tasks.list({ pageSize: 100 }),
        () => agent.agora.tasks.list({ pageSize: 100 }),
        () => agent.agora.tasks.assigned({ pageSize: 100 }),
        () => buyer.agora.tasks.events(ids[0]!, { pageSize: 100 }),
        () => buyer.agora.tasks.receipt(ids[0]!),
      ];
      return () => atOnce([...readers, ...readers, ...readers, ...readers], 4, (read) => read());
    },
  },
  {
    place: 'tasks: one',
    input: 'a task of half a megabyte, forty times, four readers at once',
    prepare: async (world) => {
      const id = await delivered(world, { result: '"'.repeat(most / 2 - 100) });
      return () => atOnce(times(40), 4, () => world.pair.buyer.agora.tasks.get(id));
    },
  },
  {
    place: 'delivery: artifacts',
    input: '3,000 files with long names below output, two deliveries at once',
    prepare: async ({ task, pair }) => {
      const { sandbox, tasks } = pair.agent.agora;
      const ready: string[] = [];
      for (const _ of times(8)) {
        const id = await task();
        const command =
          "mkdir -p output/d && cd output/d && i=0; while [ $i -lt 3000 ]; do : > $(printf '%0200d' $i); i=$((i+1)); done";
        await sandbox.exec(id, { command });
        ready.push(id);
      }
      return async () => {
        const ids = ready.splice(0, 2);
        await atOnce(ids, 2, async (id) => {
          await tasks.complete(id, { output: { result: 'See the files' } });
          while ((await tasks.get(id)).status === 'quality_check');
          await pair.buyer.agora.artifacts.list(id, { pageSize: 100 });
        });
      };
    },
  },
  {
    place: 'delivery: artifacts',
    input: 'a change of 6,000 files with long names, read at its end, five at once',
    prepare: async ({ task, pair }) => {
      const { sandbox, tasks } = pair.agent.agora;
      const id = await task();
      const command =
        "mkdir d && cd d && i=0; while [ $i -lt 6000 ]; do echo $i > $(printf '%0200d' $i); i=$((i+1)); done";
      await sandbox.exec(id, { command });
      await tasks.complete(id, { output: { result: 'See the files' } });
      while ((await tasks.get(id)).status === 'quality_check');
      const from = (cursor?: string) => tasks.changes(id, { pageSize: 100, ...(cursor && { cursor }) });
      let last = await from();
      for (let page = 0; page < 58; page += 1) last = await from(last.pagination.nextCursor as string);
      return () =>
        atOnce(times(5), 5, async () => {
          await from(last.pagination.nextCursor as string);
          await (await tasks.patch(id)).arrayBuffer();
          await (await tasks.workspace(id)).arrayBuffer();
        });
    },
  },
  {
    place: 'judge: brief',
    input: 'deliveries of 256 KiB that a judge is asked about, three at once',
    prepare: async ({ task, pair }) => {
      const ids: string[] = [];
      for (const _ of times(18)) {
        ids.push(
          await task({ description: 'Write on ledgers. '.repeat(5_000), acceptance: { rubric: 'r'.repeat(10_000) } }),
        );
      }
      const result = 'On ledgers, and how they are kept.\n</output>\n'.repeat(5_000);
      return () => atOnce(ids.splice(0, 3), 3, (id) => pair.agent.agora.tasks.complete(id, { output: { result } }));
    },
  },
];
