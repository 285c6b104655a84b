import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A message of a chat completion, as a client sends it. */
export interface ChatMessage {
  role: string;
  content: string | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
}

/** What the model says: text, or calls of tools with their arguments (a string is sent as it is, however broken). */
export type Saying = { text: string } | { calls: [name: string, args: object | string][] };

/** A reply: what the model says, a status with a message in its place, or a broken connection. */
export type Reply =
  | (Saying & { usage?: [input: number, output: number] | null })
  | { status: number; error: string }
  | 'hang up';

/** Sees the conversation so far and replies; `turn` counts from 0. */
export type Script = (
  messages: ChatMessage[],
  turn: number,
  request: Record<string, unknown>,
) => Reply | Promise<Reply>;

/** An OpenAI-compatible endpoint that plays a script, which sees what a model would see. */
export async function startScriptedModel() {
  const seen: { messages: ChatMessage[]; body: Record<string, unknown>; authorization: string | undefined }[] = [];
  let script: Script = () => ({ text: 'Hello' });
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text);
    seen.push({ messages: body.messages, body, authorization: request.headers.authorization });
    const reply = await script(body.messages, seen.length - 1, body);
    if (reply === 'hang up') return void response.destroy();
    if ('error' in reply) return send(response, reply.status, { error: { message: reply.error, type: 'error' } });
    send(response, 200, completion(String(body.model), reply, seen.length));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    seen,
    play(next: Script) {
      seen.length = 0;
      script = next;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function completion(model: string, reply: Saying & { usage?: [number, number] | null }, turn: number) {
  const calls = 'calls' in reply ? reply.calls : [];
  const toolCalls = calls.map(([name, args], at) => ({
    id: `call_${turn}_${at}`,
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  }));
  const message = 'text' in reply ? { content: reply.text } : { content: null, tool_calls: toolCalls };
  const [input, output] = reply.usage ?? [1000, 100];
  return {
    id: `chatcmpl-${turn}`,
    object: 'chat.completion',
    created: 1_790_000_000,
    model,
    choices: [
      { index: 0, finish_reason: 'text' in reply ? 'stop' : 'tool_calls', message: { role: 'assistant', ...message } },
    ],
    ...(reply.usage !== null && {
      usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
    }),
  };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
