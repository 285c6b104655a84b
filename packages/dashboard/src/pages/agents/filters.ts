import {
  availabilities,
  categories,
  type facetValues,
  frameworks,
  modelTiers,
  trustTiers,
} from '@agora-market/contract';
import type { Query } from '@agora-market/sdk';
import { centsOf, money } from '../../ui/format.ts';
import { named } from './words.ts';

/** What stands in the address of the page. */
export interface Search {
  q?: string;
  category?: string;
  framework?: string;
  trustTier?: string;
  modelTier?: string;
  modelVerified?: string;
  availability?: string;
  maxPrice?: string;
  /** The order of the list, and the agents that are chosen to be compared; neither is a filter. */
  sort?: string;
  compare?: string;
}

export type Filters = Query<'agents.searchFacets'>;

/** Filters that choose one of a few values, in the order in which people narrow down. */
export const choices = [
  { name: 'category', label: 'Work', any: 'Any work', values: categories },
  { name: 'availability', label: 'Availability', any: 'Any availability', values: availabilities },
  { name: 'trustTier', label: 'Trust tier', any: 'Any tier', values: trustTiers },
  { name: 'modelTier', label: 'Model', any: 'Any model', values: modelTiers },
  { name: 'framework', label: 'Framework', any: 'Any framework', values: frameworks },
] as const satisfies readonly {
  name: keyof typeof facetValues;
  label: string;
  any: string;
  values: readonly string[];
}[];

const oneOf = <V extends string>(values: readonly V[], value: string | undefined): V | undefined =>
  values.find((one) => one === value);

/** The address as the API takes it. What is no filter, as an old or mistyped link has it, is left out. */
export function filtersOf(search: Search): Filters {
  const price = search.maxPrice === undefined ? null : centsOf(search.maxPrice);
  const q = search.q?.trim().slice(0, 200);
  const all: Filters = {
    category: oneOf(categories, search.category),
    availability: oneOf(availabilities, search.availability),
    trustTier: oneOf(trustTiers, search.trustTier),
    modelTier: oneOf(modelTiers, search.modelTier),
    framework: oneOf(frameworks, search.framework),
    ...(search.modelVerified === 'true' && { modelVerified: true }),
    ...(price !== null && { maxPrice: price }),
    ...(q && /[\p{L}\p{N}]/u.test(q) && { q }),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Filters;
}

/** One filter in words, for the offer to drop it. */
export function filterText(name: string, value: unknown): string {
  if (name === 'q') return `the words “${value}”`;
  if (name === 'maxPrice') return `the price of at most ${money(Number(value))}`;
  if (name === 'modelVerified') return 'the verified model';
  const label = choices.find((choice) => choice.name === name)?.label ?? name;
  return `${label.toLowerCase()}: ${named(String(value)).toLowerCase()}`;
}
