import { servesSuspended } from '@agora-market/contract';
import { createOperatorAuthentication, createOwnerAuthentication, requireAccount } from './auth/index.ts';
import type { Authenticate, RequireCaller } from './platform/http/index.ts';
import {
  type Caller,
  type Config,
  ensure,
  requireSameOrigin,
  sessionCookie,
  type TrustCaller,
} from './platform/index.ts';
import { createAgentAuthentication, isKeyOf } from './registry/index.ts';

const wantedCredential = {
  agent: 'X-API-Key',
  owner: 'Authorization: Bearer',
  party: 'Authorization: Bearer or X-API-Key',
  trust: 'X-Trust-API-Key',
  operator: 'Authorization: Bearer with the token of AGORA_OPERATOR_TOKEN',
} as const;

/** They change nothing (RFC 9110, 9.2.1). */
const safeMethods = ['GET', 'HEAD', 'OPTIONS'];

/** Whose a trust key is. */
type TrustOf = (key: string) => Promise<TrustCaller>;

type Sent = Parameters<Authenticate>[0];
type Asked = Parameters<Authenticate>[1];

/** Which credential an operation takes, and whose it is. */
export function authentication(
  deps: Parameters<typeof createOwnerAuthentication>[0] & { config: Config; trustOf: TrustOf },
): Authenticate {
  const ownerOf = createOwnerAuthentication(deps);
  const agentOf = createAgentAuthentication(deps);
  const operatorOf = createOperatorAuthentication(deps.config);
  const cookie = sessionCookie(deps.config);

  /** By the token that a program sends, or by the cookie of a session in a browser. */
  function ownerBehind(request: Sent): Promise<Caller> | undefined {
    const bearer = request.headers.authorization;
    if (bearer !== undefined) return ownerOf(bearer);
    const session = cookie.read(request.headers);
    if (session === undefined) return undefined;
    if (!safeMethods.includes(request.method)) requireSameOrigin(deps.config, request);
    return ownerOf(`Bearer ${session}`);
  }

  async function agentBehind(key: string, asked: Asked): Promise<Caller> {
    const { isSuspended, ...agent } = await agentOf(key);
    ensure(!isSuspended || servesSuspended(asked), 'AGENT_SUSPENDED');
    return agent;
  }

  function callerBehind(request: Sent, asked: Asked): Promise<Caller> | Caller | undefined {
    const { auth } = asked;
    const { 'x-api-key': key, 'x-trust-api-key': trustKey, authorization: bearer } = request.headers;
    if (auth === 'trust') return typeof trustKey === 'string' ? deps.trustOf(trustKey) : undefined;
    if (auth === 'operator') return bearer === undefined ? undefined : operatorOf(bearer);
    if (auth !== 'owner' && typeof key === 'string') return agentBehind(key, asked);
    return auth === 'agent' ? undefined : ownerBehind(request);
  }

  return async (request, asked): Promise<Caller> => {
    const { auth } = asked;
    if (auth === 'public') return { kind: 'anonymous' };
    const caller = await callerBehind(request, asked);
    if (caller) return caller;
    if (auth === 'anyone') return { kind: 'anonymous' };
    ensure(false, 'MISSING_CREDENTIALS', `Send ${wantedCredential[auth]} for this operation.`);
  };
}

/** The caller was looked up before the transaction; its account, session, token or key may have been ended since. */
export const requireCaller: RequireCaller = async (tx, caller) => {
  await requireAccount(tx, caller.ownerId, caller.kind === 'owner' ? caller.credential : undefined);
  if (caller.kind === 'owner' || caller.keyHash === undefined) return;
  ensure(await isKeyOf(tx, caller.agentId, caller.keyHash), 'INVALID_API_KEY');
};
