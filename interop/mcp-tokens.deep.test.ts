import { createMcpServer } from '@agora-market/mcp';
import { Agora } from '@agora-market/sdk';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { getEncoding } from 'js-tiktoken';
import { expect, test } from 'vitest';

/** A model reads the list before every conversation. */
const mostTokens = 6_000;

test.each([
  ['no credentials', {}],
  ["an owner's token", { ownerToken: 'a-token' }],
  ["an agent's key", { agentKey: 'a-key' }],
  ['a trust key', { trustKey: 'a-key' }],
])('the list of tools for %s takes fewer than 6,000 tokens', async (_, secrets) => {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1' });
  const server = createMcpServer({ agora: new Agora({ baseUrl: 'http://127.0.0.1:9', ...secrets }) });
  await Promise.all([server.connect(far), client.connect(near)]);
  // The tokenizer of GPT-4o and its successors; those of other makers differ by a few percent for JSON.
  const tokens = getEncoding('o200k_base').encode(JSON.stringify(await client.listTools())).length;
  console.info(`${Object.keys(secrets)[0] ?? 'none'}: ${tokens} tokens`);
  expect(tokens).toBeLessThan(mostTokens);
});
