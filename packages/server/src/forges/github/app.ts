import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { ApiError, type Clock, type Config, ensure, invalidField, minuteMs } from '../../platform/index.ts';
import { type ForgeApi, ForgeRefusal, nullWhereGone, pagesOf } from '../api.ts';
import type { Access, Delivery } from '../forge.ts';
import { hmacOf, isEqual } from '../signatures.ts';
import { lineTo } from './line.ts';

/**
 * The operator's GitHub App: with it owners need no tokens of their own, GitHub tells of all their repositories at one
 * address, and verdicts are check runs.
 */
export interface App {
  /** A token of an installation and the account that speaks with it; null where the installation is gone or suspended. */
  wayOf(installationId: number): Promise<Pick<Access, 'token' | 'login'> | null>;
  /**
   * The installation that somebody may connect, by a token of theirs: at an account of their own, or at an organization
   * that they administer. A token of an installation reads all of its repositories, so whoever sees one of them may not.
   */
  installationOf(token: string, wanted: number | undefined): Promise<{ id: number; login: string }>;
  /** The installation that has a repository; null where none has. A token of one reads every public repository. */
  installationWith(repository: string): Promise<number | null>;
  isSigned(delivery: Delivery): boolean;
}

/** GitHub takes a signature of the App for ten minutes at most. Its clock may be behind ours. */
const signedFor = { beforeSeconds: 60, seconds: 540 } as const;
/** A token is replaced so long before its end. */
const restMs = 5 * minuteMs;
const mostKept = 1_000;

const account = z.object({ id: z.int(), login: z.string().max(100), type: z.string() });
const installations = z.object({ installations: z.array(z.object({ id: z.int().min(1), account })) });
const granted = z.object({ token: z.string().regex(/^[\w.-]{1,2000}$/), expires_at: z.string() });

type Settings = Pick<
  Config,
  'GITHUB_API_BASE' | 'GITHUB_BASE_URL' | 'GITHUB_APP_ID' | 'GITHUB_APP_PRIVATE_KEY' | 'GITHUB_APP_WEBHOOK_SECRET'
>;

/** Null where the operator has set up none. */
export function createApp(api: ForgeApi, config: Settings, clock: Clock): App | null {
  const { GITHUB_APP_ID: appId, GITHUB_APP_PRIVATE_KEY: pem, GITHUB_APP_WEBHOOK_SECRET: secret } = config;
  if (appId === undefined || pem === undefined || secret === undefined) return null;
  const key = createPrivateKey(pem);
  const tokens = new LRUCache<number, { token: string; endsMs: number }>({ max: mostKept });
  let slug: string | null = null;
  const line = (token: string) => lineTo(config.GITHUB_API_BASE, token);
  const asApp = () => line(jwtOf(key, appId, clock.now()));

  async function slugOf(): Promise<string> {
    slug ??= (await api.ask(asApp(), '/app', z.object({ slug: z.string().regex(/^[\w-]{1,100}$/) }))).value.slug;
    return slug;
  }

  async function tokenOf(installationId: number): Promise<string> {
    const kept = tokens.get(installationId);
    if (kept !== undefined && clock.now().getTime() < kept.endsMs - restMs) return kept.token;
    const path = `/app/installations/${installationId}/access_tokens`;
    const { value } = await api.ask(asApp(), path, granted, { method: 'POST', body: {} });
    tokens.set(installationId, { token: value.token, endsMs: Date.parse(value.expires_at) });
    return value.token;
  }

  async function isAdministrator(token: string, { id, login, type }: z.output<typeof account>): Promise<boolean> {
    if (type !== 'Organization') {
      const { value } = await api.ask(line(token), '/user', z.object({ id: z.int() }));
      return value.id === id;
    }
    const membership = z.object({ role: z.string(), state: z.string() });
    const { value } = await api.ask(line(token), `/user/memberships/orgs/${encodeURIComponent(login)}`, membership);
    return value.role === 'admin' && value.state === 'active';
  }

  return {
    async wayOf(installationId) {
      try {
        return { token: await tokenOf(installationId), login: `${await slugOf()}[bot]` };
      } catch (error) {
        if (error instanceof ForgeRefusal && [403, 404].includes(error.answered) && !error.isPassing) return null;
        throw error;
      }
    },
    async installationOf(token, wanted) {
      const all = await pagesOf(async (page) => {
        const path = `/user/installations?per_page=100&page=${page}`;
        const { value, hasNext } = await api.ask(line(token), path, installations);
        return { value: value.installations, hasNext };
      });
      const found = wanted === undefined ? all : all.filter(({ id }) => id === wanted);
      const [first, second] = found;
      const place = `${config.GITHUB_BASE_URL}/apps/${await slugOf()}/installations/new`;
      ensure(first !== undefined, 'GITHUB_TOKEN_REFUSED', `Install the App first, at ${place}. Then begin again.`);
      if (second !== undefined) {
        const named = found.slice(0, 10).map(({ id, account: { login } }) => `${id} (${login})`);
        throw invalidField('installationId', `is needed where there are several: ${named.join(', ')}`);
      }
      const may = await isAdministrator(token, first.account).catch((error) => {
        if (error instanceof ForgeRefusal && [403, 404].includes(error.answered) && !error.isPassing) return false;
        throw error;
      });
      if (!may) throw new ApiError('GITHUB_TOKEN_REFUSED', 'Only who administers the account at GitHub connects it.');
      return { id: first.id, login: first.account.login };
    },
    async installationWith(repository) {
      const schema = z.object({ id: z.int().min(1) });
      return (await nullWhereGone(api.ask(asApp(), `/repos/${repository}/installation`, schema)))?.value.id ?? null;
    },
    isSigned: (delivery) => isEqual(`sha256=${hmacOf(secret, delivery)}`, delivery.headers['x-hub-signature-256']),
  };
}

/** What an App signs its requests with (RFC 7519, with RS256). */
function jwtOf(key: KeyObject, appId: string, now: Date): string {
  const seconds = Math.floor(now.getTime() / 1000);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iat: seconds - signedFor.beforeSeconds, exp: seconds + signedFor.seconds, iss: appId };
  const text = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}
