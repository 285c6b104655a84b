import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { z } from 'zod';

// A model reads the list of tools before every conversation, so it is kept short: it says what to send and what comes back,
// not every limit. The server checks all limits, and its error says what to change.

type Json = Record<string, unknown>;

/** How a schema is told: how many levels of fields, on how many of them in words, and with which keywords. */
interface Telling {
  levels: number;
  words: number;
  keywords: readonly string[];
  /** Without objects of any fields: hosts that have a schema converted to a strict one cannot convert these. */
  closed: boolean;
}

const telling: Record<'input' | 'output', Telling> = {
  // Four levels show how an acceptance check of a task is written.
  input: { levels: 4, words: 2, keywords: ['type', 'enum', 'const', 'default', 'minimum', 'maximum'], closed: true },
  output: { levels: 1, words: 0, keywords: ['type'], closed: false },
};

/** Longer lists of choices are left to the error, which names them. */
const mostChoices = 20;

/** Bounds that say nothing: that money is not negative, and numbers that nobody reaches. */
const isNoBound = (keyword: string, value: unknown) =>
  (keyword === 'minimum' && Number(value) <= 1) || (keyword === 'maximum' && Number(value) >= 1e9);

/** A field that may be left out is empty then: its default need not say so. */
const isEmpty = (value: unknown) => value === null || value === '' || (Array.isArray(value) && value.length === 0);

const isLong = (value: unknown) => Array.isArray(value) && value.length > mostChoices;

const saysNothing = (keyword: string, value: unknown) =>
  isNoBound(keyword, value) || (keyword === 'default' && isEmpty(value)) || (keyword === 'enum' && isLong(value));

function tell(schema: Json, defs: Json, how: Telling): Json {
  if (typeof schema.$ref === 'string') {
    const { $ref, ...own } = schema;
    const target = defs[(schema.$ref as string).replace('#/$defs/', '')] as Json;
    return tell({ ...target, ...own }, defs, how);
  }
  const told: Json = {};
  for (const keyword of how.keywords) {
    const value = schema[keyword];
    if (value !== undefined && !saysNothing(keyword, value)) told[keyword] = value;
  }
  if (typeof schema.description === 'string' && how.words >= 0) told.description = firstSentence(schema.description);
  const choices = schema.anyOf as Json[] | undefined;
  if (choices) return { ...told, ...joined(choices.map((each) => tell(each, defs, how))) };
  if (schema.items && how.levels > 0) told.items = tell(schema.items as Json, defs, how);
  if (how.closed && schema.type === 'object' && !schema.properties) return { ...told, ...closed(schema) };
  if (!schema.properties || how.levels === 0) return told;
  const inner = { ...how, levels: how.levels - 1, words: how.words - 1 };
  return { ...told, ...fieldsIn(schema, (each) => tell(each, defs, inner)) };
}

/** A map as a list of names and values, and an object of any form as its text; both are taken, and the object itself too. */
function closed({ additionalProperties, description = 'A JSON object' }: Json): Json {
  const { type, anyOf } = (additionalProperties ?? {}) as Json;
  if (type === undefined && anyOf === undefined) return { type: 'string', description: `${description}, as text` };
  const text = { type: 'string' };
  const items = { type: 'object', properties: { name: text, value: text }, required: ['name', 'value'] };
  return { type: 'array', items };
}

const firstSentence = (text: string): string => text.split('. ')[0] as string;

/** Alternatives: those that differ by type alone are one type of several. */
function joined(choices: Json[]): Json {
  const others = choices.filter(({ type }) => type !== 'null');
  const [only] = others;
  if (others.length === 1 && typeof only?.type === 'string') {
    return { ...only, type: [only.type, 'null'], ...(only.enum ? { enum: [...(only.enum as unknown[]), null] } : {}) };
  }
  // Yes or no, or how: whoever says how says yes. Strict hosts convert no choice between the two.
  const [isYes, how] = choices;
  if (choices.length === 2 && isYes?.type === 'boolean' && how?.type === 'object') return how;
  const isPlain = choices.every((each) => typeof each.type === 'string' && Object.keys(each).length === 1);
  return isPlain ? { type: [...new Set(choices.map(({ type }) => type))] } : { anyOf: choices };
}

function fieldsIn(schema: Json, inner: (each: Json) => Json): Json {
  const fields = Object.entries(schema.properties as Record<string, Json>);
  const hasDefault = new Set(fields.filter(([, each]) => each.default !== undefined).map(([name]) => name));
  const required = ((schema.required as string[] | undefined) ?? []).filter((name) => !hasDefault.has(name));
  return {
    properties: Object.fromEntries(fields.map(([name, each]) => [name, inner(each)])),
    ...(required.length > 0 && { required }),
  };
}

/** What zod lets through, as JSON Schema. */
function outlineOf(schema: z.ZodObject, how: Telling): Json {
  const { $defs = {}, ...whole } = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }) as Json;
  return tell(whole, $defs as Json, how);
}

/** The arguments of a tool: what to send, with the contract's words. */
export function inputOutline(schema: z.ZodObject, usual: Readonly<Record<string, string>> = {}): Json {
  const told = outlineOf(schema, telling.input);
  const fields = told.properties as Record<string, Json>;
  for (const [name, field] of Object.entries(usual)) {
    const properties = { [field]: { type: 'string' } };
    const { description } = fields[name] as Json;
    fields[name] = { type: 'object', ...(description !== undefined && { description }), properties };
  }
  return told;
}

/**
 * The reply of a tool: the types of the fields that decide what to do next. Replies have all the others too, and more may
 * come, so a client must let them pass.
 */
export function outputOutline(schema: z.ZodObject, shows: readonly string[] = Object.keys(schema.shape)): Json {
  const named = Object.fromEntries(shows.map((name) => [name, true as const])) as Record<string, true>;
  return outlineOf((schema as z.ZodObject<Record<string, z.ZodType>>).pick(named), telling.output);
}

/**
 * A schema that lists `json` and lets everything through: arguments are checked where the error can be worded for a model,
 * and replies by the service.
 */
export const listedAs = (json: Json): StandardSchemaWithJSON<Json, Json> => ({
  '~standard': {
    version: 1,
    vendor: 'agora',
    validate: (value) => ({ value: value as Json }),
    jsonSchema: { input: () => json, output: () => json },
  },
});
