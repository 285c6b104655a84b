import { defineConfig, type ViteUserConfig } from 'vitest/config';

// Two tiers. `npm test` runs every guarantee once, through the cheapest thing that shows it. What is named
// `*.deep.test.ts` runs in `npm run test:deep` only: chaos, attacks, hostile sizes, upgrades, other programs, browsers.
const deep = '**/*.deep.test.ts';
const modules = '**/node_modules/**';
const hostile = 'packages/server/test/hostile/*.deep.test.ts';
const kubernetes = 'packages/server/{src/sandbox/kubernetes/*,test/api/pods,test/deploy/*}.deep.test.ts';
const browser = 'packages/dashboard/test/**/*.test.ts';

/**
 * Tests share processes, so the server's modules are loaded a few times only: loading takes a second of CPU or two. A file
 * that replaces modules, or changes what is the process's own beyond its own tests, is named `*.alone.test.ts`.
 */
const shared = 'packages/{server,sdk,cli,mcp}/{src,test}/**/*.test.ts';
const alone = '**/*.alone.test.ts';

const globalSetup = ['packages/server/test/support/global-setup.ts'];
const setupFiles = ['packages/server/test/support/cheap-passwords.ts'];
const withPostgres = { globalSetup, setupFiles };
const withBrowser = {
  globalSetup: [...globalSetup, 'packages/dashboard/test/support/global-setup.ts'],
  setupFiles,
  isolate: false,
};

const project = (name: string, test: ViteUserConfig['test']) => ({ extends: true as const, test: { name, ...test } });

export default defineConfig({
  // Workspace packages are tested from their sources, never from a build that may be old. Vitest hands this list
  // to Node as well, where "import" or "module" in it would make `require` load ES modules and break pg.
  ssr: { resolve: { conditions: ['agora-source', 'node'] } },
  test: {
    // They end what hangs. A machine that is busy with other work is no fault, so no test has a shorter time of its own.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 240_000 } },
    // More than two cores seem to bear: a test waits for PostgreSQL, sandboxes and processes half of its time.
    maxWorkers: 3,
    projects: [
      project('shared', { include: [shared], exclude: [alone, deep, modules], isolate: false, ...withPostgres }),
      project('alone', { include: [alone], exclude: [deep, modules], ...withPostgres }),
      // Only tests of the server need PostgreSQL, so a run of these alone does not start one.
      project('rest', {
        include: ['{packages/contract,packages/dashboard/src,scripts,examples,bench}/**/*.test.ts'],
        exclude: [deep, modules],
      }),
      project('browser', { include: [browser], exclude: [deep, modules], ...withBrowser }),
      project('deep', { include: [deep], exclude: [hostile, kubernetes, browser, modules], ...withPostgres }),
      project('deep-browser', {
        include: [browser],
        exclude: ['**/!(*.deep).test.ts', modules],
        ...withBrowser,
        // Some of them measure a page, and a neighbour would take its time.
        maxWorkers: 1,
        sequence: { groupOrder: 1 },
      }),
      // They need a cluster, which `npm run test:kubernetes` builds; no other tier runs them.
      project('deep-kubernetes', { include: [kubernetes], ...withPostgres, maxWorkers: 1, fileParallelism: false }),
      // They measure CPU time, and a neighbour's use of the caches doubles it: they run after all others, alone.
      project('deep-hostile', { include: [hostile], ...withPostgres, maxWorkers: 1, sequence: { groupOrder: 2 } }),
    ],
  },
});
