import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';

export interface Told {
  isError: boolean;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every tool
  data: any;
}

type Negotiation = ConstructorParameters<typeof Client>[1];

/** A real MCP client of the server at `/mcp`, with the given headers. `fetch` may send its requests elsewhere. */
export async function mcpClient(
  { url, fetch }: { url: string; fetch?: typeof globalThis.fetch },
  headers: Record<string, string> = {},
  options: Negotiation = { versionNegotiation: { mode: 'auto' } },
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, options);
  const transport = { requestInit: { headers }, ...(fetch && { fetch }) };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), transport));
  onTestFinished(() => client.close());
  return client;
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Calls a tool; the client itself checks structured content against the schema that the server lists. */
export async function call(client: Client, name: string, args: object = {}): Promise<Told> {
  const { isError = false, content, structuredContent } = await client.callTool({ name, arguments: { ...args } });
  const [first] = content;
  return { isError, text: first?.type === 'text' ? first.text : '', data: structuredContent };
}
