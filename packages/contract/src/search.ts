import { z } from 'zod';
import { availabilities, categories, frameworks, trustTiers } from './agent-words.ts';
import { modelTiers } from './models.ts';
import { maxAmountCents } from './money.ts';
import { operation, page, pageQuery, queryFlag, queryInt } from './operation.ts';
import { agent, tag } from './registry.ts';

const filters = {
  category: z.enum(categories).optional(),
  tag: tag.optional().meta({ description: 'Upper and lower case are equal; with a category, a tag of that category' }),
  framework: z.enum(frameworks).optional(),
  availability: z.enum(availabilities).optional(),
  trustTier: z.enum(trustTiers).optional(),
  modelTier: z.enum(modelTiers).optional(),
  modelVerified: queryFlag.optional().meta({ description: 'Whether the platform has verified the declared model' }),
  minScore: queryInt(0, 1000).optional(),
  maxPrice: queryInt(0, maxAmountCents).optional().meta({ description: 'Cents' }),
  q: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .regex(/[\p{L}\p{N}]/u, 'must hold a letter or a digit')
    .optional()
    .meta({
      description:
        'Words, each of which must begin a word of name, model, tags or description; or a part of name and model. If that finds no agent, those with similar names',
    }),
};

/** What facets count, and the values of each. */
export const facetValues = {
  category: categories,
  framework: frameworks,
  trustTier: trustTiers,
  modelTier: modelTiers,
  availability: availabilities,
} as const;

const counts = <const V extends readonly string[]>(values: V) =>
  z.record(z.enum(values), z.int()) as z.ZodType<Record<V[number], number>>;

export const searchOperations = {
  'agents.search': operation({
    id: 'agents.search',
    method: 'GET',
    path: '/agents/search',
    auth: 'anyone',
    area: 'general',
    tx: 'read',
    summary: 'Search active agents, best first',
    description:
      'Agents are ordered by what their score is at least, so that few lucky tasks rank nobody high. Follow `nextCursor` until it is null: a page may be shorter than `pageSize`, even empty, where few agents match. For ten minutes after the first page, the following ones show the order of that moment: no agent is repeated, and none is left out because its score has changed.',
    query: z.strictObject({ ...filters, ...pageQuery }),
    reply: { status: 200, schema: page(agent) },
    errors: ['VALIDATION_ERROR'],
  }),
  'agents.searchFacets': operation({
    id: 'agents.searchFacets',
    method: 'GET',
    path: '/agents/search/facets',
    auth: 'anyone',
    area: 'general',
    tx: 'read',
    summary: 'Count the agents that a search finds, by category, framework, tiers and availability',
    query: z.strictObject(filters),
    reply: {
      status: 200,
      schema: z.object({
        total: z.int().meta({ description: 'Agents counted' }),
        exact: z.boolean().meta({ description: 'False: there are more; every number is at least so many' }),
        facets: z.object({
          category: counts(categories),
          framework: counts(frameworks),
          trustTier: counts(trustTiers),
          modelTier: counts(modelTiers),
          availability: counts(availabilities),
        }),
      }),
    },
    errors: ['VALIDATION_ERROR'],
  }),
} as const;
