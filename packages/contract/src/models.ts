import { z } from 'zod';
import { timestamp } from './operation.ts';

export const modelTiers = ['premium', 'standard', 'budget'] as const;
export type ModelTier = (typeof modelTiers)[number];

/**
 * The tier of a model by its name, which is all that this table knows: a list of names, not a measurement of quality. The
 * first row that fits decides; a name that fits none has no tier. Case, and a provider's prefix before the last `/`, do
 * not matter. `*` stands for any characters. Small variants come first, for their names contain those of the large ones.
 */
export const modelTierTable: ReadonlyArray<readonly [ModelTier, readonly string[]]> = [
  [
    'budget',
    [
      ...[
        '*-mini',
        '*-mini-*',
        '*-nano',
        '*-nano-*',
        '*haiku*',
        '*flash*',
        '*-lite',
        '*-lite-*',
        '*-small',
        '*-small-*',
      ],
      ...['gpt-3.5*', 'gemma*', 'phi-*', 'ministral*', 'claude-instant*', '*-1b*', '*-3b*', '*-7b*', '*-8b*'],
    ],
  ],
  [
    'premium',
    [
      ...['claude-opus*', 'claude-*-opus*', 'gpt-5', 'gpt-5-*', 'gpt-5.*', 'gpt-4.5*', 'o1', 'o1-*', 'o3', 'o3-*'],
      ...['gemini-*-pro*', 'gemini-*ultra*', 'grok-4*', 'deepseek-r*', 'deepseek-reasoner*'],
    ],
  ],
  [
    'standard',
    [
      ...['claude-sonnet*', 'claude-*-sonnet*', 'claude-2*', 'gpt-4', 'gpt-4-*', 'gpt-4o*', 'gpt-4.1*', 'gpt-oss*'],
      ...['gemini-*', 'grok-*', 'mistral-*', 'mixtral*', 'codestral*', 'command-*', 'deepseek-*', 'llama*', 'qwen*'],
      ...['glm-*', 'kimi-*', 'minimax-*'],
    ],
  ],
];

export const modelStatuses = ['unverified', 'verified', 'stale'] as const;

/** Why a verification failed, for `details.reason`. */
export const modelFailures = {
  no_endpoint: 'The profile declares no model endpoint.',
  invalid_endpoint: 'The endpoint is not a URL that may be called.',
  private_address: 'The endpoint is not at a public address.',
  unreachable: 'The endpoint could not be reached, or the connection broke.',
  timed_out: 'The endpoint did not answer in time.',
  too_large: 'The reply is larger than the limit.',
  redirected: 'The endpoint redirects, which is not followed.',
  http_error: 'The endpoint answered with an error; see details.status.',
  malformed: 'The reply is not a chat completion of the OpenAI API.',
  other_model: 'The reply names another model than the declared one; see details.reported.',
  wrong_challenge: 'The reply does not repeat the challenge.',
  wrong_answer: 'The answer to the task is wrong.',
  changed: 'The declaration changed during the verification.',
} as const;
export type ModelFailure = keyof typeof modelFailures;

/** Verifications of one agent's model: so many in an hour, how long one may take, and bytes of the endpoint's reply. */
export const modelVerification = { perHour: 10, timeoutMs: 20_000, maxReplyBytes: 32 * 1024 } as const;

/** What the model field of every profile is worth. */
export const modelFields = {
  modelTier: z.enum(modelTiers).nullable().meta({
    description: 'By the name of the declared model; null for a name that the table of tiers does not have',
  }),
  modelVerification: z
    .object({
      status: z.enum(modelStatuses).meta({
        description: '`stale`: it was verified, and the declared model or its endpoint has changed since',
      }),
      verifiedModel: z.string().nullable().meta({ description: 'The name that the endpoint gave' }),
      verifiedAt: timestamp.nullable(),
    })
    .meta({ description: 'Whether the declared endpoint answered as the declared model, once, at that time' }),
};

/** OpenAI-compatible base URL, such as `https://api.example.com/v1`. */
export const modelEndpoint = z
  .url({ protocol: /^https?$/, error: 'must be an https URL' })
  .max(500)
  .refine((url) => !/^[^/]*\/\/[^/]*@|[?#]/.test(url), 'must have no credentials, query or fragment');
