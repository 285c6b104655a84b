import type { IncomingHttpHeaders } from 'node:http';
import type { Operation } from '@agora-market/contract';
import type { Secrets } from '@agora-market/mcp';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type Authenticate,
  createCredentialGate,
  isUsedUp,
  limitsFor,
  publicCounter,
  toApiError,
} from '../platform/http/index.ts';
import { ensure } from '../platform/index.ts';
import { refuseForeignPages } from './origin.ts';

/** What lets programs in. */
export type GateDeps = Parameters<typeof publicCounter>[0] & { authenticate: Authenticate };

/** Counts each request of a program for its address, and refuses wrong secrets and the pages of strangers. */
export function programGate(deps: GateDeps, area: 'mcp' | 'a2a') {
  const count = publicCounter(deps, 1, area);
  const countPublic = publicCounter(deps);
  const limits = limitsFor(deps.config);
  const caller = { kind: 'anonymous' } as const;
  const passGate = createCredentialGate(() => undefined);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    await passGate(allSecrets(request), {
      isUsedUp: () => isUsedUp(deps.limitStore, limits, { operation: { area: 'general' }, caller, ip: request.ip }),
      lookUp: () => refuseWrongSecrets(deps.authenticate, request),
      count: (isGood) => (isGood ? count : countPublic)(request, reply),
    });
    refuseForeignPages(deps.config, request);
  };
}

const bearerIn = ({ authorization = '' }: IncomingHttpHeaders) => /^Bearer +(\S+) *$/i.exec(authorization)?.[1];

/** Most clients can set no header but Authorization, so it also takes an agent's key or a trust key. */
export async function secretsIn(headers: IncomingHttpHeaders): Promise<Secrets> {
  const { secretOf } = await import('@agora-market/mcp');
  const bearer = bearerIn(headers);
  const agentKey = headers['x-api-key'];
  const trustKey = headers['x-trust-api-key'];
  return {
    ...(bearer !== undefined && secretOf(bearer)),
    ...(typeof agentKey === 'string' && { agentKey }),
    ...(typeof trustKey === 'string' && { trustKey }),
  };
}

/** What the gate remembers as good: all secrets of a request together. */
function allSecrets({ headers, ip }: FastifyRequest): { headers: IncomingHttpHeaders; ip: string } {
  const given = [headers.authorization, headers['x-api-key'], headers['x-trust-api-key']];
  return { headers: given.every((each) => each === undefined) ? {} : { authorization: JSON.stringify(given) }, ip };
}

/**
 * A client with a secret of nobody's would be shown the tools of somebody, and learn at each call that none of them works.
 * Who is known but may do nothing hears so from the tools.
 */
async function refuseWrongSecrets(authenticate: Authenticate, request: FastifyRequest): Promise<void> {
  const { headers, method, protocol, host } = request;
  ensure(headers.authorization === undefined || bearerIn(headers) !== undefined, 'INVALID_SESSION');
  const { ownerToken, agentKey, trustKey } = await secretsIn(headers);
  const ask = (auth: Operation['auth'], sent: IncomingHttpHeaders) =>
    authenticate({ headers: sent, method, protocol, host }, { auth, id: 'mcp', path: '/mcp' });
  const answers = await Promise.allSettled([
    ownerToken !== undefined && ask('owner', { authorization: `Bearer ${ownerToken}` }),
    agentKey !== undefined && ask('agent', { 'x-api-key': agentKey }),
    trustKey !== undefined && ask('trust', { 'x-trust-api-key': trustKey }),
  ]);
  for (const answer of answers) {
    if (answer.status === 'rejected' && toApiError(answer.reason).status !== 403) throw answer.reason;
  }
}
