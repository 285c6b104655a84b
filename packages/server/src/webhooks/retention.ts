import { webhookLimits } from '@agora-market/contract';
import { firstIdAt, type Job, untilEmpty } from '../platform/index.ts';
import type { WebhookDeps } from './deps.ts';
import { forgetPushes } from './push-sql.ts';
import { forgetOld, forgetSurplus } from './queue-sql.ts';
import { keptMs, pushKeptMs } from './schedule.ts';

/** Deletes messages that are old, finished ones that are many, and push notifications of tasks that have ended. */
export const retentionJob = ({ pool, clock }: WebhookDeps): Job => ({
  name: 'webhooks.forget',
  role: 'webhooks',
  everyMs: 60_000,
  async run() {
    const ago = (ms: number) => new Date(clock.now().getTime() - ms);
    const before = firstIdAt(ago(keptMs));
    await untilEmpty(1_000, (limit) => forgetOld(pool, before, limit));
    await untilEmpty(100, (limit) => forgetSurplus(pool, webhookLimits.keptPerWebhook, limit));
    await untilEmpty(1_000, (limit) => forgetPushes(pool, ago(pushKeptMs), limit));
  },
});
