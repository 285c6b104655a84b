import type { Operation } from '@agora/contract';
import type { FastifyRequest } from 'fastify';
import { createOperatorAuthentication, createOwnerAuthentication } from './auth/index.ts';
import type { Authenticate } from './platform/http/index.ts';
import { type Caller, type Config, ensure } from './platform/index.ts';
import { createAgentAuthentication } from './registry/index.ts';

const wantedCredential = {
  agent: 'X-API-Key',
  owner: 'Authorization: Bearer',
  party: 'Authorization: Bearer or X-API-Key',
  operator: 'Authorization: Bearer with the token of AGORA_OPERATOR_TOKEN',
} as const;

/** Which credential an operation takes, and whose it is. */
export function authentication(
  deps: Parameters<typeof createOwnerAuthentication>[0] & { config: Config },
): Authenticate {
  const ownerOf = createOwnerAuthentication(deps);
  const agentOf = createAgentAuthentication(deps);
  const operatorOf = createOperatorAuthentication(deps.config);
  return async (request: FastifyRequest, { auth }: Operation): Promise<Caller> => {
    const key = request.headers['x-api-key'];
    const bearer = request.headers.authorization;
    if (auth === 'public') return { kind: 'anonymous' };
    const takesEither = auth === 'party' || auth === 'anyone';
    const takesAgent = auth === 'agent' || takesEither;
    const takesOwner = auth === 'owner' || takesEither;
    if (takesAgent && typeof key === 'string') return agentOf(key);
    if (takesOwner && bearer !== undefined) return ownerOf(bearer);
    if (auth === 'operator' && bearer !== undefined) return operatorOf(bearer);
    if (auth === 'anyone') return { kind: 'anonymous' };
    ensure(false, 'MISSING_CREDENTIALS', `Send ${wantedCredential[auth]} for this operation.`);
  };
}
