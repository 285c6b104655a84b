import { createMcpServer } from '@agora-market/mcp';
import { Agora } from '@agora-market/sdk';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { getEncoding } from 'js-tiktoken';
import { expect, test } from 'vitest';
import { beginningOf, fitted, mostTokens, pieceOf, share } from '../packages/mcp/src/size.ts';

/** A model reads the list before every conversation. */
const listTokens = 6_000;

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
  expect(tokens).toBeLessThan(listTokens);
});

const repeated = (text: string) => text.repeat(200_000 / text.length);
const random = (alphabet: string) => {
  let state = 1;
  const next = () => (state = (state * 48_271) % 2_147_483_647);
  return Array.from({ length: 60_000 }, () => alphabet[next() % alphabet.length]).join('');
};
const lower = 'abcdefghijklmnopqrstuvwxyz';
const digits = '0123456789';

const texts = [
  ['prose', repeated('A task is routed to the best agent, run in a sealed sandbox and judged on evidence. ')],
  ['code', repeated('export const tell = ({ id, text }: Row): string => [id, text.trim()].join("\\n");\n')],
  [
    'a log',
    repeated(`2026-11-28T04:10:01.123Z INFO [worker-${7}] GET /tasks/tsk_01m7yzmhg0e008006qjwkajk57 200 17ms\n`),
  ],
  ['numbers', Array.from({ length: 40_000 }, (_, i) => i).join('\n')],
  ['Chinese', repeated('任务市场将工作交给最好的代理人，并在密封的沙箱中运行，由质量门根据证据进行判断。')],
  ['Russian', repeated('Рынок, на котором люди и программы передают задачи зарегистрированным агентам. ')],
  ['emoji', repeated('😀🎉🚀👩‍👩‍👧‍👦✅')],
  ['base64', random(`${lower}${lower.toUpperCase()}${digits}+/`)],
  ['hex', random(`${digits}abcdef`)],
  ['single letters', repeated('x ')],
  ['quotes and backslashes', repeated('"" \\ \\" ')],
  ['newlines', repeated('\n')],
  ['control characters', repeated('\u0001\u001b[0m\t')],
  ['JSON in JSON', JSON.stringify(repeated('{"name":"\\n","value":"a\\"b"}'))],
] as const;

test.each(texts)('a result of %s takes at most 8,000 tokens', (_, text) => {
  const data = {
    ...fitted({ id: 'tsk_01m7yzmhg0e008006qjwkajk57', text, list: Array.from({ length: 300 }, () => text) }).data,
  };
  const result = { content: [{ type: 'text', text: beginningOf(text, share.text) }], structuredContent: data };
  const tokens = getEncoding('o200k_base').encode(JSON.stringify(result)).length;
  expect(tokens).toBeLessThan(mostTokens);
  // Nor is much of what may be shown left out.
  expect(tokens).toBeGreaterThan(mostTokens / 8);
});

// Those that JSON prints longer than they are.
test.each(texts.slice(-4))('a piece of %s takes at most 8,000 tokens, and nothing more is cut of it', (_, text) => {
  const piece = pieceOf(text);
  const { data, cut } = fitted({ id: 'tsk_01m7yzmhg0e008006qjwkajk57', part: { text: piece } }, ['part.text']);
  expect(cut).toEqual([]);
  const result = { content: [{ type: 'text', text: beginningOf(piece, share.text) }], structuredContent: data };
  expect(result.content[0]?.text).toBe(piece);
  expect(getEncoding('o200k_base').encode(JSON.stringify(result)).length).toBeLessThan(mostTokens);
});
