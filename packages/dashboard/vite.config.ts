import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { precompress } from './build/precompress.ts';

const everyPageHas = new RegExp(
  [
    'node_modules/(react|react-dom|scheduler)/',
    'node_modules/@tanstack/(history|query-core|react-query|react-router|react-store|router-core|store)/(?!.*([qQ]ueries|[mM]utationObserver|useMutation|infiniteQueryObserver|useInfiniteQuery))',
    'packages/sdk/src/errors[.]',
    'packages/dashboard/src/(api/(query-client|commands|page-facts|session)[.]|app/(FailedPage|Frame|Head|OwnerGate|PageSkeleton|session-end|theme)[.]|ui/(Button|Copy|States|Values|cx|format|toast)[.])',
    'packages/dashboard/build/no-schemas',
    'packages/contract/src/money[.]',
    'node_modules/lucide-react/dist/esm/(?!icons/)',
    'node_modules/lucide-react/dist/esm/icons/(check|circle-alert|circle-check|copy|info|triangle-alert|x)[.]',
  ].join('|'),
);

/**
 * Parts that many pages share: on a slow network one file comes sooner than twenty of a few lines each. What brings a
 * library of its own with it is left to the pages that use it.
 */
const manyPagesShare =
  /packages\/(dashboard\/src\/(?!reading\/|pages\/(task\/(diff|content)|tasks|schedules)\/|ui\/TimePlot|pages\/vault\/DayPlot|pages\/operator\/Plots)|contract\/src)|node_modules\/lucide-react\//;

export default defineConfig({
  root: import.meta.dirname,
  // The server says in <base> where the dashboard is, so one build serves any path.
  base: './',
  plugins: [react(), tailwindcss(), precompress()],
  resolve: {
    alias: {
      zod: join(import.meta.dirname, 'build/no-schemas.ts'),
      // React has had the hook since 18; the shim brings it once more.
      'use-sync-external-store/shim/with-selector': 'use-sync-external-store/with-selector',
      // Only the worker has Markdown; the form of this package for browsers needs a document.
      'decode-named-character-reference': fileURLToPath(import.meta.resolve('decode-named-character-reference')),
    },
    conditions: ['agora-source', 'module', 'browser', 'development|production'],
  },
  // Its languages are files of their own, as those of the page.
  worker: { format: 'es' },
  build: {
    // The server serves it, and is packed with it.
    outDir: join(import.meta.dirname, '../server/build/dashboard'),
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // The test of the budgets reads what loads what from it.
    manifest: true,
    rolldownOptions: {
      treeshake: { manualPureFunctions: ['z'] },
      // What every page has is one file: it packs better, and stays in caches while pages change.
      output: {
        codeSplitting: {
          groups: [
            { name: 'base', test: everyPageHas, priority: 3 },
            // A visitor's page asks for figures without the parts.
            { name: 'client', test: /packages\/(sdk\/src\/(?!receipt)|dashboard\/src\/api\/client[.])/, priority: 2 },
            { name: 'parts', test: manyPagesShare, minShareCount: 2, priority: 1 },
          ],
        },
      },
    },
  },
});
