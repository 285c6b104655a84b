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
  isDynamicEntry?: boolean;
  imports?: string[];
}

const manifest: Record<string, Chunk> = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8'));
const entry = Object.keys(manifest).find((key) => manifest[key]!.isEntry)!;
const startPage = 'src/pages/start/StartPage.tsx';
const pages = Object.keys(manifest).filter((key) => key.startsWith('src/pages/') && manifest[key]!.isDynamicEntry);

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

const first = closureOf(entry);
const listed = (keys: Iterable<string>) => [...keys].map((key) => `${bytesOf(key)} ${key}`).join('\n');

describe('JavaScript that is loaded', () => {
  test('before the start page shows fits the budget', () => {
    const initial = closureOf(startPage, new Set(first));
    closureOf(startPage).forEach((key) => void initial.add(key));
    expect(sum(initial), listed(initial)).toBeLessThanOrEqual(budgets.initial);
  });

  test.each(pages)('for %s, beyond what every page has, fits the budget', (page) => {
    const further = [...closureOf(page)].filter((key) => !first.has(key));
    expect(sum(further), listed(further)).toBeLessThanOrEqual(budgets.route);
  });

  test('is split by page, so that the budgets mean something', () => {
    expect(pages).toContain(startPage);
    expect(pages.length).toBeGreaterThan(20);
  });
});
