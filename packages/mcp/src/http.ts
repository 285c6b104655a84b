import { Agora, type AgoraOptions } from '@agora-market/sdk';
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { Secrets } from './credentials.ts';
import { createMcpServer, type McpOptions } from './server.ts';

/** What the service gives one exchange: a way to call itself, and what the client sent to do so. */
export interface Exchange extends Omit<McpOptions, 'agora'> {
  fetch: NonNullable<AgoraOptions['fetch']>;
  secrets: Secrets;
  onerror(error: Error): void;
}

/** The address of a service that is called without a socket; it only has to be one. */
const baseUrl = 'http://in-process';

/**
 * Serves one HTTP exchange of the protocol, of version 2026-07-28 or an older one. Nothing is kept between exchanges, so any
 * server of an installation can answer the next one. Nobody can subscribe, because lists never change while a client is
 * connected.
 */
export function mcpExchange({ fetch, secrets, onerror, ...options }: Exchange): McpHttpHandler {
  // No network can fail here, and a model that reached a limit is told so at once instead of waiting for a minute.
  const agora = new Agora({ baseUrl, fetch, maxRetries: 0, ...secrets });
  // Streamed, a reply begins at once and shows signs of life: a command may take longer than clients wait in silence.
  const settings = { maxSubscriptions: 0, responseMode: 'sse', onerror } as const;
  return createMcpHandler(() => createMcpServer({ agora, ...options }), settings);
}
