/** Where NATS is, as NATS_URL says. */
export interface NatsPlace {
  servers: string[];
  isTls: boolean;
  user?: string;
  pass?: string;
  token?: string;
}

const form = /^(nats|tls):\/\/(?:([^@/?#]*)@)?([^@/?#]+)\/?$/i;

/** Reads `nats://user:password@host1:4222,host2`, with a token alone before the `@`, or `tls`. Null for anything else. */
export function placeOfNats(url: string): NatsPlace | null {
  const [, scheme = '', login, hosts = ''] = form.exec(url) ?? [];
  const servers = hosts.split(',');
  if (!servers.every((host) => host !== '' && URL.canParse(`nats://${host}`))) return null;
  const colon = login?.indexOf(':') ?? -1;
  try {
    return {
      servers,
      isTls: scheme.toLowerCase() === 'tls',
      ...(login && colon < 0 && { token: decodeURIComponent(login) }),
      ...(login &&
        colon >= 0 && {
          user: decodeURIComponent(login.slice(0, colon)),
          pass: decodeURIComponent(login.slice(colon + 1)),
        }),
    };
  } catch {
    // A `%` that encodes nothing.
    return null;
  }
}
