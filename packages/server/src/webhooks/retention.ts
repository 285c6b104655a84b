import { webhookLimits } from '@agora/contract';
import { type Job, untilEmpty } from '../platform/index.ts';
import type { WebhookDeps } from './deps.ts';
import { forgetOld, forgetSurplus } from './queue-sql.ts';
import { keptMs } from './schedule.ts';

/** Below all ids (UUIDv7) that are made at a time or later. */
function firstIdAt(at: Date): string {
  const time = at.getTime().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

/** Deletes messages that are old, and finished ones that are many. */
export const retentionJob = ({ pool, clock }: WebhookDeps): Job => ({
  name: 'webhooks.forget',
  everyMs: 60_000,
  async run() {
    const before = firstIdAt(new Date(clock.now().getTime() - keptMs));
    await untilEmpty(1_000, (limit) => forgetOld(pool, before, limit));
    await untilEmpty(100, (limit) => forgetSurplus(pool, webhookLimits.keptPerWebhook, limit));
  },
});
