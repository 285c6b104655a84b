import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMCPClient } from '@ai-sdk/mcp';
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { getAllMcpTools, MCPServerStreamableHttp } from '@openai/agents';
import { Client as Client110 } from 'mcp-sdk-1.10/client/index.js';
import { StreamableHTTPClientTransport as Transport110 } from 'mcp-sdk-1.10/client/streamableHttp.js';
import { MCPClient } from 'mcp-use/client';
import { createRuntime } from 'mcporter';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestServer, type TestOwner, type TestServer } from '../packages/server/test/support/harness.ts';
import { run } from './packed/place.ts';

// Clients of other makers, each with a call that succeeds and one that is refused. What a model reads is what counts.

// One of them would tell its maker of its use.
vi.hoisted(() => {
  process.env.MCP_USE_ANONYMIZED_TELEMETRY = 'false';
});

let server: TestServer;
let owner: TestOwner;
let home: string;

beforeAll(async () => {
  server = await startTestServer();
  owner = await server.owner();
  home = await mkdtemp(join(tmpdir(), 'agora-clients-'));
});
afterAll(async () => {
  const name = (told: string) => told.padEnd(34);
  console.info([`${name('client')}  success   refusal`, ...table.map((row) => row.join('  '))].join('\n'));
  await server?.close();
  await rm(home, { recursive: true, force: true });
});

const table: string[][] = [];

/** Calls a tool, and gives all that the client hands on, as text. A client may throw what is refused. */
type Call = (tool: string, args: Record<string, unknown>) => Promise<unknown>;

interface Maker {
  name: string;
  connect(url: URL, headers: Record<string, string>): Promise<{ call: Call; close(): Promise<unknown> }>;
}

const { resolve } = createRequire(import.meta.url);
const inspector = join(resolve('@modelcontextprotocol/inspector/package.json'), '../clients/launcher/build/index.js');

const makers: Maker[] = [
  {
    name: 'TypeScript SDK 1.10',
    async connect(url, headers) {
      const client = new Client110({ name: 'test', version: '1' });
      await client.connect(new Transport110(url, { requestInit: { headers } }));
      return { call: (name, args) => client.callTool({ name, arguments: args }), close: () => client.close() };
    },
  },
  {
    name: 'TypeScript SDK 1.32',
    async connect(url, headers) {
      const client = new Client1({ name: 'test', version: '1' });
      await client.connect(new Transport1(url, { requestInit: { headers } }));
      await client.listTools();
      return { call: (name, args) => client.callTool({ name, arguments: args }), close: () => client.close() };
    },
  },
  {
    name: 'TypeScript SDK 2.4',
    async connect(url, headers) {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
      await client.listTools();
      return { call: (name, args) => client.callTool({ name, arguments: args }), close: () => client.close() };
    },
  },
  {
    name: 'LangChain MCP adapters',
    async connect(url, headers) {
      const client = new MultiServerMCPClient({ agora: { transport: 'http', url: url.href, headers } });
      const tools = await client.getTools();
      const call: Call = async (name, args) => tools.find((tool) => tool.name === name)?.invoke(args);
      return { call, close: () => client.close() };
    },
  },
  {
    name: 'mcp-use',
    async connect(url, headers) {
      const client = new MCPClient({ mcpServers: { agora: { url: url.href, headers } } });
      const session = await client.createSession('agora');
      return { call: (name, args) => session.callTool(name, args), close: () => client.closeAllSessions() };
    },
  },
  {
    name: 'mcporter',
    async connect(url, headers) {
      const runtime = await createRuntime({
        servers: [{ name: 'agora', command: { kind: 'http', url, headers }, source: { kind: 'local', path: home } }],
      });
      return { call: (name, args) => runtime.callTool('agora', name, { args }), close: () => runtime.close() };
    },
  },
  {
    name: 'AI SDK',
    async connect(url, headers) {
      const client = await createMCPClient({ transport: { type: 'http', url: url.href, headers } });
      const tools = await client.tools();
      const call: Call = async (name, args) => tools[name]?.execute(args, { toolCallId: '1', messages: [] } as never);
      return { call, close: () => client.close() };
    },
  },
  {
    name: 'OpenAI Agents',
    async connect(url, headers) {
      const client = new MCPServerStreamableHttp({ url: url.href, requestInit: { headers } });
      await client.connect();
      await client.listTools();
      return { call: (name, args) => client.callTool(name, args), close: () => client.close() };
    },
  },
  {
    name: 'Inspector',
    async connect(url, headers) {
      const config = join(home, 'inspector.json');
      const servers = { agora: { type: 'streamable-http', url: url.href, headers } };
      await writeFile(config, JSON.stringify({ mcpServers: servers }));
      const call: Call = async (name, args) => {
        const given = Object.entries(args).flatMap(([key, value]) => ['--tool-arg', `${key}=${value}`]);
        const asked = ['--cli', '--config', config, '--server', 'agora', '--method', 'tools/call', '--tool-name', name];
        return (await run(process.execPath, [inspector, ...asked, ...given])).stdout;
      };
      return { call, close: async () => undefined };
    },
  },
];

/** All that a client hands on, whether it gives a result or throws. */
async function handedOn(work: Promise<unknown>): Promise<string> {
  const told = await work.catch((error) => [String(error), error?.stdout, error?.stderr]);
  return typeof told === 'string' ? told : JSON.stringify(told);
}

test.each(makers)('$name shows what succeeds, and why something is refused', async ({ name, connect }) => {
  const row = [name.padEnd(34), '-', '-'];
  table.push(row);
  const url = new URL('/mcp', server.url);
  const { call, close } = await connect(url, { authorization: `Bearer ${owner.token}` });
  try {
    expect(await handedOn(call('get_balance', {}))).toContain('can be spent');
    row[1] = 'works   ';
    const missing = { taskId: 'tsk_00000000000000000000000000' };
    const refusal = await handedOn(call('get_task', missing));
    for (const part of ['TASK_NOT_FOUND', 'Correlation id']) expect(refusal).toContain(part);
    row[2] = 'works';
  } finally {
    await close();
  }
});

test('OpenAI Agents converts the schema of every tool to a strict one', async () => {
  const seller = await owner.agent();
  const headers = { authorization: `Bearer ${owner.token}`, 'x-api-key': seller.key };
  const client = new MCPServerStreamableHttp({ url: new URL('/mcp', server.url).href, requestInit: { headers } });
  await client.connect();
  try {
    const tools = await getAllMcpTools({ mcpServers: [client], convertSchemasToStrict: true });
    expect(tools).toHaveLength(31);
    expect(tools.filter((tool) => !('strict' in tool && tool.strict)).map(({ name }) => name)).toEqual([]);
  } finally {
    await client.close();
  }
});
