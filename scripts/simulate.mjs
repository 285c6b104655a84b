import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { reportFailure, root, setup, useNewerNode } from './setup.mjs';

// `npm run simulate`: all 200 seeds of 2,000 steps. `npm test` runs half of the first ten.

try {
  await useNewerNode();
  await setup({ build: false, tests: 'quick' });
  const { status } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules', 'vitest', 'vitest.mjs'),
      'run',
      'packages/server/test/simulation/money.deep',
      '-t',
      'seeds of the money simulation',
    ],
    { cwd: root, stdio: 'inherit' },
  );
  process.exitCode = status ?? 1;
} catch (error) {
  reportFailure(error);
}
