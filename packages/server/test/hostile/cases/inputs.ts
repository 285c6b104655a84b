import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { bundles, maxInlineBytes } from '@agora-market/contract';
import { expect } from 'vitest';
import { atOnce, type HostileCase, times } from '../hostile-case.ts';
import type { World } from '../world.ts';

/** What a buyer gives a task: files, a schema, a repository. */

/** Submits, starts and lays the inputs of some tasks at once. */
const laid = (place: string, input: string, inputOf: (world: World) => Record<string, unknown>): HostileCase => ({
  place,
  input: `${input}, three tasks at once`,
  prepare: async (world) => () =>
    atOnce(times(3), 3, async () => {
      const id = await world.task({ description: 'Sort these', ...inputOf(world) });
      const { sandbox } = world.pair.agent.agora;
      const { data } = await sandbox.exec(id, { command: 'ls | head -1' }, { timeoutMs: 120_000 });
      expect(data.exitCode).toBe(0);
      await sandbox.destroy(id, {}, { timeoutMs: 120_000 });
    }),
});

const packHead = (objects: number) =>
  Buffer.from(`PACK\0\0\0\x02\0${String.fromCharCode(objects >> 16, (objects >> 8) & 255, objects & 255)}`, 'latin1');
/** Below the limit of a bundle, with its head. */
const mostOfPack = bundles.maxBytes - 100;
const packs: Record<string, () => Buffer> = {
  noise: () => randomBytes(mostOfPack),
  // A blob of 512 MiB, as it says in the seven bits of each byte.
  'a bomb': () =>
    Buffer.concat([
      packHead(1),
      Buffer.from([0xb0, 0x80, 0x80, 0x80, 0x10]),
      deflateSync(Buffer.alloc(2 ** 29)),
      Buffer.alloc(20),
    ]),
  'a hundred thousand empty files': () =>
    Buffer.concat([
      packHead(100_000),
      ...times(100_000).map(() => Buffer.from([0x30, 0x78, 0x9c, 3, 0, 0, 0, 0, 1])),
      Buffer.alloc(20),
    ]),
};

const room = maxInlineBytes - 1_000;

const integrity = `sha512-${'A'.repeat(86)}==`;
const lockfile = JSON.stringify({
  lockfileVersion: 3,
  packages: Object.fromEntries(times(1_500).map((n) => [`node_modules/${n}`, { version: '1.0.0', integrity }])),
});
const manifest = '{"dependencies":{"a":"1"}}';
/** Each name stands for two of the one before. */
const doubled = ['a0: &a0 [x, x]', ...times(30).map((n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`)].join('\n');
const pnpmLocks = {
  doubled: `lockfileVersion: '9.0'\n${doubled}\n`,
  deep: `lockfileVersion: '9.0'\npackages: ${'['.repeat(10_000)}\n`,
};
const yarnLocks = {
  long: `# yarn lockfile v1\n\n${times(4_000)
    .map((n) => `"${n}@^1, ${n}@^2":\n  version "1"\n  resolved "x"\n`)
    .join('\n')}`,
  odd: `# yarn lockfile v1\n\n${'"a", '.repeat(20_000)}\n`,
  newer: `__metadata:\n  version: 10\n\n${times(5_000)
    .map((n) => `"${n}@npm:1":\n  resolution: "${n}@npm:1"\n`)
    .join('\n')}`,
};
const gems = times(2_500).map((n) => `    g${n} (1.0.0-${'x'.repeat(60)})`);
const gemLock = `GEM\n  remote: https://rubygems.org/\n  specs:\n${gems.join('\n')}\n`;
const needed = (n: number) =>
  `"groupId":"g","artifactId":"a${n}","version":"1","checksumAlgorithm":"SHA-256","checksum":"${'0'.repeat(64)}"`;
const mavenNeeds = times(1_200).map((n) => `{${needed(n)},"children":[`);
const mavenLock = `{${needed(0)},"dependencies":[${mavenNeeds.join('')}${']}'.repeat(1_200)}],"mavenPlugins":[{${needed(1)}}]}`;
const below = '{"version":"1","dependencies":{"a":';
const deepLockfile = `{"lockfileVersion":1,"dependencies":{"a":${below.repeat(4_000)}{}${'}}'.repeat(4_000)}}}`;

/** A schema that asks for much with little text. */
const branches = { anyOf: times(1_000).map((n) => ({ properties: { [`k${n}`]: { pattern: `^(a|a?)+${n}$` } } })) };

/** Each quote of a command could be taken for the beginning of a text that never ends. */
const escapes = `exit 127 # "${'\\"'.repeat(4_900)}`;

export const inputCases: HostileCase[] = [
  {
    place: 'inputs: files',
    input: 'a description of 100,000 dots beside a file of tests, 20 quotes',
    prepare: async ({ pair }) => {
      const input = { description: `${'.'.repeat(99_999)}x`, files: { 'a.test.js': '' } };
      return () => atOnce(times(20), 4, () => pair.buyer.agora.tasks.quote({ taskType: 'bug_fix', input }));
    },
  },
  {
    place: 'gate: missing commands',
    input: 'ten checks of 10,000 characters, escaped quotes alone, that find no tool',
    prepare: async ({ task, pair }) => {
      const checks = times(10).map((n) => ({ name: `${n}`, command: escapes }));
      const ids: string[] = [];
      for (const _ of times(6)) ids.push(await task({ description: 'Sort these', acceptance: { checks } }));
      return async () => {
        const id = ids.shift()!;
        await pair.agent.agora.tasks.complete(id, { output: { result: 'It is sorted now' } });
        while ((await pair.agent.agora.tasks.get(id)).status === 'quality_check');
      };
    },
  },
  laid('inputs: files', '1,000 files with names of 250 characters', () => ({
    files: Object.fromEntries(times(1_000).map((n) => [`${n}`.padStart(240, 'f'), ''])),
  })),
  laid('inputs: files', '200 files, each below 60 directories of its own', () => ({
    files: Object.fromEntries(times(200).map((n) => [`${n}/${'d/'.repeat(60)}f`, ''])),
  })),
  laid('inputs: files', 'a file of base64', () => ({
    files: { f: { content: 'A'.repeat(room - (room % 4)), encoding: 'base64' } },
  })),
  laid('inputs: repository', '5,000 files with long names', ({ surroundings }) => ({
    repo: { url: surroundings.repositoryUrl },
  })),
  ...Object.entries(packs).map(
    ([input, pack]): HostileCase => ({
      place: 'inputs: repository',
      input: `bundles of ${input}, of three owners at once`,
      heldBytes: 3 * bundles.maxBytes,
      prepare: async ({ newOwner }) => {
        const owners = await Promise.all(times(3).map(newOwner));
        const bundle = Buffer.concat([Buffer.from(`# v2 git bundle\n${'a'.repeat(40)} HEAD\n\n`), pack()]);
        return () =>
          atOnce(owners, 3, async ({ agora }) => {
            const refused = agora.tasks.sendBundle(bundle, { timeoutMs: 120_000 });
            await expect(refused).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
          });
      },
    }),
  ),
  laid('inputs: lockfiles', 'a lockfile of 1,500 packages that no registry has', () => ({
    files: { 'package.json': '{"dependencies":{"a":"1"}}', 'package-lock.json': lockfile },
  })),
  laid('inputs: lockfiles', 'a lockfile of 4,000 packages, each below the other', () => ({
    files: { 'package.json': '{"dependencies":{"a":"1"}}', 'package-lock.json': deepLockfile },
  })),
  ...Object.entries(pnpmLocks).map(([name, lock]) =>
    laid('inputs: lockfiles', `a lockfile of pnpm, ${name}`, () => ({
      files: { 'package.json': manifest, 'pnpm-lock.yaml': lock },
    })),
  ),
  ...Object.entries(yarnLocks).map(([name, lock]) =>
    laid('inputs: lockfiles', `a lockfile of Yarn, ${name}`, () => ({
      files: { 'package.json': manifest, 'yarn.lock': lock },
    })),
  ),
  laid('inputs: lockfiles', 'a lockfile of Bundler, 2,500 gems for no known system', () => ({
    files: { Gemfile: "gem 'a'", 'Gemfile.lock': gemLock },
  })),
  laid('inputs: lockfiles', 'a lockfile of Maven, 1,200 packages, each below the other', () => ({
    files: { 'pom.xml': '<project/>', 'lockfile.json': mavenLock },
  })),
  {
    place: 'inputs: schema',
    input: 'a thousand branches with patterns that run away, and an output for them',
    prepare: async ({ task, pair }) => {
      const result = Object.fromEntries(times(500).map((n) => [`k${n}`, `${'a'.repeat(40)}!`]));
      return () =>
        atOnce(times(3), 3, async () => {
          const id = await task({ description: 'Sort these', acceptance: { schema: branches } }).catch(() => null);
          if (id !== null) await pair.agent.agora.tasks.complete(id, { output: { result } });
        });
    },
  },
];
