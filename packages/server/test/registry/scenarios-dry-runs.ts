import { setTimeout as sleep } from 'node:timers/promises';
import { bundles, dryRunsAtOnce } from '@agora-market/contract';
import type { World } from '../api/requests.ts';
import { refusalOf } from '../api/scene.ts';
import type { TestOwner } from '../support/harness.ts';
import { bearer, json, type Scenarios } from './scenario.ts';
import { fillStorage } from './storage.ts';

const newcomer = ({ server }: World) => server.owner({ credits: 0 });
const checking = (command: string) => ({ acceptance: { checks: [{ name: 'a check', command }] } });

/** Keeps a run of each owner under way at a server: of two at once one is refused, when the other runs. */
async function runOf(owners: TestOwner[], baseUrl: string): Promise<void> {
  for (const { agora } of owners) {
    const { tasks } = agora.withOptions({ baseUrl });
    const both = [1, 2].map(() => refusalOf(tasks.tryChecks({ input: checking('sleep 20') })));
    const refused = await Promise.race(both);
    if (refused !== '409 DRY_RUN_IN_PROGRESS') throw new Error(`one of two runs was not refused: ${refused}`);
  }
}

export const dryRunScenarios: Pick<Scenarios, 'tasks.tryChecks' | 'tasks.sendBundle'> = {
  'tasks.sendBundle': {
    PAYLOAD_TOO_LARGE: async () => ({ body: new Uint8Array(bundles.maxBytes + 1) }),
    STORAGE_QUOTA_REACHED: async (world, { withLittleStorage: url }) => {
      const owner = await newcomer(world);
      await fillStorage(world, owner);
      // Who has no room is looked up every two seconds.
      await sleep(2_500);
      return { url, ...bearer(owner) };
    },
    SANDBOX_UNAVAILABLE: async (_world, { withoutSandboxes: url }) => ({ url }),
  },
  'tasks.tryChecks': {
    DRY_RUN_IN_PROGRESS: async (world) => {
      const owner = await newcomer(world);
      await runOf([owner], world.server.url);
      return bearer(owner);
    },
    PLAN_REQUIRED: async (world) => ({
      ...bearer(await newcomer(world)),
      ...json({ input: { environment: { cpus: 2.5 }, ...checking('true') } }),
    }),
    // At a server that has no run of another scenario.
    DRY_RUNS_BUSY: async (world, { withoutQueue: url }) => {
      await runOf(await Promise.all(Array.from({ length: dryRunsAtOnce }, () => newcomer(world))), url);
      return { url, ...bearer(await newcomer(world)) };
    },
    PAYLOAD_TOO_LARGE: async () => json({ input: { code: 'x'.repeat(300_000), ...checking('true') } }),
    REPOSITORY_UNAVAILABLE: async () =>
      json({ input: { repo: { url: 'https://localhost/project.git' }, ...checking('true') } }),
    SANDBOX_UNAVAILABLE: async (_world, { withoutSandboxes: url }) => ({ url }),
  },
};
