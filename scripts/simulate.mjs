import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { reportFailure, root, setup, useNewerNode } from './setup.mjs';

// `npm run simulate`: all 200 seeds of 2,000 steps. `npm test` runs the first quarter.
// SIMULATION_SEED=<seed> and SIMULATION_STEPS=<step> repeat a run up to a step. SIMULATION_SEEDS=<number> sets the
// number of seeds.

try {
  await useNewerNode();
  await setup({ build: false, tests: 'quick' });
  const seeds = process.env.SIMULATION_SEED === undefined ? { SIMULATION_SEEDS: '200' } : {};
  const { status } = spawnSync(
    process.execPath,
    [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', 'packages/server/test/simulation/money'],
    { cwd: root, stdio: 'inherit', env: { ...seeds, ...process.env } },
  );
  process.exitCode = status ?? 1;
} catch (error) {
  reportFailure(error);
}
