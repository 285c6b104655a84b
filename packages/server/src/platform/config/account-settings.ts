import { z } from 'zod';

const mailbox = '[^\\s<>"@,;]+@[^\\s<>"@,;]+';
const sender = new RegExp(`^(?:[^<>"@\\p{Cc}]+ <${mailbox}>|${mailbox})$`, 'u');

/** Settings about accounts and their mail. */
export const accountSettings = {
  SMTP_URL: [
    z.url({ protocol: /^smtps?$/ }).optional(),
    'Mail server, as smtps://user:password@host; without it mail is kept for `agora mail`, and in production none is sent',
  ],
  MAIL_FROM: [
    z.string().max(300).regex(sender, 'takes an address, or Name <address>').optional(),
    'Sender of mail; goes with SMTP_URL',
  ],
} as const satisfies Record<string, readonly [z.ZodType, string]>;
