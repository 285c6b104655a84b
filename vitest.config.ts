import { defineConfig } from 'vitest/config';

const hostile = 'packages/server/test/hostile/*.test.ts';

export default defineConfig({
  // Workspace packages are tested from their sources, never from a build that may be old. Vitest hands this list
  // to Node as well, where "import" or "module" in it would make `require` load ES modules and break pg.
  ssr: { resolve: { conditions: ['agora-source', 'node'] } },
  test: {
    // They end what hangs. A machine that is busy with other work is no fault, so no test has a shorter time of its own.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          // They measure CPU time, and a neighbour's use of the caches doubles it: they run after all others, alone.
          name: 'hostile',
          include: [hostile],
          globalSetup: ['packages/server/test/support/global-setup.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'server',
          include: [
            'packages/server/{src,test}/**/*.test.ts',
            'packages/{sdk,cli,mcp}/{src,test}/**/*.test.ts',
            'interop/**/*.test.ts',
          ],
          exclude: [hostile, '**/node_modules/**'],
          // Only these tests need PostgreSQL, so a run of the others alone does not start one.
          globalSetup: ['packages/server/test/support/global-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'rest',
          include: [
            'packages/contract/{src,test}/**/*.test.ts',
            'scripts/**/*.test.ts',
            'examples/**/*.test.ts',
            'bench/**/*.test.ts',
          ],
        },
      },
    ],
  },
});
