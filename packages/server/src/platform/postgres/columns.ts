/** A column or expression of a select list, and the type that it is read as. */
export interface Column<T> {
  sql: string;
  /** Never set: it carries the type. */
  readonly type?: T;
}

export const column = <T>(sql: string): Column<T> => ({ sql });

/** The row that a map of columns is read as: one place names a stored field, its column and its type. */
export type RowOf<Columns extends Record<string, Column<unknown>>> = {
  [Name in keyof Columns]: Columns[Name] extends Column<infer T> ? T : never;
};

/** The select list of a map of columns, with the map's names. */
export const selectList = (columns: Record<string, Column<unknown>>): string =>
  Object.entries(columns)
    .map(([name, { sql }]) => `${sql} as "${name}"`)
    .join(', ');
