import { join } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { precompress } from './build/precompress.ts';

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
    rolldownOptions: { treeshake: { manualPureFunctions: ['z'] } },
  },
});
