import type { ForgeKind } from '@agora-market/contract';
import { type Config, type Encryption, encryption, invalidField, type Pool } from '../platform/index.ts';
import { urlProblem } from '../platform/outbound/index.ts';
import { repositoryAt } from '../tasks/index.ts';
import type { Access, Place } from './forge.ts';
import type { App } from './github/app.ts';
import { type ConnectionRow, findConnection, findConnections } from './sql.ts';

/** The ways of owners to forges. Their tokens are encrypted in the database. */
export interface Accesses {
  encrypt(ownerId: string, place: Place, token: string): Buffer;
  /** Null without a connection, or if another AGORA_ENCRYPTION_KEY encrypted its token. */
  of(ownerId: string, place: Place): Promise<Access | null>;
  /** The forge that has the repository of this URL; null where none of the connected ones has it. */
  at(ownerId: string, url: string): Promise<{ access: Access; repository: string } | null>;
  /** The token with which an owner's clone of this URL is made; null where the owner is connected to no such forge. */
  forClone(ownerId: string, url: string): Promise<string | null>;
}

type Settings = Pick<Config, 'AGORA_ENCRYPTION_KEY' | 'AGORA_DATA_DIR' | 'GITHUB_BASE_URL'>;

/** Each connection's own key, so that a token copied into another's row opens nothing. */
export const keyOf = (safe: Encryption, ownerId: string, { forge, baseUrl }: Place): Buffer =>
  safe.digest(`${forge} token`, ownerId, ...(baseUrl === '' ? [] : [baseUrl]));

/** Groups of GitLab stand in one another. */
const mostParts: Record<ForgeKind, number> = { github: 2, gitea: 2, gitlab: 22 };

export const rootOf = ({ forge, baseUrl }: Place, { GITHUB_BASE_URL }: Pick<Config, 'GITHUB_BASE_URL'>): string =>
  forge === 'github' ? GITHUB_BASE_URL : baseUrl;

export function createAccesses(pool: Pool, config: Settings, app: App | null): Accesses {
  const safe = encryption(config);
  async function accessOf(found: ConnectionRow): Promise<Access | null> {
    const { ownerId, forge } = found;
    const root = rootOf(found, config);
    if (found.installationId !== null) {
      const way = await app?.wayOf(found.installationId);
      return way ? { forge, root, ...way, installation: found.installationId } : null;
    }
    const token = found.token && safe.decrypt(keyOf(safe, ownerId, found), found.token);
    return token === null ? null : { forge, root, token, login: found.login, installation: null };
  }
  async function above(ownerId: string, url: string): Promise<Access | null> {
    const all = await findConnections(pool, ownerId);
    // A forge may stand below another one.
    const [found] = all
      .filter((each) => isBelow(url, rootOf(each, config)))
      .toSorted((one, other) => rootOf(other, config).length - rootOf(one, config).length);
    return found === undefined ? null : accessOf(found);
  }
  return {
    encrypt: (ownerId, place, token) => safe.encrypt(keyOf(safe, ownerId, place), token),
    async of(ownerId, place) {
      const found = await findConnection(pool, ownerId, place);
      return found && accessOf(found);
    },
    async at(ownerId, url) {
      const access = await above(ownerId, url);
      const repository = access && repositoryAt(url, access.root, mostParts[access.forge]);
      return access && repository ? { access, repository } : null;
    },
    forClone: async (ownerId, url) => (await above(ownerId, url))?.token ?? null,
  };
}

function isBelow(url: string, base: string): boolean {
  const [{ origin, pathname }, root] = [new URL(url), new URL(base)];
  return origin === root.origin && (root.pathname === '/' || pathname.startsWith(`${root.pathname}/`));
}

const gitlabCom = 'https://gitlab.com';

/** The forge that a request names. Its address is one that users may make the server call. */
export function placeOf(
  { forge, baseUrl }: { forge: ForgeKind; baseUrl?: string | undefined },
  config: Pick<Config, 'OUTBOUND_ALLOW_LOOPBACK'>,
): Place {
  if (forge === 'github') return { forge, baseUrl: '' };
  const given = baseUrl ?? gitlabCom;
  const problem = urlProblem(given, { allowLoopback: config.OUTBOUND_ALLOW_LOOPBACK });
  if (problem !== null) throw invalidField('baseUrl', problem);
  const { origin, pathname, search } = new URL(given);
  if (search !== '') throw invalidField('baseUrl', 'takes no query');
  return { forge, baseUrl: `${origin}${pathname.replace(/\/+$/, '')}` };
}
