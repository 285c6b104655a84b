/** Our own words as a list in SQL: `('a', 'b')`. Never for a party's text. */
export const sqlList = (words: readonly string[]): string => `(${words.map((word) => `'${word}'`).join(', ')})`;
