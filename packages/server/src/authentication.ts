import { createOperatorAuthentication, createOwnerAuthentication } from './auth/index.ts';
import type { Authenticate } from './platform/http/index.ts';
import {
  type Caller,
  type Config,
  ensure,
  requireSameOrigin,
  sessionCookie,
  type TrustCaller,
} from './platform/index.ts';
import { createAgentAuthentication } from './registry/index.ts';

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

/** Which credential an operation takes, and whose it is. */
export function authentication(
  deps: Parameters<typeof createOwnerAuthentication>[0] & { config: Config; trustOf: TrustOf },
): Authenticate {
  const ownerOf = createOwnerAuthentication(deps);
  const agentOf = createAgentAuthentication(deps);
  const operatorOf = createOperatorAuthentication(deps.config);
  const cookie = sessionCookie(deps.config);
  return async (request, { auth }): Promise<Caller> => {
    const key = request.headers['x-api-key'];
    const bearer = request.headers.authorization;
    if (auth === 'public') return { kind: 'anonymous' };
    const takesEither = auth === 'party' || auth === 'anyone';
    const takesAgent = auth === 'agent' || takesEither;
    const takesOwner = auth === 'owner' || takesEither;
    if (takesAgent && typeof key === 'string') return agentOf(key);
    if (takesOwner && bearer !== undefined) return ownerOf(bearer);
    const session = takesOwner ? cookie.read(request.headers) : undefined;
    if (session !== undefined) {
      if (!safeMethods.includes(request.method)) requireSameOrigin(deps.config, request);
      return ownerOf(`Bearer ${session}`);
    }
    const trustKey = request.headers['x-trust-api-key'];
    if (auth === 'trust' && typeof trustKey === 'string') return deps.trustOf(trustKey);
    if (auth === 'operator' && bearer !== undefined) return operatorOf(bearer);
    if (auth === 'anyone') return { kind: 'anonymous' };
    ensure(false, 'MISSING_CREDENTIALS', `Send ${wantedCredential[auth]} for this operation.`);
  };
}
