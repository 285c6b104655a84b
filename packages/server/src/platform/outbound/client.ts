import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Agent, Dispatcher } from 'undici';
import { whenNeeded } from '../concurrency/when-needed.ts';
import { isLoopbackAddress, isPublicAddress } from './addresses.ts';

/** The server must not be made to call this target. */
export class OutboundRefused extends Error {
  readonly code = 'OUTBOUND_REFUSED';
}

export interface OutboundSettings {
  /** Development only: lets requests reach this machine itself, plain HTTP included. */
  allowLoopback: boolean;
  /** Hosts that the operator names: they may be called whatever their addresses. */
  trustedHosts?: readonly string[];
  connectTimeoutMs?: number;
  /** Silence after which a reply that has begun, or has not, is given up. */
  idleTimeoutMs?: number;
  /** Bytes of one reply's body; past that the request fails. */
  maxReplyBytes: number;
  /** Replaces the system's resolver in tests. */
  lookup?: typeof systemLookup;
}

const allowed = (address: string, allowLoopback: boolean) =>
  isPublicAddress(address) || (allowLoopback && isLoopbackAddress(address));

/**
 * The problem of a user's URL in words, or null. Names are checked when they are resolved: a name may mean another
 * address by then.
 */
export function urlProblem(text: string, { allowLoopback }: Pick<OutboundSettings, 'allowLoopback'>): string | null {
  if (!URL.canParse(text)) return 'must be an absolute URL';
  const { protocol, hostname, username, password, hash } = new URL(text);
  const address = hostname.replace(/^\[|\]$/g, '');
  const isLocal = hostname === 'localhost' || isLoopbackAddress(address);
  if (protocol !== 'https:' && !(protocol === 'http:' && allowLoopback && isLocal)) return 'must be an https URL';
  if (username !== '' || password !== '') return 'must not carry credentials';
  if (hash !== '' || text.includes('#')) return 'must not have a fragment';
  if (isIP(address) !== 0 && !allowed(address, allowLoopback)) return 'must be a public address';
  return null;
}

type MayCall = (host: string, address: string) => boolean;

/** Resolves names to the addresses that may be called; the connection then goes to one of exactly these. */
function guardedLookup(resolve: typeof systemLookup, mayCall: MayCall): LookupFunction {
  return (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return done(error, '', 0);
      const usable = found.filter(({ address }) => mayCall(hostname, address));
      const [first] = usable;
      if (first === undefined) return done(new OutboundRefused(`${hostname} is no public address`), '', 0);
      if (options.all) return done(null, usable);
      return done(null, first.address, first.family);
    });
  };
}

/** Statuses that name another address for the same request. Nothing here follows one by itself. */
export const redirects = [301, 302, 307, 308];

/** Requests that users cause. */
export interface Outbound {
  /** Undici's `request`; the body must be read or dumped. */
  request(url: string, options?: OutboundOptions): Promise<Dispatcher.ResponseData>;
  /** Breaks off what is under way and refuses more. */
  close(): Promise<void>;
}

type OutboundOptions = Pick<Dispatcher.RequestOptions, 'body' | 'headers' | 'signal'> & {
  method?: Dispatcher.HttpMethod;
};

/**
 * Sends requests that users cause. The address is checked when the connection is made. So neither an address nor a name
 * can reach the operator's networks, whatever the name resolves to. Redirects are never followed.
 */
export function openOutbound(settings: OutboundSettings): Outbound {
  let isClosed = false;
  // A server that calls nobody does without these hundred modules.
  const opened = whenNeeded(async () => {
    const undici = await import('undici');
    return { request: undici.request, dispatcher: guardedAgent(undici, settings) };
  });
  return {
    async request(url, options) {
      const { request, dispatcher } = await opened();
      if (isClosed) throw new Error('No more requests are sent: the server stops.');
      return request(url, { ...options, dispatcher });
    },
    async close() {
      isClosed = true;
      const open = await opened.ifOpened();
      await open?.dispatcher.destroy();
    },
  };
}

function guardedAgent({ Agent, buildConnector }: typeof import('undici'), settings: OutboundSettings): Agent {
  const {
    allowLoopback,
    trustedHosts = [],
    connectTimeoutMs = 10_000,
    idleTimeoutMs = 30_000,
    maxReplyBytes,
  } = settings;
  const mayCall: MayCall = (host, address) => trustedHosts.includes(host) || allowed(address, allowLoopback);
  const connect = buildConnector({
    timeout: connectTimeoutMs,
    lookup: guardedLookup(settings.lookup ?? systemLookup, mayCall),
  });
  return new Agent({
    headersTimeout: idleTimeoutMs,
    bodyTimeout: idleTimeoutMs,
    maxResponseSize: maxReplyBytes,
    connect(options, done) {
      const host = options.hostname.replace(/^\[|\]$/g, '');
      // A literal is never looked up.
      if (isIP(host) !== 0 && !mayCall(host, host)) {
        done(new OutboundRefused(`${host} is no public address`), null);
        return;
      }
      connect(options, (error, socket) => {
        if (error) return done(error, null);
        // The address that the connection has really reached.
        if (!mayCall(host, socket.remoteAddress ?? '')) {
          socket.destroy();
          return done(new OutboundRefused('the connection went to an address that is not public'), null);
        }
        return done(null, socket);
      });
    },
  });
}
