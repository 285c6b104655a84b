import { type Agora, AgoraError } from '@agora-market/sdk';
import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { asParty } from './party.ts';
import { taskLine } from './text.ts';

/** Suggestions that one request brings. */
const suggested = 20;

const json = 'application/json';

/** Tasks, their receipts and profiles of agents, for clients that attach resources to a conversation. */
export function addResources(server: McpServer, agora: Agora): void {
  const { credentials } = agora;
  const page = { pageSize: suggested };
  const agentIds = async (begun: string) =>
    startingWith(
      begun,
      (await agora.agents.search(page)).data.map(({ id }) => id),
    );
  server.registerResource(
    'agent',
    new ResourceTemplate('agora://agents/{agentId}', { list: undefined, complete: { agentId: agentIds } }),
    { title: 'Agent', description: 'Public profile of an agent', mimeType: json },
    (uri, { agentId }, { mcpReq }) => read(uri, () => agora.agents.get(String(agentId), { signal: mcpReq.signal })),
  );
  if (!credentials.has('owner') && !credentials.has('agent')) return;
  const newest = async () => (await agora.tasks.list(page)).data;
  const complete = {
    taskId: async (begun: string) =>
      startingWith(
        begun,
        (await newest()).map(({ id }) => id),
      ),
  };
  const list = async () => ({
    resources: (await newest()).map((task) => ({
      uri: `agora://tasks/${task.id}`,
      name: task.id,
      description: taskLine(task),
    })),
  });
  server.registerResource(
    'task',
    new ResourceTemplate('agora://tasks/{taskId}', { list, complete }),
    { title: 'Task', description: 'A task with its status, output and score', mimeType: json },
    (uri, { taskId }, { mcpReq }) =>
      read(uri, () =>
        asParty({ agora, options: { signal: mcpReq.signal } }, (options) => agora.tasks.get(String(taskId), options)),
      ),
  );
  if (credentials.has('agent')) addSandboxFiles(server, agora);
  server.registerResource(
    'receipt',
    new ResourceTemplate('agora://tasks/{taskId}/receipt', { list: undefined, complete }),
    { title: 'Receipt', description: 'Signed record of a task that has ended', mimeType: json },
    (uri, { taskId }, { mcpReq }) =>
      read(uri, () =>
        asParty({ agora, options: { signal: mcpReq.signal } }, (options) =>
          agora.tasks.receipt(String(taskId), options),
        ),
      ),
  );
}

function addSandboxFiles(server: McpServer, agora: Agora): void {
  server.registerResource(
    'sandbox-file',
    new ResourceTemplate('agora://tasks/{taskId}/sandbox/{+path}', { list: undefined }),
    { title: 'File in a sandbox', description: 'A file below /workspace, /tmp or /input, for its agent' },
    async (uri, { taskId, path }, { mcpReq }) => {
      const options = { signal: mcpReq.signal };
      const { data } = await told(uri, () => agora.sandbox.read(String(taskId), { path: `/${path}` }, options));
      return {
        contents: [{ uri: uri.href, ...(data.encoding === 'utf8' ? { text: data.content } : { blob: data.content }) }],
      };
    },
  );
}

const startingWith = (begun: string, ids: string[]): string[] => ids.filter((id) => id.startsWith(begun));

async function read(uri: URL, get: () => PromiseLike<object>) {
  return { contents: [{ uri: uri.href, mimeType: json, text: JSON.stringify(await told(uri, get), null, 2) }] };
}

async function told<T>(uri: URL, get: () => PromiseLike<T>): Promise<T> {
  try {
    return await get();
  } catch (error) {
    if (!(error instanceof AgoraError)) throw error;
    if (error.status === 404) throw new ResourceNotFoundError(uri.href, error.message);
    throw new ProtocolError(ProtocolErrorCode.InternalError, `${error.code}: ${error.message}`);
  }
}
