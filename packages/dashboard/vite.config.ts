import { join } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { precompress } from './build/precompress.ts';

const everyPageHas = new RegExp(
  [
    'node_modules/(react|react-dom|scheduler|use-sync-external-store)/',
    'node_modules/@tanstack/(history|query-core|react-query|react-router|react-store|router-core|store)/(?!.*(useQueries|queriesObserver))',
    'packages/sdk/src/(?!receipt)',
    'packages/dashboard/src/(api/client|ui/(Button|States|Values|cx|format))',
  ].join('|'),
);

export default defineConfig({
  root: import.meta.dirname,
  // The server says in <base> where the dashboard is, so one build serves any path.
  base: './',
  plugins: [react(), tailwindcss(), precompress()],
  resolve: {
    alias: { zod: join(import.meta.dirname, 'build/no-schemas.ts') },
    conditions: ['agora-source', 'module', 'browser', 'development|production'],
  },
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // The test of the budgets reads what loads what from it.
    manifest: true,
    rolldownOptions: {
      treeshake: { manualPureFunctions: ['z'] },
      // What every page has is one file: it packs better, and stays in caches while pages change.
      output: { codeSplitting: { groups: [{ name: 'base', test: everyPageHas }] } },
    },
  },
});
