import { z } from 'zod';
import { httpUrl } from './values.ts';

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
  EMAIL_VERIFICATION: [
    z.enum(['required', 'off']).optional(),
    'Whether owners verify their address before they make tokens that outlast the session; default: required with SMTP_URL, else off',
  ],
  TURNSTILE_SITE_KEY: [
    z.string().min(1).max(200).optional(),
    'Cloudflare Turnstile challenges browsers that sign up or in; goes with TURNSTILE_SECRET_KEY',
  ],
  TURNSTILE_SECRET_KEY: [z.string().min(1).max(200).optional(), 'See TURNSTILE_SITE_KEY'],
  TURNSTILE_VERIFY_URL: [
    httpUrl.default('https://challenges.cloudflare.com/turnstile/v0/siteverify'),
    'Where tokens of Turnstile are verified; it must be public',
  ],
} as const satisfies Record<string, readonly [z.ZodType, string]>;
