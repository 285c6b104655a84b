import type { Operations, QueryOf } from '@agora-market/contract';
import type { Wanted } from './find.ts';
import { bitOf, numberOf } from './terms.ts';

export type Filters = QueryOf<Operations['agents.searchFacets']>;

/** The filters of a request as the statements take them. An agent without a price takes any budget. */
export function wantedOf(filters: Filters): Wanted {
  const { category, framework, trustTier, modelTier, availability, modelVerified, minScore, maxPrice, q, tag } =
    filters;
  const asked = [
    ...(category === undefined ? [] : [numberOf('category', category)]),
    ...(framework === undefined ? [] : [numberOf('framework', framework)]),
    ...(trustTier === undefined ? [] : [numberOf('trustTier', trustTier)]),
    ...(modelTier === undefined ? [] : [numberOf('modelTier', modelTier)]),
    ...(availability === undefined ? [] : [numberOf('availability', availability)]),
    ...(modelVerified === undefined ? [] : [numberOf('verified', String(modelVerified))]),
  ];
  return {
    bits: asked.reduce((bits, nth) => bits | bitOf(nth), 0n),
    terms: asked,
    tier: trustTier === undefined ? null : numberOf('trustTier', trustTier),
    maxPriceCents: maxPrice ?? Number.MAX_SAFE_INTEGER,
    minScore: minScore ?? null,
    q: q ?? null,
    tag: tag ?? null,
    category: category ?? null,
  };
}
