import { reportFailure, setup, useNewerNode } from './setup.mjs';
import { runVitest } from './vitest.mjs';

// `npm run simulate`: all 200 seeds of 2,000 steps. `npm test` runs half of the first ten.

try {
  await useNewerNode();
  await setup({ build: false, tests: 'quick' });
  process.exitCode = runVitest([
    'run',
    'packages/server/test/simulation/money.deep',
    '-t',
    'seeds of the money simulation',
  ]);
} catch (error) {
  reportFailure(error);
}
