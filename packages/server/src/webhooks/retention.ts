import { webhookLimits } from '@agora-market/contract';
import { firstIdAt, type Job, untilEmpty } from '../platform/index.ts';
import type { WebhookDeps } from './deps.ts';
import { forgetOld, forgetSurplus } from './queue-sql.ts';
import { keptMs } from './schedule.ts';

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
