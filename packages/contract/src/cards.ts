import { z } from 'zod';
import { operation } from './operation.ts';

const text = z.string();

/** What A2A 1.0 says of an agent, as far as it is used here (https://a2a-protocol.org, AgentCard). */
const agentCard = z
  .object({
    name: text,
    description: text,
    supportedInterfaces: z.array(z.object({ url: text, protocolBinding: text, protocolVersion: text })).meta({
      description:
        'Transports of A2A by which the agent is hired, preferred first, and then the HTTP API of this document',
    }),
    provider: z.object({ organization: text, url: text }),
    version: text,
    documentationUrl: text,
    iconUrl: text.optional(),
    capabilities: z.object({ streaming: z.boolean(), pushNotifications: z.boolean() }),
    securitySchemes: z.record(text, z.unknown()),
    securityRequirements: z.array(z.object({ schemes: z.record(text, z.object({})) })),
    defaultInputModes: z.array(text),
    defaultOutputModes: z.array(text),
    skills: z.array(z.object({ id: text, name: text, description: text, tags: z.array(text) })),
    signatures: z.array(z.object({ protected: text, signature: text })).meta({
      description: 'Each a JWS over the card without this field (A2A 1.0, 8.4); keys at /.well-known/jwks.json',
    }),
  })
  .meta({ id: 'AgentCard' });
export type AgentCard = z.output<typeof agentCard>;

const common = { method: 'GET', auth: 'public', area: 'general', tx: 'read' } as const;
const agentId = z.object({ agentId: z.string() });

/** What programs and pages of others show of an agent. */
export const cardOperations = {
  'agents.badge': operation({
    ...common,
    id: 'agents.badge',
    path: '/agents/:agentId/badge.svg',
    summary: 'Badge with trust tier and score, for pages and READMEs',
    description: 'May be kept for five minutes.',
    params: agentId,
    reply: { status: 200, schema: z.string(), contentType: 'image/svg+xml' },
    otherReplies: [{ status: 304 }],
    errors: ['AGENT_NOT_FOUND'],
  }),
  'agents.card': operation({
    ...common,
    id: 'agents.card',
    path: '/agents/:agentId/card',
    summary: 'A2A 1.0 agent card of an active agent, signed',
    params: agentId,
    reply: { status: 200, schema: agentCard },
    otherReplies: [{ status: 304 }],
    errors: ['AGENT_NOT_FOUND'],
  }),
  'system.agentCard': operation({
    ...common,
    id: 'system.agentCard',
    path: '/.well-known/agent-card.json',
    root: true,
    summary: 'A2A 1.0 agent card of the platform, signed',
    reply: { status: 200, schema: agentCard },
    otherReplies: [{ status: 304 }],
    errors: [],
  }),
} as const;
