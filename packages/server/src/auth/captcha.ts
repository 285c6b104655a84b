import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Config, ensure, type Logger } from '../platform/index.ts';
import { openOutbound } from '../platform/outbound/index.ts';

/** What a browser asked for; the page gives it to the widget as its action. */
export type CaptchaAction = 'sign_up' | 'sign_in' | 'forgot_password';

interface Challenged {
  raw: { request: Pick<FastifyRequest, 'headers'> };
  body: { captchaToken?: string | undefined; cookie?: boolean | undefined };
}

/** Keeps programs from filling in the forms of a browser, by Cloudflare Turnstile. */
export interface Captcha {
  /** With which a page shows the widget; null while nobody is challenged. */
  siteKey: string | null;
  /** Lets programs of the API through, and browsers that have passed. CAPTCHA_REQUIRED, CAPTCHA_FAILED. */
  pass(action: CaptchaAction, call: Challenged): Promise<void>;
  close(): Promise<void>;
}

/** Whoever waits longer than this for a form thinks that it is broken. */
const askMs = 3_000;
const maxReplyBytes = 64 * 1024;

/** As Cloudflare answers (https://developers.cloudflare.com/turnstile/get-started/server-side-validation/). */
const verdict = z.object({
  success: z.boolean(),
  'error-codes': z.array(z.string()).nullish(),
  hostname: z.string().nullish(),
  action: z.string().nullish(),
});

type Settings = Pick<
  Config,
  'TURNSTILE_SITE_KEY' | 'TURNSTILE_SECRET_KEY' | 'TURNSTILE_VERIFY_URL' | 'OUTBOUND_ALLOW_LOOPBACK' | 'PUBLIC_URL'
>;

export function createCaptcha({ config, log }: { config: Settings; log: Pick<Logger, 'warn'> }): Captcha {
  const { TURNSTILE_SITE_KEY: siteKey, TURNSTILE_SECRET_KEY: secret, TURNSTILE_VERIFY_URL: url } = config;
  if (siteKey === undefined || secret === undefined) {
    return { siteKey: null, pass: async () => undefined, close: async () => undefined };
  }
  const outbound = openOutbound({ allowLoopback: config.OUTBOUND_ALLOW_LOOPBACK, maxReplyBytes });
  const ownHost = config.PUBLIC_URL === undefined ? null : new URL(config.PUBLIC_URL).hostname;

  /** Null if Cloudflare gave no verdict. */
  async function ask(token: string): Promise<z.infer<typeof verdict> | null> {
    try {
      const { body } = await outbound.request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ secret, response: token }),
        signal: AbortSignal.timeout(askMs),
      });
      const given = verdict.parse(JSON.parse(await body.text()));
      if (!given['error-codes']?.includes('internal-error')) return given;
      log.warn('Turnstile had an error of its own; a browser was let through unchallenged');
    } catch (error) {
      log.warn({ err: error }, 'Turnstile gave no verdict; a browser was let through unchallenged');
    }
    return null;
  }

  return {
    siteKey,
    async pass(action, { raw, body }) {
      if (!isBrowser(raw.request) && !body.cookie) return;
      ensure(body.captchaToken, 'CAPTCHA_REQUIRED');
      const given = await ask(body.captchaToken);
      if (given === null) return;
      const isOurs = (ownHost ?? given.hostname) === given.hostname && (given.action || action) === action;
      const errors = given['error-codes'] ?? [];
      if (errors.some((code) => code.endsWith('-input-secret'))) log.warn({ errors }, 'TURNSTILE_SECRET_KEY is wrong');
      ensure(given.success && isOurs, 'CAPTCHA_FAILED');
    },
    close: () => outbound.close(),
  };
}

/** Browsers say where each of these requests comes from, whatever the page wants; other programs do not. */
const isBrowser = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;
