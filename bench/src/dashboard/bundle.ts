import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

/**
 * What a browser loads before it shows something, from the build itself. Bytes as gzip sends them; most browsers take
 * brotli, which is a tenth less.
 */

export const budgets = { initial: 120_000, route: 80_000 };

interface Chunk {
  file: string;
  isEntry?: boolean;
  imports?: string[];
}

interface Loaded {
  what: string;
  bytes: number;
  /** A line for each file, with its bytes. */
  files: string;
}

export interface Bundle {
  /** Before a visitor sees the start page. */
  initial: Loaded;
  /** For the overview of an owner with what stands around it, and for each page, beyond what every page has. */
  routes: Loaded[];
}

/** What `/` shows a visitor; an owner's overview is fetched besides. */
const landing = 'src/pages/start/StartPage.tsx';

/** Reads the build in the directory, a URL with a slash at its end. */
export function bundleOf(dist: URL): Bundle {
  const manifest: Record<string, Chunk> = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8'));
  const bytesOf = (key: string) => gzipSync(readFileSync(new URL(manifest[key]!.file, dist)), { level: 9 }).length;
  const sizes = new Map(
    Object.keys(manifest)
      .filter((key) => manifest[key]!.file.endsWith('.js'))
      .map((key) => [key, bytesOf(key)]),
  );

  /** Chunks with all that they need before they run. */
  const together = (keys: readonly string[], found = new Set<string>()): Set<string> => {
    for (const key of keys) {
      if (found.has(key)) continue;
      found.add(key);
      together(manifest[key]!.imports ?? [], found);
    }
    return found;
  };
  const loaded = (what: string, keys: readonly string[]): Loaded => ({
    what,
    bytes: keys.reduce((sum, key) => sum + sizes.get(key)!, 0),
    files: keys.map((key) => `${sizes.get(key)} ${key}`).join('\n'),
  });

  const entry = Object.keys(manifest).find((key) => manifest[key]!.isEntry)!;
  const everyPage = together([entry]);
  const beyond = (what: string, keys: readonly string[]) =>
    loaded(
      what,
      [...together(keys)].filter((key) => !everyPage.has(key)),
    );
  // Parts that a page loads when it needs them, as a plot, are no part of what it begins with.
  const pages = Object.keys(manifest).filter((key) => key.startsWith('src/pages/') && key.endsWith('Page.tsx'));
  return {
    initial: loaded('start page', [...together([entry, landing])]),
    routes: [
      beyond('overview', ['src/app/owner-frame.ts', landing, 'src/pages/start/Overview.tsx']),
      ...pages.map((page) => beyond(page, [page])),
    ],
  };
}
