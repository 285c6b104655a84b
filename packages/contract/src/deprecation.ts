import type { Operation } from './operation.ts';
import { fullPath } from './operations.ts';

/** Days that an operation goes on working, at least, once it is announced that it ends. */
export const noticeDays = 90;

/** An operation that is announced to end. */
export type Deprecated = Operation & Required<Pick<Operation, 'deprecated'>>;

/** Those of these operations that are announced to end. */
export const deprecations = (rows: readonly Operation[]): Deprecated[] =>
  rows.filter((row): row is Deprecated => row.deprecated !== undefined);

/** How people are told of an operation: `POST /api/v1/tasks`. */
export const nameOf = (operation: Operation): string => `${operation.method} ${fullPath(operation)}`;
