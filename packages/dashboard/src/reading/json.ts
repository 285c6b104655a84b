/** A JSON text that stays where it was read, in a worker: others ask for the few values that they show. */

export type Key = string | number;

export interface Value {
  kind: 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';
  /** Of an object or array: how many values it has. Of a text: its characters. */
  size: number;
  /** What fits into a line. */
  text: string;
}

export interface Child {
  key: Key;
  value: Value;
}

export interface Found {
  path: Key[];
  value: Value;
}

const most = { text: 400, key: 200, found: 200, columns: 30, cell: 200, looked: 5_000_000 };

/** A JSON text, or lines of JSON. Throws what `JSON.parse` does. */
export function parseJson(text: string, isLines: boolean): unknown {
  if (!isLines) return JSON.parse(text);
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [JSON.parse(line) as unknown]));
}

export function shortOf(value: unknown): Value {
  if (Array.isArray(value)) return { kind: 'array', size: value.length, text: '' };
  if (value === null) return { kind: 'null', size: 0, text: 'null' };
  switch (typeof value) {
    case 'object':
      return { kind: 'object', size: Object.keys(value as object).length, text: '' };
    case 'string':
      return { kind: 'string', size: value.length, text: value.slice(0, most.text) };
    case 'number':
    case 'boolean':
      return { kind: typeof value as 'number', size: 0, text: String(value) };
    default:
      return { kind: 'null', size: 0, text: 'null' };
  }
}

function at(root: unknown, path: readonly Key[]): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<Key, unknown>)[key];
  }
  return value;
}

/** The values inside one, from a place on. */
export function childrenOf(root: unknown, path: readonly Key[], from: number, count: number): Child[] {
  const value = at(root, path);
  if (Array.isArray(value))
    return value.slice(from, from + count).map((each, nth) => ({ key: from + nth, value: shortOf(each) }));
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value)
    .slice(from, from + count)
    .map((key) => ({ key, value: shortOf((value as Record<string, unknown>)[key]) }));
}

/** The whole of a text that `Value` cuts. */
export const wholeText = (root: unknown, path: readonly Key[], mostChars: number): string =>
  String(at(root, path) ?? '').slice(0, mostChars);

/** Keys and plain values that have the words, whatever their case. Without recursion: strangers nest as deep as they like. */
export function findIn(root: unknown, words: string): { found: Found[]; total: number; isCut: boolean } {
  const wanted = words.toLowerCase();
  const found: Found[] = [];
  let [total, looked] = [0, 0];
  // Each has the way to it as a chain, which costs the same however deep it is.
  interface Step {
    value: unknown;
    key: Key | null;
    above: Step | null;
  }
  const waiting: Step[] = [{ value: root, key: null, above: null }];
  for (let step = waiting.pop(); step !== undefined; step = waiting.pop()) {
    looked += 1;
    if (looked > most.looked) return { found, total, isCut: true };
    const { value, key } = step;
    const isIn =
      (typeof key === 'string' && key.toLowerCase().includes(wanted)) ||
      ((typeof value !== 'object' || value === null) && String(value).toLowerCase().includes(wanted));
    if (isIn) {
      total += 1;
      if (found.length < most.found) found.push({ path: pathTo(step), value: shortOf(value) });
    }
    if (typeof value !== 'object' || value === null) continue;
    const keys: Key[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
    for (const each of keys.toReversed())
      waiting.push({ value: (value as Record<Key, unknown>)[each], key: each, above: step });
  }
  return { found, total, isCut: false };
}

function pathTo(step: { key: Key | null; above: unknown }): Key[] {
  const path: Key[] = [];
  for (let each = step; each.key !== null; each = each.above as typeof step) path.push(each.key);
  return path.reverse();
}

/** As JSONPath (RFC 9535) writes it. */
export const pathText = (path: readonly Key[]): string =>
  `$${path
    .map((key) =>
      typeof key === 'number' ? `[${key}]` : /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`,
    )
    .join('')}`;

/** The columns of an array of flat objects; null where it is none. */
export function columnsOf(value: unknown): string[] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const columns = new Set<string>();
  for (const row of value.slice(0, 1_000)) {
    if (typeof row !== 'object' || row === null || Array.isArray(row)) return null;
    for (const [key, cell] of Object.entries(row)) {
      if (typeof cell === 'object' && cell !== null) return null;
      columns.add(key);
      if (columns.size > most.columns) return null;
    }
  }
  return columns.size === 0 ? null : [...columns];
}

/** Cells of rows as texts; null where a row has no such value. */
export function rowsOf(root: unknown, columns: readonly string[], from: number, count: number): (string | null)[][] {
  if (!Array.isArray(root)) return [];
  return root.slice(from, from + count).map((row: unknown) =>
    columns.map((column) => {
      const cell =
        typeof row === 'object' && row !== null && Object.hasOwn(row, column) ? at(row, [column]) : undefined;
      if (cell === undefined) return null;
      return (typeof cell === 'object' && cell !== null ? '…' : String(cell)).slice(0, most.cell);
    }),
  );
}
