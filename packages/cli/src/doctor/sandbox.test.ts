import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '@agora-market/server/platform';
import { type Sandbox, type ToolchainRecord, toolchainFile, treeName } from '@agora-market/server/sandbox';
import { afterAll, expect, test } from 'vitest';
import { sourceOf } from '../operator/toolchains/sources.ts';
import { checkTools } from './sandbox.ts';

/** Which tools the doctor misses in sandboxes, and what it says to do about them. */

const home = await mkdtemp(join(tmpdir(), 'agora-doctor-tools-'));
afterAll(() => rm(home, { recursive: true }));

const wanted = ['node', 'python', 'pytest', 'git', 'make', 'c', 'go', 'rust', 'java'];

interface Machine {
  name?: 'bwrap' | 'docker';
  has?: string[];
  added?: string[];
}

/** Where sandboxes have these programs of the system, and `added` was added. */
async function told({ name = 'bwrap', has = [], added = [] }: Machine) {
  const SANDBOX_TOOLS = await mkdtemp(join(home, 'tools-'));
  for (const tool of added) {
    const record: ToolchainRecord = {
      ...{ name: tool, version: '1.2', programs: [], variables: {}, from: `debian:${tool}`, addedAt: '' },
    };
    await mkdir(join(SANDBOX_TOOLS, `${tool}@1.2-x`, treeName), { recursive: true });
    await writeFile(join(SANDBOX_TOOLS, `${tool}@1.2-x`, toolchainFile), JSON.stringify(record));
  }
  const sandbox = {
    exec: async () => ({
      stdout: wanted.map((tool) => `${tool} ${has.includes(tool) ? 'v3.4.5' : 'sh: not found'}`).join('\n'),
    }),
    destroy: async () => {},
  } as unknown as Sandbox;
  return checkTools(readConfig({ SANDBOX_TOOLS }), { name, create: async () => sandbox }).run();
}

test('names each tool that is neither of the system nor added, and a cure that takes all of them', async () => {
  const { state, detail, cure } = await told({});
  expect({ state, detail }).toEqual({ state: 'warn', detail: expect.stringContaining(`no ${wanted.join(', ')}`) });
  const sources = /^agora tools add (.*)$/.exec(cure as string)?.[1]?.split(' ') as string[];
  expect(sources.map((each) => sourceOf(each).name)).toEqual(wanted);
});

test('misses no tool that the system has or that was added', async () => {
  const [one, ...others] = wanted.toReversed() as [string, ...string[]];
  expect(await told({ has: others })).toEqual({
    state: 'warn',
    detail: expect.stringMatching(`in sandboxes; no ${one}$`),
    cure: `agora tools add ${one}`,
  });
  expect(await told({ has: others, added: [one] })).toMatchObject({ state: 'ok', cure: null });
});

test('of containers it asks for another image', async () => {
  expect(await told({ name: 'docker', has: ['node'] })).toMatchObject({ cure: 'Name an image that has them.' });
});
