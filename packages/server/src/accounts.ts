import { createMail } from './mail/index.ts';

/** What owners have to do with the service itself: their mail. */
export function openAccounts(base: Parameters<typeof createMail>[0]) {
  const mail = createMail(base);
  return { handlers: mail.handlers, jobs: mail.jobs };
}
