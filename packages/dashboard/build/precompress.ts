import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const isText = /\.(css|js|json|svg|txt|webmanifest)$/;
const forms = { br: promisify(brotliCompress), gz: promisify(gzip) };

/** Puts `.br` and `.gz` beside every file of text, so that the server need not compress any. */
export function precompress(): Plugin {
  let directory: string;
  return {
    name: 'precompress',
    apply: 'build',
    configResolved({ build }) {
      directory = build.outDir;
    },
    // Public files are there by now too.
    async closeBundle(error) {
      // A build that failed has no files; whoever changes a page and looks at it waits for nothing but the page.
      if (error || this.meta.watchMode) return;
      const names = await readdir(directory, { recursive: true });
      await Promise.all(names.filter((name) => isText.test(name)).map((name) => compress(join(directory, name))));
    },
  };
}

async function compress(path: string): Promise<void> {
  const text = await readFile(path);
  for (const [suffix, pack] of Object.entries(forms)) await writeFile(`${path}.${suffix}`, await pack(text));
}
