import { createHash } from 'node:crypto';

/** An SQL function that is written beside its TypeScript caller: a `create function`. */
export interface SchemaFunction {
  /** The SQL function's name, unique in the list. */
  name: string;
  sql: string;
}

/** Those of this release; one that calls another comes after it. */
export const schemaFunctions: SchemaFunction[] = [];

/** Declares an SQL function that steps call, for example the ledger's transfer. */
export function defineFunction(name: string, sql: string): void {
  schemaFunctions.push({ name, sql });
}

export const functionsPrefix = 'agora_functions_';

/**
 * The schema of these functions. Other functions have another, so that servers of two releases work on one database, each
 * with its own.
 */
export function schemaOfFunctions(functions: readonly SchemaFunction[]): string {
  const sorted = functions.map(({ name, sql }) => [name, sql]).sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
  return functionsPrefix + createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 12);
}
