import { readUrlsOfHosts } from '../urls-of-hosts.ts';

/** Where NATS is, as NATS_URL says. */
export interface NatsPlace {
  servers: string[];
  isTls: boolean;
  user?: string;
  pass?: string;
  token?: string;
}

const form = /^(nats|tls):\/\/[^/?#]+\/?$/i;

/** Reads `nats://user:password@host1:4222,host2`, with a token alone before the `@`, or `tls`. Null for anything else. */
export function placeOfNats(url: string): NatsPlace | null {
  const [, scheme = ''] = form.exec(url) ?? [];
  const urls = readUrlsOfHosts(url);
  if (scheme === '' || urls === null) return null;
  const { username, password } = urls[0] as URL;
  try {
    return {
      servers: urls.map(({ host }) => host),
      isTls: scheme.toLowerCase() === 'tls',
      ...(password !== '' && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
      ...(password === '' && username !== '' && { token: decodeURIComponent(username) }),
    };
  } catch {
    // A `%` that encodes nothing.
    return null;
  }
}
