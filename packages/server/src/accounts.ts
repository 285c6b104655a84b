import { authQueue, authRoutes } from './auth/index.ts';
import { createMail } from './mail/index.ts';

/** What owners have to do with the service itself: their accounts and mail. */
export function openAccounts(base: Parameters<typeof createMail>[0]) {
  const mail = createMail(base);
  const auth = { ...base, mail };
  return { routes: authRoutes(auth), handlers: [...mail.handlers, ...authQueue(auth)], jobs: mail.jobs };
}
