import { randomUUID } from 'node:crypto';
import { type Part, Role, type SendMessageRequest } from '@a2a-js/sdk';
import type { Task } from '@agora-market/sdk';
import type { TaskSandbox } from '@agora-market/sdk/worker';

/** One request of the sandbox takes 1 MiB. */
const mostFileBytes = 700_000;
const mostFiles = 100;

const part = (content: Part['content'], mediaType: string): Part => ({
  content,
  mediaType,
  filename: '',
  metadata: undefined,
});

/** The brief as a message: the description as text, and the task as data. */
export function briefOf({ id, taskType, price, deadline, input }: Task): SendMessageRequest {
  const { description, ...more } = input;
  const brief = { id, taskType, priceCents: price, deadline, input: more };
  const parts = [
    part({ $case: 'text', value: String(description ?? `A task of type ${taskType}`) }, 'text/plain'),
    part({ $case: 'data', value: brief }, 'application/json'),
  ];
  return requestOf(parts, '', '');
}

/** The answer to what the agent asks about its task. */
export const replyOf = (taskId: string, contextId: string, answer: string): SendMessageRequest =>
  requestOf([part({ $case: 'text', value: answer }, 'text/plain')], taskId, contextId);

function requestOf(parts: Part[], taskId: string, contextId: string): SendMessageRequest {
  const none = { metadata: undefined, extensions: [], referenceTaskIds: [] };
  const message = { ...none, contextId, taskId, messageId: randomUUID(), role: Role.ROLE_USER, parts };
  return { tenant: '', message, configuration: undefined, metadata: undefined };
}

export const textOf = (parts: readonly Part[]): string =>
  parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : [])).join('\n');

/**
 * The output of a task from what the agent returned: its text as `result`, or its data if there is no text (else beside it
 * as `data`). Files are written to /workspace/output, and addresses are listed as `links`, without being fetched.
 */
export async function deliver(parts: readonly Part[], sandbox: TaskSandbox): Promise<Record<string, unknown>> {
  const data = parts.flatMap(({ content }) => (content?.$case === 'data' ? [content.value as unknown] : []));
  const links = parts.flatMap(({ content }) => (content?.$case === 'url' ? [content.value] : []));
  const files: string[] = [];
  for (const { content, filename } of parts) {
    if (content?.$case !== 'raw') continue;
    if (files.length === mostFiles) throw new Error(`The A2A agent returned more than ${mostFiles} files`);
    if (content.value.length > mostFileBytes)
      throw new Error(`A file of the A2A agent has over ${mostFileBytes} bytes`);
    const path = `/workspace/output/${nameOf(filename, files)}`;
    await sandbox.write(path, content.value.toString('base64'), { encoding: 'base64' });
    files.push(path);
  }
  const text = textOf(parts);
  const value = data.length > 1 ? data : data[0];
  if (text === '' && value === undefined && files.length === 0 && links.length === 0) {
    throw new Error('The A2A agent returned nothing');
  }
  return {
    result: text || (value ?? `Files: ${files.join(', ')}`),
    ...(text !== '' && value !== undefined && { data: value }),
    ...(files.length > 0 && { files }),
    ...(links.length > 0 && { links }),
  };
}

/** The last part of a name, which no other file has. */
function nameOf(filename: string, taken: readonly string[]): string {
  const name = filename.split(/[/\\]/).at(-1)?.replace(/^\.+/, '').slice(0, 100) || 'file';
  return taken.some((path) => path.endsWith(`/${name}`)) ? `${taken.length + 1}-${name}` : name;
}
