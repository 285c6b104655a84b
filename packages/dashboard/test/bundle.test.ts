import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';

/**
 * What a browser loads before it shows something, from the build itself. Bytes as gzip sends them; most browsers take
 * brotli, which is a tenth less.
 */

const budgets = { initial: 130_000, route: 80_000 };

const dist = new URL('../dist/', import.meta.url);

interface Chunk {
  file: string;
  isEntry?: boolean;
  imports?: string[];
}

const manifest: Record<string, Chunk> = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8'));
const entry = Object.keys(manifest).find((key) => manifest[key]!.isEntry)!;
/** What `/` shows a visitor; an owner's overview is fetched besides. */
const landing = 'src/pages/start/StartPage.tsx';
/** Parts that a page loads when it needs them, as a plot, are no part of what it begins with. */
const pages = Object.keys(manifest).filter((key) => key.startsWith('src/pages/') && key.endsWith('Page.tsx'));

/** A chunk and all that it needs before it runs. */
function closureOf(key: string, found = new Set<string>()): Set<string> {
  if (found.has(key)) return found;
  found.add(key);
  for (const next of manifest[key]!.imports ?? []) closureOf(next, found);
  return found;
}

const sizes = new Map<string, number>();
function bytesOf(key: string): number {
  const known = sizes.get(key) ?? gzipSync(readFileSync(new URL(manifest[key]!.file, dist)), { level: 9 }).length;
  sizes.set(key, known);
  return known;
}
const sum = (keys: Iterable<string>) => [...keys].reduce((bytes, key) => bytes + bytesOf(key), 0);

const listed = (keys: Iterable<string>) => [...keys].map((key) => `${bytesOf(key)} ${key}`).join('\n');
const together = (keys: readonly string[]) => new Set(keys.flatMap((key) => [...closureOf(key)]));

const everyPage = closureOf(entry);
const beyond = (keys: readonly string[]) => [...together(keys)].filter((key) => !everyPage.has(key));

describe('JavaScript that is loaded', () => {
  test('before a visitor sees the start page fits the budget', () => {
    const initial = together([entry, landing]);
    expect(sum(initial), listed(initial)).toBeLessThanOrEqual(budgets.initial);
  });

  test('for the overview of an owner, with what stands around it, fits the budget', () => {
    const further = beyond(['src/app/owner-frame.ts', landing, 'src/pages/start/Overview.tsx']);
    expect(sum(further), listed(further)).toBeLessThanOrEqual(budgets.route);
  });

  test.each(pages)('for %s, beyond what every page has, fits the budget', (page) => {
    const further = beyond([page]);
    expect(sum(further), listed(further)).toBeLessThanOrEqual(budgets.route);
  });

  test('is split by page, so that the budgets mean something', () => {
    expect(pages.filter((page) => page.endsWith('Page.tsx')).length).toBeGreaterThan(20);
  });
});
