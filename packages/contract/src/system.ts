import { z } from 'zod';
import { operation, timestamp } from './operation.ts';

const common = { auth: 'public', area: 'general', tx: 'read' } as const;

export const systemOperations = {
  'system.health': operation({
    ...common,
    id: 'system.health',
    method: 'GET',
    path: '/health',
    summary: 'Whether the process is up',
    reply: { status: 200, schema: z.object({ status: z.literal('ok'), timestamp }) },
    errors: [],
  }),
  'system.ready': operation({
    ...common,
    id: 'system.ready',
    method: 'GET',
    path: '/ready',
    summary: 'Whether the database answers and its schema is current',
    reply: {
      status: 200,
      schema: z.object({
        status: z.literal('ready'),
        timestamp,
        sandbox: z.object({ driver: z.string(), available: z.boolean(), detail: z.string() }),
        judge: z
          .object({ available: z.boolean(), detail: z.string() })
          .meta({ description: 'Whether a language model judges scores of 50 to 70' }),
      }),
    },
    errors: ['NOT_READY'],
  }),
} as const;
