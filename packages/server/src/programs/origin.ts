import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { ApiError, type Config } from '../platform/index.ts';

/** The host without port and brackets, in lower case; null for what is none. */
function hostnameOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : null;
}

const isOwnMachine = (name: string): boolean =>
  name === 'localhost' || name.endsWith('.localhost') || name === '127.0.0.1' || name === '::1';

/** No stranger can make such a name lead to this server: addresses, and names that are not in the public DNS. */
const isNoPublicName = (name: string): boolean => isOwnMachine(name) || isIP(name) !== 0 || !name.includes('.');

/**
 * Refuses requests that a page of a stranger makes a browser send, also one whose name leads to this server (DNS
 * rebinding). Programs send no Origin.
 */
export function refuseForeignPages({ PUBLIC_URL, HOST }: Config, { headers }: FastifyRequest): void {
  const own = [HOST.toLowerCase(), ...(PUBLIC_URL === undefined ? [] : [hostnameOf(PUBLIC_URL)])];
  const host = hostnameOf(`http://${headers.host}`);
  if (host === null || !(own.includes(host) || isNoPublicName(host))) {
    throw new ApiError(
      'CROSS_SITE_REQUEST',
      `This service is not known as ${headers.host}. Its operator sets its address with PUBLIC_URL.`,
    );
  }
  const { origin } = headers;
  if (origin === undefined) return;
  const page = hostnameOf(origin);
  if (page === null || !(own.includes(page) || page === host || isOwnMachine(page))) {
    throw new ApiError('CROSS_SITE_REQUEST', `Pages of ${origin} may not call this service.`);
  }
}
