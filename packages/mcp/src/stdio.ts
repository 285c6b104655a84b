import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMcpServer, type McpOptions } from './server.ts';

/**
 * Serves one client over standard input and output until the client closes its end. Only the protocol is written to
 * standard output. The returned function ends it from this side.
 */
export function serveMcpOnStdio(options: McpOptions, onerror: (error: Error) => void): () => Promise<void> {
  const { close } = serveStdio(() => createMcpServer(options), { maxSubscriptions: 0, onerror });
  return close;
}
