import type { FastifyRequest } from 'fastify';
import type { Clock, Logger } from '../platform/index.ts';
import type { GateDeps } from '../programs/index.ts';

export type A2aDeps = GateDeps & { log: Logger; clock: Clock };

/** What a request is for: the platform or one agent, and what of it. */
export interface Place {
  agentId: string | null;
  /** Below the address; empty for JSON-RPC. */
  path: string;
}

/** Below an address, where clients look for the card of an agent. */
export const cardPath = '.well-known/agent-card.json';

export function placeOf({ params }: FastifyRequest): Place {
  const { '*': below = '' } = params as { '*'?: string };
  const [, agentId, rest] = /^agents\/([^/]+)\/?(.*)$/.exec(below) ?? [];
  return agentId === undefined ? { agentId: null, path: below } : { agentId, path: rest ?? '' };
}
