import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AgentCard, type Artifact, formatSSEEvent, type Part, Role, SSE_HEADERS, TaskState } from '@a2a-js/sdk';
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  type RequestContext,
  ServerCallContext,
} from '@a2a-js/sdk/server';

/** What an agent of the tests does with a message. */
export interface Turn {
  /** The parts of the message. */
  parts: Part[];
  status(state: TaskState, text?: string): void;
  artifact(name: string, parts: Part[], append?: boolean): void;
  /** Resolves when the task is cancelled. */
  cancelled: Promise<void>;
}

export const part = (content: Part['content'], filename = ''): Part => ({
  content,
  filename,
  mediaType: '',
  metadata: undefined,
});
export const text = (value: string): Part => part({ $case: 'text', value });

/** A real A2A 1.0 server of the library's server side, over JSON-RPC. */
export async function startA2aServer(act: (turn: Turn) => Promise<void>, { streaming = true } = {}) {
  const seen: { authorization: string | undefined; method: string }[] = [];
  const cancels = new Map<string, () => void>();
  const executor: AgentExecutor = {
    async execute(context, bus) {
      const cancelled = new Promise<void>((resolve) => cancels.set(context.taskId, resolve));
      await act(turnOf(context, bus, cancelled));
      bus.finished();
    },
    async cancelTask(taskId, bus) {
      cancels.get(taskId)?.();
      bus.publish(
        AgentEvent.statusUpdate({
          taskId,
          contextId: '',
          status: statusOf(TaskState.TASK_STATE_CANCELED),
          metadata: undefined,
        }),
      );
      bus.finished();
    },
  };
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') return json(response, AgentCard.toJSON(card));
    let body = '';
    for await (const chunk of request) body += chunk;
    seen.push({ authorization: request.headers.authorization, method: JSON.parse(body).method });
    const answer = await rpc.handle(body, new ServerCallContext({ requestedVersion: '1.0' }));
    if (!(Symbol.asyncIterator in answer)) return json(response, answer);
    response.writeHead(200, SSE_HEADERS);
    for await (const event of answer) response.write(formatSSEEvent(event));
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const card = AgentCard.fromJSON({
    name: 'Poet',
    description: 'Writes lines',
    version: '1',
    supportedInterfaces: [{ url: `${url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: { streaming },
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/plain'],
    skills: [],
  });
  const rpc = new JsonRpcTransportHandler(new DefaultRequestHandler(card, new InMemoryTaskStore(), executor));
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url, seen, close };
}

const statusOf = (state: TaskState, message?: string) => ({
  state,
  timestamp: new Date().toISOString(),
  message:
    message === undefined
      ? undefined
      : {
          ...{
            messageId: crypto.randomUUID(),
            contextId: '',
            taskId: '',
            role: Role.ROLE_AGENT,
            parts: [text(message)],
          },
          ...{ metadata: undefined, extensions: [], referenceTaskIds: [] },
        },
});

function turnOf(
  { taskId, contextId, userMessage }: RequestContext,
  bus: ExecutionEventBus,
  cancelled: Promise<void>,
): Turn {
  const ids = { taskId, contextId };
  const status = statusOf(TaskState.TASK_STATE_SUBMITTED);
  bus.publish(
    AgentEvent.task({ id: taskId, contextId, status, artifacts: [], history: [userMessage], metadata: undefined }),
  );
  return {
    parts: userMessage.parts,
    cancelled,
    status: (state, said) =>
      bus.publish(AgentEvent.statusUpdate({ ...ids, status: statusOf(state, said), metadata: undefined })),
    artifact(name, parts, append = false) {
      const artifact: Artifact = {
        artifactId: name,
        name,
        description: '',
        parts,
        metadata: undefined,
        extensions: [],
      };
      bus.publish(AgentEvent.artifactUpdate({ ...ids, artifact, append, lastChunk: true, metadata: undefined }));
    },
  };
}

function json(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
