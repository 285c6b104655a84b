import { defineConfig } from 'vitest/config';

const hostile = 'packages/server/test/hostile/*.test.ts';

/**
 * Tests that reach the server through its interface and leave nothing behind in their process. They share processes, so
 * the server's modules are loaded a few times only: loading takes a second of CPU or two. A file that replaces modules
 * or changes what is the process's own is named `*.alone.test.ts`.
 */
const folders = '{api,courts,exchange,journeys,notifications,registry,steps,stripe,vault,webhooks}';
const shared = [`packages/server/test/${folders}/**/*.test.ts`, 'packages/server/src/!(sandbox|gate)/**/*.test.ts'];
const alone = '**/*.alone.test.ts';
const modules = '**/node_modules/**';
const globalSetup = ['packages/server/test/support/global-setup.ts'];

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
          globalSetup,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          // Server, PostgreSQL and the browser's processes leave no core for a second file. The modules are loaded once.
          name: 'browser',
          include: ['packages/dashboard/test/**/*.test.ts'],
          globalSetup: [...globalSetup, 'packages/dashboard/test/support/global-setup.ts'],
          maxWorkers: 1,
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: 'shared', include: shared, exclude: [alone, modules], isolate: false, globalSetup },
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
          // What both globs match is shared, but for the files that must be alone.
          exclude: [hostile, ...shared.map((glob) => glob.replace('*.test.ts', '!(*.alone).test.ts')), modules],
          // Only these tests need PostgreSQL, so a run of the others alone does not start one.
          globalSetup,
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
