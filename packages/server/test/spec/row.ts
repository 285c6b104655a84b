import type { OperationId, Operations } from '@agora-market/contract';

/** An error that an operation declares; `registry/contract-errors.test.ts` brings each about, by that operation. */
export type DeclaredError = {
  [Id in OperationId]: Operations[Id]['errors'][number] extends never
    ? never
    : `${Id} ${Operations[Id]['errors'][number]}`;
}[OperationId];

/** One statement of the specification, and what shows that it holds. */
export interface Row {
  /** The statement, shortened. */
  line: string;
  /** Those that do it; operations of `errors` need no naming. */
  operations?: OperationId[];
  errors?: DeclaredError[];
  /** Titles of tests by their file: `packages/<key>.test.ts`. `describe > test` where a file has the title twice. */
  tests?: Record<string, string[]>;
  /** Why nothing shows it. */
  notYet?: string;
}

export interface Section {
  title: string;
  /** The HTTP status that every error named in it must have. */
  status?: number;
  rows: Row[];
}
