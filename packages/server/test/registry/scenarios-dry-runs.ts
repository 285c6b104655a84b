import { dryRunsAtOnce } from '@agora/contract';
import type { World } from '../api/requests.ts';
import { refusalOf } from '../api/scene.ts';
import { until } from '../steps/world.ts';
import type { TestOwner } from '../support/harness.ts';
import { bearer, json, type Scenarios } from './scenario.ts';

const newcomer = ({ server }: World) => server.owner({ credits: 0 });
const checking = (command: string) => ({ acceptance: { checks: [{ name: 'a check', command }] } });
const tryOut = ({ agora }: TestOwner, command: string) => agora.tasks.tryChecks({ input: checking(command) });

/** Keeps a run of each owner under way, long enough for one more request. */
async function runOf(owners: TestOwner[]): Promise<void> {
  for (const owner of owners) {
    void tryOut(owner, 'sleep 20').catch(() => undefined);
    await until(
      'a run is under way',
      async () => (await refusalOf(tryOut(owner, 'true'))) === '409 DRY_RUN_IN_PROGRESS',
    );
  }
}

export const dryRunScenarios: Pick<Scenarios, 'tasks.tryChecks'> = {
  'tasks.tryChecks': {
    DRY_RUN_IN_PROGRESS: async (world) => {
      const owner = await newcomer(world);
      await runOf([owner]);
      return bearer(owner);
    },
    DRY_RUNS_BUSY: async (world) => {
      await runOf(await Promise.all(Array.from({ length: dryRunsAtOnce }, () => newcomer(world))));
      return bearer(await newcomer(world));
    },
    PAYLOAD_TOO_LARGE: async () => json({ input: { code: 'x'.repeat(300_000), ...checking('true') } }),
    REPOSITORY_UNAVAILABLE: async () =>
      json({ input: { repo: { url: 'https://localhost/project.git' }, ...checking('true') } }),
    SANDBOX_UNAVAILABLE: async (_world, { withoutSandboxes: url }) => ({ url }),
  },
};
