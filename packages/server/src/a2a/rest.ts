import { fromJsonRpcErrorResponse, restStatusFor, toRestErrorBody } from '@a2a-js/sdk/errors';

/** A call of an operation, as JSON-RPC has it. */
export interface RpcCall {
  method: string;
  params: object;
}

interface RestRequest {
  method: string;
  path: string;
  query: Record<string, unknown>;
  body: unknown;
}

type Row = [
  verbs: string,
  path: RegExp,
  operation: string,
  params?: (request: RestRequest, id: string, configId: string) => object,
];

const bodyOf = ({ body }: RestRequest): object => (typeof body === 'object' && body !== null ? body : {});

const pushes = /^tasks\/([^/:]+)\/pushNotificationConfigs$/;
const push = /^tasks\/([^/:]+)\/pushNotificationConfigs\/([^/]+)$/;

/** HTTP+JSON says the same as JSON-RPC: a path stands for the method, and the reply is the result. */
const rows: Row[] = [
  ['POST', /^message:send$/, 'SendMessage', bodyOf],
  ['POST', /^message:stream$/, 'SendStreamingMessage', bodyOf],
  ['GET', /^tasks$/, 'ListTasks', ({ query }) => ({ ...query, includeArtifacts: query.includeArtifacts === 'true' })],
  ['GET', /^tasks\/([^/:]+)$/, 'GetTask', ({ query }, id) => ({ ...query, id })],
  ['POST', /^tasks\/([^/:]+):cancel$/, 'CancelTask', (_, id) => ({ id })],
  ['GET POST', /^tasks\/([^/:]+):subscribe$/, 'SubscribeToTask', (_, id) => ({ id })],
  ['GET', /^extendedAgentCard$/, 'GetExtendedAgentCard'],
  ['POST', pushes, 'CreateTaskPushNotificationConfig', (request, taskId) => ({ ...bodyOf(request), taskId })],
  ['GET', pushes, 'ListTaskPushNotificationConfigs', (_, taskId) => ({ taskId })],
  ['GET', push, 'GetTaskPushNotificationConfig', (_, taskId, id) => ({ taskId, id })],
  ['DELETE', push, 'DeleteTaskPushNotificationConfig', (_, taskId, id) => ({ taskId, id })],
];

/** What a request by HTTP+JSON calls; null if nothing is at its path. */
export function rpcCallOf(request: RestRequest): RpcCall | null {
  for (const [verbs, pattern, method, params = () => ({})] of rows) {
    const match = verbs.split(' ').includes(request.method) ? pattern.exec(request.path) : null;
    if (match !== null) return { method, params: params(request, match[1] ?? '', match[2] ?? '') };
  }
  return null;
}

export interface RpcError {
  code: number;
  message: string;
  data?: unknown;
}

/** Errors that are none of the standard's own: their status is what the API gave. */
const plain: readonly string[] = ['INVALID_PARAMS', 'INTERNAL_ERROR'];

/** An error of JSON-RPC by HTTP: its status, and a google.rpc.Status. */
export function restErrorOf(error: RpcError): { status: number; body: object } {
  const response = { jsonrpc: '2.0', id: null, error } as Parameters<typeof fromJsonRpcErrorResponse>[0];
  const known = fromJsonRpcErrorResponse(response);
  const details = (error.data ?? []) as { metadata?: { status?: string } }[];
  const given = plain.includes(known.reason) ? Number(details[0]?.metadata?.status ?? 0) : 0;
  const status = given >= 400 ? given : restStatusFor(known);
  const { error: body } = toRestErrorBody(known, status);
  return { status, body: { error: { ...body, details } } };
}
