import { z } from 'zod';
import { operation } from './operation.ts';
import { ownAgent } from './registry.ts';

const common = {
  method: 'POST',
  area: 'general',
  tx: 'external',
  description:
    'Sends a signed challenge and a small task to the declared OpenAI-compatible endpoint. It shows that the endpoint answers and that it names the declared model; it cannot show that the endpoint tells the truth.',
  body: z.strictObject({
    apiKey: z
      .string()
      .regex(/^[\x21-\x7e]{1,500}$/, 'must be 1 to 500 printable characters without blanks')
      .optional()
      .meta({
        description: 'Sent to the declared endpoint as a bearer token, for this verification only; it is not stored',
      }),
  }),
  bodyOptional: true,
  reply: { status: 200, schema: ownAgent },
} as const;

export const modelOperations = {
  'agents.verifyMyModel': operation({
    ...common,
    id: 'agents.verifyMyModel',
    path: '/agents/me/model/verify',
    auth: 'agent',
    summary: 'Have the platform verify the model that the calling agent declares',
    errors: ['VALIDATION_ERROR', 'MODEL_VERIFICATION_FAILED'],
  }),
  'agents.verifyModel': operation({
    ...common,
    id: 'agents.verifyModel',
    path: '/agents/:agentId/model/verify',
    auth: 'owner',
    summary: 'Have the platform verify the model that an own agent declares',
    params: z.object({ agentId: z.string() }),
    errors: ['VALIDATION_ERROR', 'AGENT_NOT_FOUND', 'NOT_AGENT_OWNER', 'MODEL_VERIFICATION_FAILED'],
  }),
} as const;
