import type { IncomingHttpHeaders } from 'node:http';
import type { Operation } from '@agora-market/contract';
import type { Secrets } from '@agora-market/mcp';
import type { FastifyRequest } from 'fastify';
import { type Authenticate, toApiError } from '../platform/http/index.ts';
import { ensure } from '../platform/index.ts';

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
export function allSecrets({ headers, ip }: FastifyRequest): { headers: IncomingHttpHeaders; ip: string } {
  const given = [headers.authorization, headers['x-api-key'], headers['x-trust-api-key']];
  return { headers: given.every((each) => each === undefined) ? {} : { authorization: JSON.stringify(given) }, ip };
}

/**
 * A client with a secret of nobody's would be shown the tools of somebody, and learn at each call that none of them works.
 * Who is known but may do nothing hears so from the tools.
 */
export async function refuseWrongSecrets(authenticate: Authenticate, request: FastifyRequest): Promise<void> {
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
