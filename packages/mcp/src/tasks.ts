import { toUuid } from '@agora-market/contract';
import { AgoraError } from '@agora-market/sdk';
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { Refusal } from './refusal.ts';
import { resultOf } from './result.ts';
import type { Tool, ToolContext } from './tool.ts';
import { tools } from './tools/index.ts';

// The Tasks extension of the protocol (SEP-2663). A task is named by its tool and the service's own ids, so nothing is kept
// here, and it lasts as long as what it stands for.

export const tasksExtension = 'io.modelcontextprotocol/tasks';

type Envelope = ServerContext['mcpReq']['envelope'];

/** Whether the client says with its request that it takes tasks. */
export function offersTasks(envelope: Envelope): boolean {
  const sent = envelope as { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined;
  return Object.hasOwn(sent?.[CLIENT_CAPABILITIES_META_KEY]?.extensions ?? {}, tasksExtension);
}

const pollIntervalMs = 5_000;

const nameOf = (tool: Tool, ids: readonly string[]): string => [tool.name, ...ids].join(':');

/** What is the same whenever it is asked for. */
function base(taskId: string, ids: readonly string[]) {
  const createdAt = createdAtOf(ids.at(-1) as string);
  return { taskId, createdAt, lastUpdatedAt: createdAt, ttlMs: null, pollIntervalMs };
}

/** Ids of the service begin with the time at which they were made (RFC 9562, UUIDv7). */
function createdAtOf(id: string): string {
  const uuid = toUuid(id.startsWith('tsk_') ? 'task' : 'process', id) as string;
  return new Date(Number.parseInt(uuid.replace('-', '').slice(0, 12), 16)).toISOString();
}

/** The task that stands for a call, or null if the call is answered itself. */
export async function taskFor(tool: Tool, args: object, context: ToolContext): Promise<CallToolResult | null> {
  const ids = (await tool.asTask?.begin(args as never, context)) ?? null;
  if (ids === null) return null;
  // Content, for the library wants to see that of every tool.
  return { resultType: 'task', ...base(nameOf(tool, ids), ids), status: 'working', content: [], structuredContent: {} };
}

const named = z.object({ taskId: z.string() });

/** Answers for tasks. Nothing asks the client for input, so an update changes nothing. */
export function addTasks({ server }: McpServer, contextOf: (context: ServerContext) => ToolContext): void {
  server.setRequestHandler('tasks/get', { params: named }, async ({ taskId }, request) => {
    const { asTask, ids } = found(taskId);
    const standing = await asked(() => asTask.look(ids, contextOf(request)));
    const told = base(taskId, ids);
    if ('state' in standing) return { ...told, status: 'working', statusMessage: standing.state };
    if (standing.ended === null) return { ...told, status: 'cancelled' };
    return { ...told, status: 'completed', result: { resultType: 'complete', ...resultOf(standing.ended) } };
  });
  server.setRequestHandler('tasks/update', { params: named }, async ({ taskId }) => {
    found(taskId);
    return {};
  });
  server.setRequestHandler('tasks/cancel', { params: named }, async ({ taskId }, request) => {
    const { asTask, ids } = found(taskId);
    await asked(() => asTask.cancel(ids, contextOf(request)));
    return {};
  });
}

function found(taskId: string) {
  const [name, ...ids] = taskId.split(':');
  const asTask = tools.find((tool) => tool.name === name)?.asTask;
  if (asTask === undefined || ids.length === 0) throw unknown(taskId);
  return { asTask, ids };
}

const unknown = (taskId: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no task ${taskId}.`);

async function asked<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AgoraError || error instanceof Refusal)) throw error;
    const isWrong = error instanceof Refusal || (error.status ?? 500) < 500;
    const code = isWrong ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
    throw new ProtocolError(code, `${error.code}: ${error.message}`);
  }
}
