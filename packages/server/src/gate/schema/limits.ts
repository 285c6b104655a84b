const maxSchemaChars = 64 * 1024;
const maxSchemaDepth = 64;
/** Far more than an honest result has, and far less than what overflows the stack of a serializer or validator. */
const maxResultDepth = 256;

/** Nesting of a JSON value, walked without recursion and no further than `limit`. */
function deeperThan(start: unknown, limit: number) {
  const pending: Array<[value: unknown, depth: number]> = [[start, 1]];
  while (pending.length > 0) {
    const [value, depth] = pending.pop()!;
    if (value === null || typeof value !== 'object') continue;
    if (depth > limit) return true;
    for (const part of Object.values(value)) pending.push([part, depth + 1]);
  }
  return false;
}

/** Why a schema is not even tried, or null. Cheap and pure, so it also serves at submission. */
export function schemaProblem(schema: Record<string, unknown>): string | null {
  if (deeperThan(schema, maxSchemaDepth)) return `it is nested deeper than ${maxSchemaDepth} levels`;
  if (JSON.stringify(schema).length > maxSchemaChars) return `it is longer than ${maxSchemaChars} characters`;
  if (schema.$async !== undefined) return '$async is not JSON Schema';
  if (draftOf(schema) === null) return 'its $schema is none of 2020-12, 2019-09, draft-07 and draft-06';
  return null;
}

export type Draft = '2020-12' | '2019-09' | 'draft-07';

/** Draft 6 schemas mean the same under draft 7. */
const drafts: ReadonlyArray<readonly [pattern: RegExp, draft: Draft]> = [
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, '2020-12'],
  [/^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, '2019-09'],
  [/^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/, 'draft-07'],
];

export function draftOf(schema: Record<string, unknown>): Draft | null {
  if (schema.$schema === undefined) return '2020-12';
  if (typeof schema.$schema !== 'string') return null;
  for (const [pattern, draft] of drafts) if (pattern.test(schema.$schema)) return draft;
  return null;
}

/** Whether an output is nested too deeply to be serialised safely. */
export const tooDeep = (value: unknown) => deeperThan(value, maxResultDepth);
