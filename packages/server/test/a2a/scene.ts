import { randomUUID } from 'node:crypto';
import {
  type Message,
  type Part,
  Role,
  type SendMessageRequest,
  type StreamResponse,
  type Task,
  TaskState,
} from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { afterAll, beforeAll } from 'vitest';
import { expectSoundLedger } from '../api/scene.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../support/harness.ts';

/** One server for the whole test file, whose ledger adds up at its end. */
export function a2aServer(options: TestServerOptions = {}): TestServer {
  let started: TestServer | undefined;
  beforeAll(async () => {
    started = await startTestServer(options);
  });
  afterAll(async () => {
    try {
      await expectSoundLedger(started as TestServer);
    } finally {
      await started?.close();
    }
  });
  return new Proxy({} as TestServer, { get: (_, key) => Reflect.get(started as TestServer, key) });
}

export type Binding = 'JSONRPC' | 'HTTP+JSON' | '0.3';

/** The official client of what its card names, with a bearer. The card has the public address, which is not that of a test. */
export function a2aClient(
  server: TestServer,
  path: string,
  token: string,
  binding: Binding = 'JSONRPC',
): Promise<Client> {
  const isLegacy = binding === '0.3';
  const fetchImpl: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    const headers = new Headers(request.headers);
    headers.set('authorization', `Bearer ${token}`);
    // A client of 0.3 names no version where it asks for the card.
    if (isLegacy && request.method === 'GET') headers.delete('a2a-version');
    const reply = await fetch(new Request(new URL(pathname + search, server.url), new Request(request, { headers })));
    if (!isLegacy || request.method !== 'GET') return reply;
    // The official client would prefer 1.0, which one of 0.3 does not see.
    const { supportedInterfaces: _, ...card } = (await reply.json()) as { supportedInterfaces: unknown };
    return Response.json(card);
  };
  const legacyCompat = { enabled: isLegacy };
  const transports =
    binding === 'HTTP+JSON'
      ? [new RestTransportFactory({ fetchImpl })]
      : [new JsonRpcTransportFactory({ fetchImpl, legacyCompat })];
  const cardResolver = new DefaultAgentCardResolver({ fetchImpl, legacyCompat });
  const factory = new ClientFactory({ transports, cardResolver });
  return factory.createFromUrl(`${server.url}${path}/`, '.well-known/agent-card.json');
}

export const part = (content: Part['content'], filename = ''): Part => ({
  ...{ content, filename, mediaType: '', metadata: undefined },
});
export const text = (value: string): Part => part({ $case: 'text', value });

/** A message of a client, with what it says to Agora. */
export function send(
  parts: Part[] | string,
  agora?: Record<string, unknown>,
  message: Partial<Message> = {},
  returnImmediately = true,
): SendMessageRequest {
  const none = { contextId: '', taskId: '', metadata: undefined, extensions: [], referenceTaskIds: [] };
  return {
    tenant: '',
    message: {
      ...none,
      ...{ messageId: randomUUID(), role: Role.ROLE_USER, parts: typeof parts === 'string' ? [text(parts)] : parts },
      ...message,
    },
    configuration: {
      ...{ acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately },
    },
    metadata: agora && { agora },
  };
}

export const taskIn = (result: Message | Task): Task => {
  if ('messageId' in result) throw new Error('A message came where a task should');
  return result;
};

export const stateIn = ({ status }: Pick<Task, 'status'>): string => TaskState[status?.state ?? -1] as string;

export const wordsIn = (message: Message | undefined): string =>
  (message?.parts ?? []).flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : [])).join('\n');

/** What a stream says, a line for each event. */
export function lineOf({ payload }: StreamResponse): string {
  if (payload?.$case === 'task') return `task ${stateIn(payload.value)}`;
  if (payload?.$case === 'statusUpdate')
    return `status ${stateIn(payload.value)} ${wordsIn(payload.value.status?.message)}`.trim();
  if (payload?.$case === 'artifactUpdate') return `artifact ${payload.value.artifact?.artifactId}`;
  return String(payload?.$case);
}
