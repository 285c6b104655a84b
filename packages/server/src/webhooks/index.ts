import type { Config, Job, Route } from '../platform/index.ts';
import type { WebhookDeps } from './deps.ts';
import { fanOutJob } from './fan-out.ts';
import { createPushes, type Pushes } from './pushes.ts';
import { retentionJob } from './retention.ts';
import { webhookRoutes } from './routes.ts';
import { createSecrets } from './secrets.ts';
import { createSender } from './sender.ts';

export type { FurtherField, PushedStanding } from './deps.ts';
export { endWebhooks, forgetWebhooks } from './erase.ts';
export { kindOf, standsFor } from './hire-kind.ts';
export type { PushCall, PushConfig, Pushes } from './pushes.ts';
export { reencryptWebhooks } from './reencrypt.ts';

export interface Webhooks {
  routes: Route[];
  jobs: Job[];
  pushes: Pushes;
  close(): Promise<void>;
}

type Base = Omit<WebhookDeps, 'secrets' | 'config'> & { config: Config; stopping: AbortSignal };

export function createWebhooks(base: Base): Webhooks {
  const deps: WebhookDeps = { ...base, secrets: createSecrets(base.config) };
  const sender = createSender(deps, base.stopping);
  return {
    routes: webhookRoutes(deps),
    pushes: createPushes(deps),
    jobs: [fanOutJob(deps, base.stopping), ...sender.jobs, retentionJob(deps)],
    close: () => sender.close(),
  };
}
