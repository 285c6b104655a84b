import { facetValues } from '@agora-market/contract';

/**
 * Everything that a filter asks for and a facet counts has a number: its place here. An agent's numbers are kept as bits,
 * to test in passing, and as an array, to find by index. At most 63 fit.
 */
export type Facet = keyof typeof facetValues;
export const facets = Object.keys(facetValues) as Facet[];

const values = { ...facetValues, verified: ['true', 'false'] } as const;
type Kind = keyof typeof values;

export const terms: readonly string[] = (Object.keys(values) as Kind[]).flatMap((kind) =>
  values[kind].map((value) => `${kind}:${value}`),
);

export const numberOf = (kind: Kind, value: string): number => terms.indexOf(`${kind}:${value}`);

/** The number of a value, in SQL; null for a value that has none. */
export const numberSql = (kind: Kind, value: string): string =>
  `case ${value} ${values[kind].map((each) => `when '${each}' then ${numberOf(kind, each)}`).join(' ')} end`;

export const bitOf = (nth: number): bigint => 1n << BigInt(nth);

/** The values of a facet whose numbers stand in a set of bits. */
export const valuesIn = (facet: Facet, bits: bigint): string[] =>
  facetValues[facet].filter((value) => (bits & bitOf(numberOf(facet, value))) !== 0n);
