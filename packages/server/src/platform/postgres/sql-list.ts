/** Words of ours as a list in SQL: `('a', 'b')`. Never for what a party sends. */
export const sqlList = (words: readonly string[]): string => `(${words.map((word) => `'${word}'`).join(', ')})`;
