import { expect } from 'vitest';
import { type HostileCase, times } from '../hostile-case.ts';
import type { World } from '../world.ts';

/** Whole trees: a repository as it is laid, a workspace as it is compared and taken out. */

const mebibyte = 1024 ** 2;
const repositoryBytes = 60 * mebibyte;
const workspaceBytes = 96 * mebibyte;

/** A task with a repository of many bytes, laid once for all cases. */
let laidOnce: Promise<string> | undefined;

async function layRepository({ task, pair, surroundings }: World): Promise<string> {
  const id = await task({ description: 'Sort these', repo: { url: surroundings.fullRepositoryUrl }, code: 'x' });
  await run(pair, id, 'test -f code');
  return id;
}

function laid(world: World): Promise<string> {
  laidOnce ??= layRepository(world);
  return laidOnce;
}

async function run({ agent }: World['pair'], id: string, command: string): Promise<void> {
  const { data } = await agent.agora.sandbox.exec(id, { command, timeoutMs: 60_000 }, { timeoutMs: 170_000 });
  expect(data).toMatchObject({ exitCode: 0 });
}

const compared = (input: string, change: string): HostileCase => ({
  place: 'sandbox: diff',
  input,
  // The kept tree, and with the attached files over it.
  heldBytes: 2 * repositoryBytes,
  prepare: async (world) => {
    const id = await laid(world);
    await run(world.pair, id, change);
    return async () => {
      const { data } = await world.pair.agent.agora.sandbox.diff(id, { timeoutMs: 60_000 });
      expect(data.files.length).toBeGreaterThan(0);
    };
  },
});

export const wholeCases: HostileCase[] = [
  {
    place: 'inputs: repository',
    input: '60 MiB in 3,000 files, laid again',
    heldBytes: 2 * repositoryBytes,
    prepare: async (world) => {
      const { sandbox } = world.pair.agent.agora;
      const id = await laid(world);
      return async () => {
        await sandbox.destroy(id);
        await run(world.pair, id, 'test -f code');
      };
    },
  },
  compared('3,000 files of the repository, all touched', 'find . -type f | xargs touch'),
  compared(
    '200 files of 40 KB without a line in common, beside 3,000 that nobody changed',
    "for n in $(seq 200); do seq $n 7 40000 > a$n; done; for f in d1/* d2/*; do seq 9000 | sed 's/^/b/' > $f; done",
  ),
  {
    place: 'sandbox: export',
    input: '96 MiB in 2,000 files, delivered',
    // As it comes, and in one piece.
    heldBytes: 2 * workspaceBytes,
    prepare: async (world) => {
      const { pair, task } = world;
      const deliver = async () => {
        const id = await task({ description: 'Sort these' });
        await run(
          pair,
          id,
          'for n in $(seq 20); do mkdir $n; (cd $n; head -c 5033164 /dev/zero | split -a 4 -b 50332); done',
        );
        return id;
      };
      const ids: string[] = [];
      for (const _ of times(6)) ids.push(await deliver());
      return async () => {
        await pair.agent.agora.tasks.complete(ids.shift()!, { output: { result: 'Sorted.' } }, { timeoutMs: 60_000 });
      };
    },
  },
  {
    place: 'sandbox: files',
    input: 'files of /input, and a listing of 500 directories, read again and again',
    prepare: async (world) => {
      const { sandbox } = world.pair.agent.agora;
      const id = await laid(world);
      const { data } = await sandbox.list(id, { path: '/input/d1' });
      const paths = data.entries.map(({ path }) => path);
      return async () => {
        for (const path of paths) {
          await sandbox.list(id, { path: '/input' });
          await sandbox.read(id, { path });
        }
      };
    },
  },
];
