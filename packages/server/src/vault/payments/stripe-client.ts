import { AsyncLocalStorage } from 'node:async_hooks';
import Stripe from 'stripe';

export interface StripeOptions {
  secretKey: string;
  /** Null if webhooks are not set up. */
  webhookSecret: string | null;
  /** Another place than Stripe's own, as a fake or a proxy. */
  apiBase?: string | undefined;
  /** Longest time of one attempt. */
  attemptTimeoutMs?: number;
  /** Attempts after the first; they carry the same idempotency key. */
  retries?: number;
}

/** Makes one or more calls to Stripe that all end when the signal aborts. */
export type AskStripe = <R>(signal: AbortSignal, work: (stripe: Stripe) => Promise<R>) => Promise<R>;

/** Two attempts of 6 s and the pause between them fit into the 14 s that a caller waits. */
const defaults = { attemptTimeoutMs: 6_000, retries: 1 } as const;
const maxReplyBytes = 8 * 1024 * 1024;

export function createStripeClient(options: StripeOptions): AskStripe {
  const callers = new AsyncLocalStorage<AbortSignal>();
  const send = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const signals = [init.signal, callers.getStore()].filter((signal) => signal !== undefined && signal !== null);
    // A redirect would send the secret key to another host.
    return soundReply(await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.any(signals) }));
  };
  const stripe = new Stripe(options.secretKey, {
    ...(options.apiBase !== undefined && address(options.apiBase)),
    httpClient: Stripe.createFetchHttpClient(send),
    timeout: options.attemptTimeoutMs ?? defaults.attemptTimeoutMs,
    maxNetworkRetries: options.retries ?? defaults.retries,
    telemetry: false,
  });
  return async (signal, work) => {
    signal.throwIfAborted();
    try {
      return await callers.run(signal, () => work(stripe));
    } catch (error) {
      throw withoutSecrets(error);
    }
  };
}

function address(apiBase: string) {
  const { protocol, hostname, port } = new URL(apiBase);
  const isPlain = protocol === 'http:';
  return {
    host: hostname,
    port: port === '' ? (isPlain ? 80 : 443) : Number(port),
    protocol: isPlain ? ('http' as const) : ('https' as const),
  };
}

/**
 * A reply that is no object of Stripe's must fail here. The SDK takes `500 {}` for a success, and a JSON text or number
 * throws where nobody can catch it, which would end the process.
 */
async function soundReply(reply: Response): Promise<Response> {
  const text = await boundedText(reply);
  const value: unknown = JSON.parse(text);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const isSound = isObject && (reply.ok ? 'object' in value : isErrorOf(value));
  if (!isSound) throw new Error(`The reply ${reply.status} is none of Stripe's.`);
  return new Response(text, { status: reply.status, headers: reply.headers });
}

const isErrorOf = (value: object) =>
  'error' in value && typeof value.error === 'object' && value.error !== null && 'type' in value.error;

async function boundedText(reply: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const part of reply.body ?? []) {
    text += decoder.decode(part, { stream: true });
    if (text.length > maxReplyBytes) throw new Error('The reply is too large to be one of Stripe.');
  }
  return text + decoder.decode();
}

/**
 * The SDK's errors carry whole objects, client secrets among them, and this one goes to the log. Stripe's own message
 * stays out where it repeats the key that was sent.
 */
function withoutSecrets(error: unknown): Error {
  if (!(error instanceof Stripe.errors.StripeError)) return new Error(`Stripe: ${(error as Error).message}`);
  const { type, code, statusCode, requestId, message } = error;
  const about = type === 'StripeAuthenticationError' ? 'the secret key was not accepted' : message;
  const marks = [type, code, statusCode, requestId].filter((mark) => mark !== undefined).join(' ');
  return new Error(`Stripe: ${about} (${marks})`);
}

/** Whether Stripe refused because it has no such thing; `param` says of what. */
export const isMissing = (error: unknown, param?: string): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError &&
  error.code === 'resource_missing' &&
  (param === undefined || error.param === param);

/** An object of another kind, or without an id, proves nothing. */
export function ofKind<T extends { object: string; id: string }>(value: T, kind: T['object']): T {
  if (value.object !== kind) throw new Error(`Stripe answered with ${String(value.object)} instead of ${kind}.`);
  if (typeof value.id !== 'string' || value.id === '') throw new Error(`Stripe answered with a ${kind} of no id.`);
  return value;
}

interface Asked {
  intentId: string;
  amountCents: number;
}

/** A movement of money counts as ours only with our id and our amount. */
export function ofRequest<
  T extends { object: string; id: string; amount: number; currency: string; metadata: Stripe.Metadata | null },
>(value: T, kind: T['object'], { intentId, amountCents }: Asked): T {
  const { metadata, amount, currency } = ofKind(value, kind);
  const isOurs = intentIdOf(metadata) === intentId && amount === amountCents && currency === 'usd';
  if (!isOurs) throw new Error(`Stripe answered with a ${kind} that is not the one of ${intentId}.`);
  return value;
}

/** Of what Stripe refers to, or has put in place of the reference. */
export const idOf = (reference: string | { id: string } | null | undefined): string | null =>
  typeof reference === 'object' ? (reference?.id ?? null) : (reference ?? null);

/** Our own id among a Stripe object's metadata; null if the object is not of ours. */
export function intentIdOf(metadata: Stripe.Metadata | null | undefined): string | null {
  const id = metadata?.agora_intent_id;
  return id !== undefined && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id) ? id : null;
}

export const toSeconds = (at: Date): number => Math.floor(at.getTime() / 1000);
export const fromSeconds = (seconds: number): Date => new Date(seconds * 1000);
