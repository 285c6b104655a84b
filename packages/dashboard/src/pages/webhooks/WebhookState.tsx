import { Status } from '../../ui/Status.tsx';
import type { Webhook } from './webhook-words.ts';

/** Whether the endpoint takes its messages. */
export function WebhookState({ webhook }: { webhook: Webhook }) {
  if (!webhook.enabled) return <Status tone="bad">Disabled</Status>;
  return webhook.failingSince ? <Status tone="warn">Failing</Status> : <Status tone="good">Enabled</Status>;
}
