import type { FastifyRequest } from 'fastify';
import type { Clock, Logger } from '../platform/index.ts';
import type { GateDeps } from '../programs/index.ts';
import type { Pushes } from '../webhooks/index.ts';

export type A2aDeps = GateDeps & { log: Logger; clock: Clock; pushes: Pushes };

/** What a request is for: the platform or one agent, and what of it. */
export interface Place {
  agentId: string | null;
  /** Below the address; empty for JSON-RPC. */
  path: string;
}

/** The version of a client that names none, says the standard. */
export const legacyVersion = '0.3';

/** Below an address, where clients look for the card of an agent. */
export const cardPath = '.well-known/agent-card.json';

export function placeOf({ params }: FastifyRequest): Place {
  const { '*': below = '' } = params as { '*'?: string };
  const [, agentId, rest] = /^agents\/([^/]+)\/?(.*)$/.exec(below) ?? [];
  return agentId === undefined ? { agentId: null, path: below } : { agentId, path: rest ?? '' };
}
