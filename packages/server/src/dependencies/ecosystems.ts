import type { Ecosystem, Needs } from './ecosystem.ts';
import { go } from './go/ecosystem.ts';
import { javascript } from './javascript/ecosystem.ts';
import { maven } from './maven/ecosystem.ts';
import { php } from './php/ecosystem.ts';
import { python } from './python/ecosystem.ts';
import { ruby } from './ruby/ecosystem.ts';
import { rust } from './rust/ecosystem.ts';

/** All ecosystems whose packages are installed; a further one is a directory and a line here. */
export const ecosystems = { javascript, python, go, rust, ruby, php, maven } satisfies Record<string, Ecosystem>;

export type EcosystemName = keyof typeof ecosystems;

export const everyEcosystem = Object.entries(ecosystems) as [EcosystemName, Ecosystem][];

/** The directories that a layer fills; null for other files. */
export function layeredAt(path: string): string | null {
  for (const [, ecosystem] of everyEcosystem) {
    const directory = ecosystem.layeredAt(path);
    if (directory !== null) return directory;
  }
  return null;
}

/** What commands need in sandboxes that start with a layer of these directories. */
export function needsOf(layered: readonly string[]): Required<Needs> {
  const needs = everyEcosystem.map(([, ecosystem]) => ecosystem.needs?.(layered) ?? {});
  return {
    programs: needs.flatMap(({ programs = [] }) => programs),
    environment: Object.assign({}, ...needs.map(({ environment }) => environment)),
  };
}
