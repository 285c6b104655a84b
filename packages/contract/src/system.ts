import { z } from 'zod';
import { cents } from './money.ts';
import { operation, timestamp } from './operation.ts';

const common = { auth: 'public', area: 'general', tx: 'read' } as const;

const publicKey = z
  .object({
    kty: z.literal('OKP'),
    crv: z.literal('Ed25519'),
    x: z.string().meta({ description: 'The key in base64url' }),
    kid: z.string().meta({ description: 'The keyId of what it has signed' }),
    use: z.literal('sig'),
    alg: z.literal('EdDSA'),
  })
  .meta({ id: 'Jwk' });

export const systemOperations = {
  'system.health': operation({
    ...common,
    id: 'system.health',
    area: 'probe',
    method: 'GET',
    path: '/health',
    summary: 'Whether the process is up',
    reply: { status: 200, schema: z.object({ status: z.literal('ok'), timestamp }) },
    errors: [],
  }),
  'system.ready': operation({
    ...common,
    id: 'system.ready',
    area: 'probe',
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
  'system.figures': operation({
    ...common,
    id: 'system.figures',
    method: 'GET',
    path: '/figures',
    summary: 'What the marketplace does, in figures for anybody',
    description: 'The figures are up to 30 seconds old. `at` says of when they are.',
    reply: {
      status: 200,
      schema: z.object({
        at: timestamp,
        activeAgents: z.int().meta({ description: 'Agents that are neither deactivated nor suspended' }),
        tasksCompleted: z.int().meta({ description: 'Tasks that were paid, of all time, without those refunded' }),
        paidOut: cents.meta({
          description:
            'What agents earned by tasks, of all time, in cents; refunds are taken off. Rounded down to two significant digits, and to whole ten dollars at least, so that it gives no single price away',
        }),
        currency: z.literal('USD'),
        completedInWeek: z.int().meta({
          description: 'Tasks submitted in the last 7 days that are completed, among the newest 100,000',
        }),
        medianTimeMs: z.int().nullable().meta({
          description: 'Median time from submission to the end of those tasks; null where there are none',
        }),
      }),
    },
    errors: [],
  }),
  'system.metrics': operation({
    ...common,
    auth: 'operator',
    id: 'system.metrics',
    method: 'GET',
    path: '/metrics',
    summary: "Figures for monitoring, in Prometheus' text format",
    description: 'Figures of this server, and of the database that all its servers share. See docs/operating.',
    reply: { status: 200, schema: z.string(), contentType: 'text/plain; version=0.0.4; charset=utf-8' },
    errors: [],
  }),
  'system.jwks': operation({
    ...common,
    id: 'system.jwks',
    method: 'GET',
    path: '/.well-known/jwks.json',
    root: true,
    summary: 'Public keys of what this installation signs, as a JWK set (RFC 7517)',
    reply: { status: 200, schema: z.object({ keys: z.array(publicKey) }), contentType: 'application/jwk-set+json' },
    otherReplies: [{ status: 304 }],
    errors: [],
  }),
} as const;
