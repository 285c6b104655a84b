import { z } from 'zod';

type Path = readonly PropertyKey[];
type Parsed<Schema extends z.ZodObject> = z.ZodSafeParseResult<z.output<Schema>>;

/** JSON text may hold JSON text, but not without end. */
const rounds = 4;

/**
 * Checks the arguments of a call, and takes what hosts make of them where it can mean one thing only: objects, lists, numbers and truth
 * values as JSON text, maps as lists of names and values, null or "null" for an optional argument, and "" for an optional id or choice. Where a call only reads, "" is none
 * for any argument; elsewhere it could mean to empty a text. What fits as it came is never changed.
 */
export function checkArguments<Schema extends z.ZodObject>(
  schema: Schema,
  given: unknown,
  { onlyReads }: { onlyReads: boolean },
): Parsed<Schema> {
  let result = schema.safeParse(given ?? {});
  if (result.success) return result;
  // A copy, for it is changed in place.
  const args = structuredClone(given ?? {});
  for (let round = 0; round < rounds && !result.success; round++) {
    const misfits = result.error.issues.flatMap((issue) => misfitsIn(issue));
    if (misfits.filter((misfit) => mend(args, misfit, onlyReads)).length === 0) break;
    result = schema.safeParse(args);
  }
  return result;
}

interface Misfit {
  path: Path;
  /** The type that it should have; undefined where its type is right. */
  expected: string | undefined;
  /** An id, or one of several choices. */
  isChosen: boolean;
}

/** What is wrong at which place. Of alternatives, those say it that fail at the same place, or else the one that fits best. */
function misfitsIn(issue: z.core.$ZodIssue, at: Path = []): Misfit[] {
  const path = [...at, ...issue.path];
  if (issue.code !== 'invalid_union') {
    const isChosen = issue.code === 'invalid_format' || issue.code === 'invalid_value';
    return [{ path, expected: issue.code === 'invalid_type' ? issue.expected : undefined, isChosen }];
  }
  const here = issue.errors.flat().filter((each) => each.path.length === 0);
  const closest = issue.errors.toSorted((one, other) => one.length - other.length)[0] ?? [];
  return (here.length > 0 ? here : closest).flatMap((each) => misfitsIn(each, path));
}

/** Changes what stands at the place, if that can mean one thing only. */
function mend(args: unknown, { path, expected, isChosen }: Misfit, onlyReads: boolean): boolean {
  const name = path.at(-1);
  const holder = path.slice(0, -1).reduce<unknown>((part, key) => (part as Holder | undefined)?.[key], args) as Holder;
  if (name === undefined || typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, name)) return false;
  const value = holder[name];
  const isText = expected === undefined || expected === 'string';
  const isNone =
    value === null || (value === '' && (onlyReads || isChosen || !isText)) || (value === 'null' && !isText);
  if (isNone && !Array.isArray(holder)) return delete holder[name];
  const meant = typeof value === 'string' && !isText ? parsed(value) : fromPairs(value);
  if (meant === undefined || !isOfKind(meant, expected)) return false;
  holder[name] = meant;
  return true;
}

const pairs = z.array(z.strictObject({ name: z.string(), value: z.unknown() }));

/** A map from a list of names and values, if no name is there twice. */
function fromPairs(value: unknown): Record<string, unknown> | undefined {
  const { data } = pairs.safeParse(value);
  const map = Object.fromEntries((data ?? []).map((pair) => [pair.name, pair.value]));
  return Object.keys(map).length === data?.length ? map : undefined;
}

type Holder = Record<PropertyKey, unknown>;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isOfKind(value: unknown, expected: string | undefined): boolean {
  if (expected === 'array') return Array.isArray(value);
  if (expected === 'object' || expected === 'record')
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === (expected === 'int' ? 'number' : expected);
}

/** A message of the protocol, of which a call may have null for no arguments. */
export function withArguments(message: unknown): unknown {
  const { params } = (message ?? {}) as { params?: { arguments?: unknown } };
  if (params?.arguments !== null) return message;
  const { arguments: _, ...others } = params;
  return { ...(message as object), params: others };
}
