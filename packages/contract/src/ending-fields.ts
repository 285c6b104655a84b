import { z } from 'zod';
import type { Operation } from './operation.ts';

/** Of a field: since when and until when (ISO 8601) it is deprecated, and what to use instead. */
export interface FieldEnd {
  since: string;
  sunset: string;
  instead?: string;
}

/** Marks a field of a query, a body or a reply as one that ends. It is used as before until then. */
export const ending = <T extends z.ZodType>(field: T, { since, sunset, instead }: FieldEnd): T =>
  field.meta({
    deprecated: true,
    'x-deprecated-since': since,
    'x-sunset': sunset,
    ...(instead !== undefined && { 'x-instead': instead }),
  }) as T;

/** A field that ends. In its path, `[]` stands for the items of a list. */
export interface EndingField extends FieldEnd {
  in: 'query' | 'body' | 'reply';
  path: readonly string[];
}

type Json = Record<string, unknown>;

function fieldsIn(schema: z.ZodType | undefined, where: EndingField['in']): EndingField[] {
  if (!schema) return [];
  const io = where === 'reply' ? 'output' : 'input';
  const root = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  const defs = (root.$defs ?? {}) as Record<string, Json>;
  const found: EndingField[] = [];
  const visit = (node: Json, path: readonly string[], above: readonly Json[]): void => {
    // A type that contains itself ends nowhere.
    if (above.includes(node)) return;
    const below = [...above, node];
    if (node.deprecated === true) {
      const instead = node['x-instead'] as string | undefined;
      const end = { since: String(node['x-deprecated-since']), sunset: String(node['x-sunset']) };
      found.push({ in: where, path, ...end, ...(instead !== undefined && { instead }) });
    }
    if (typeof node.$ref === 'string') {
      const target = node.$ref === '#' ? root : defs[node.$ref.replace('#/$defs/', '')];
      if (target) visit(target, path, below);
    }
    for (const [name, inner] of Object.entries((node.properties ?? {}) as Record<string, Json>))
      visit(inner, [...path, name], below);
    if (typeof node.items === 'object') visit(node.items as Json, [...path, '[]'], below);
    for (const key of ['anyOf', 'oneOf', 'allOf'])
      for (const inner of (node[key] ?? []) as Json[]) visit(inner, path, below);
  };
  visit(root, [], []);
  return found;
}

/** The fields of an operation that end: of its query, its body and its usual reply. */
export const endingFields = ({ query, body, reply }: Operation): EndingField[] => [
  ...fieldsIn(query, 'query'),
  ...fieldsIn(body, 'body'),
  ...fieldsIn(reply.schema, 'reply'),
];
