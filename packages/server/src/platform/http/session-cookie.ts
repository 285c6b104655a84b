import type { IncomingHttpHeaders } from 'node:http';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';
import { ensure } from '../api-error.ts';
import type { Config } from '../config/config.ts';

type Settings = Pick<Config, 'PUBLIC_URL'>;

/** What of a request says who sent it, and from where. */
export type Sent = Pick<FastifyRequest, 'headers' | 'method' | 'protocol' | 'host'>;

/** The longest that browsers keep a cookie. When a session ends the server decides, for each use extends it. */
const maxAgeSeconds = 400 * 86_400;

/** The cookie that holds an owner's session in a browser, where no script can read it. */
export function sessionCookie({ PUBLIC_URL }: Settings) {
  const url = PUBLIC_URL === undefined ? null : new URL(PUBLIC_URL);
  const secure = url?.protocol === 'https:';
  const path = url?.pathname ?? '/';
  // Browsers take cookies of these names only from the host itself, or over TLS at least.
  const prefix = path === '/' ? '__Host-' : '__Secure-';
  const name = `${secure ? prefix : ''}agora-session`;
  const write = (value: string, maxAge: number) =>
    stringifySetCookie({ name, value, maxAge, path, secure, httpOnly: true, sameSite: 'strict' });
  return {
    /** The session token of a request; undefined if its cookies have none. */
    read: ({ cookie }: IncomingHttpHeaders): string | undefined =>
      cookie === undefined ? undefined : parseCookie(cookie)[name],
    /** The `Set-Cookie` that gives a browser its session. */
    set: (token: string) => write(token, maxAgeSeconds),
    /** The `Set-Cookie` that takes it away. */
    clear: () => write('', 0),
  };
}

/**
 * Refuses changes that another site made a browser send: browsers add cookies to such requests too. The browser says
 * where a request comes from; a request that does not say so is refused.
 */
export function requireSameOrigin({ PUBLIC_URL }: Settings, { headers, protocol, host }: Sent): void {
  const { origin, 'sec-fetch-site': site } = headers;
  const own = [`${protocol}://${host}`, ...(PUBLIC_URL === undefined ? [] : [new URL(PUBLIC_URL).origin])];
  const isOwn = site === undefined ? origin !== undefined && own.includes(origin) : site === 'same-origin';
  ensure(isOwn, 'CROSS_SITE_REQUEST');
}
