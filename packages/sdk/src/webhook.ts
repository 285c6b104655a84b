import type { MessageType } from '@agora-market/contract';
import type { Approval, Task } from './types.ts';

/** How far an agent's budget is spent, in cents. */
interface BudgetReached {
  agentId: string;
  window: 'day' | 'week' | 'month';
  percent: number;
  limit: number;
  spent: number;
  /** The price of a submission that was refused. */
  refused: number | null;
}

/** What messages are about, by their type. */
interface Subjects {
  test: { webhookId: string };
  approval_requested: Approval;
  budget_reached: BudgetReached;
}

interface Message<Type extends MessageType, Data> {
  type: Type;
  /** When it happened (ISO 8601). */
  timestamp: string;
  /** Counts the messages of the webhook. They may arrive in another order, and twice. */
  sequence: number;
  data: Data;
}

/** What arrives at the endpoint of a webhook. `data` is the task as its receiver may see it, or only its `id`, unless `type` says otherwise. */
export type WebhookMessage =
  | { [Type in keyof Subjects]: Message<Type, Subjects[Type]> }[keyof Subjects]
  | Message<Exclude<MessageType, keyof Subjects>, Pick<Task, 'id'> & Partial<Task>>;

/** Header fields of a request, as Node or the Fetch API have them. */
type HeaderFields = Headers | Record<string, string | string[] | undefined>;

/** How far the clocks of sender and receiver may differ, so that nobody can send an old message again. */
const toleranceMs = 5 * 60_000;

/**
 * Verifies a message by its signature (Standard Webhooks) and returns it. `body` is the request's body as it arrived, and
 * `secret` the `whsec_…` of the webhook. Rejects with an Error that says what is wrong: then answer with 400.
 */
export async function verifyWebhook(
  secret: string,
  headers: HeaderFields,
  body: string,
  now: Date = new Date(),
): Promise<WebhookMessage> {
  const field = (name: string) => String((headers instanceof Headers ? headers.get(name) : headers[name]) ?? '');
  const [id, seconds, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(field);
  if (!id || !seconds || !signatures) throw new Error('The request has no signature.');
  if (!(Math.abs(now.getTime() - Number(seconds) * 1000) <= toleranceMs)) {
    throw new Error('The message is too old, or its time is in the future.');
  }
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytesOf(secret.replace(/^whsec_/, '')), algorithm, false, [
    'verify',
  ]);
  const signed = new TextEncoder().encode(`${id}.${seconds}.${body}`);
  for (const signature of signatures.split(' ')) {
    if (!signature.startsWith('v1,')) continue;
    if (await crypto.subtle.verify('HMAC', key, bytesOf(signature.slice(3)), signed)) return JSON.parse(body);
  }
  throw new Error('The signature was made with another secret, or for another message.');
}

/** Text in base64 as bytes; none if it is not base64. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
