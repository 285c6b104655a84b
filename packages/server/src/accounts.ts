import { authQueue, authRoutes, createCaptcha, signInDeps } from './auth/index.ts';
import { createDeprecations, notificationJobs } from './embassy/index.ts';
import { createMail } from './mail/index.ts';
import { deletionQueue, deletionRoutes } from './overview/index.ts';

type Base = Parameters<typeof createMail>[0] & { stopping: AbortSignal };

/** What owners have to do with the service itself: their accounts and mail, and what they are told. */
export function openAccounts(base: Base) {
  const mail = createMail(base);
  const captcha = createCaptcha(base);
  const deps = signInDeps({ ...base, mail, captcha });
  const deprecations = createDeprecations(base);
  return {
    routes: [...authRoutes(deps), ...deletionRoutes(deps)],
    handlers: [...mail.handlers, ...authQueue(deps), ...deletionQueue(deps)],
    jobs: [...mail.jobs, ...notificationJobs(deps), ...deprecations.jobs],
    uses: deprecations.uses,
    close: () => Promise.all([deprecations.flush(), captcha.close()]),
  };
}
