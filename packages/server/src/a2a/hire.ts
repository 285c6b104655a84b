import { hash } from 'node:crypto';
import { type Message, type Part, Role, type SendMessageRequest } from '@a2a-js/sdk';
import { ContentTypeNotSupportedError, RequestMalformedError } from '@a2a-js/sdk/errors';
import type { Body } from '@agora-market/sdk';

export type Submission = Body<'tasks.submit'>;
/** A submission whose budget may be missing. */
export type Wish = Omit<Submission, 'maxBudget'> & Partial<Pick<Submission, 'maxBudget'>>;
export type Attachment = NonNullable<Body<'tasks.postMessage'>['attachments']>[number];

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The message of a request, if it can be one of a client's. */
export function messageIn({ message }: SendMessageRequest): Message {
  if (message === undefined) throw new RequestMalformedError('Send a message.');
  if (message.messageId === '') {
    throw new RequestMalformedError('message.messageId must be set: sent again, a message counts once.');
  }
  if (message.role !== Role.ROLE_USER) throw new RequestMalformedError('message.role must be ROLE_USER.');
  return message;
}

/** A message that is sent again counts once: its id is the key, among those about the same task. */
export const keyOf = ({ messageId }: Message, taskId = ''): string =>
  `a2a-${hash('sha256', `${taskId} ${messageId}`, 'hex')}`;

/** What the client wants done, and by whom. All that `metadata.agora` says is a field of a submission. */
export function wishIn({ message, metadata }: SendMessageRequest, agentId: string | null): Wish {
  const { parts = [] } = message ?? {};
  const given = metadata?.agora ?? message?.metadata?.agora ?? {};
  if (!isFields(given)) throw new RequestMalformedError('metadata.agora must be an object: { "maxBudget": 500 }');
  const { input = {}, ...fields } = given;
  if (!isFields(input)) throw new RequestMalformedError('metadata.agora.input must be an object.');
  if ((fields.attempts ?? 1) !== 1) {
    throw new RequestMalformedError('metadata.agora.attempts must be 1, for a message becomes one task.');
  }
  if (agentId !== null && (fields.agentId ?? agentId) !== agentId) {
    throw new RequestMalformedError('metadata.agora.agentId must be left out: the address names the agent.');
  }
  const named = agentId === null ? {} : { agentId };
  return { taskType: 'general', ...fields, ...named, input: { ...input, ...inputOf(parts, input) } } as Wish;
}

/** Text is the description, data is `data`, and files lie in the workspace by their names. */
function inputOf(parts: readonly Part[], input: Fields): Fields {
  const description = textOf(parts);
  const data = dataOf(parts);
  const files = filesOf(parts);
  return {
    ...(description !== '' && { description }),
    ...(data.length > 0 && { data: data.length > 1 ? data : data[0] }),
    ...(Object.keys(files).length > 0 && { files: { ...(isFields(input.files) && input.files), ...files } }),
  };
}

const textOf = (parts: readonly Part[]): string =>
  parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : [])).join('\n\n');

const dataOf = (parts: readonly Part[]): unknown[] =>
  parts.flatMap(({ content }) => (content?.$case === 'data' ? [content.value as unknown] : []));

function filesOf(parts: readonly Part[]): Fields {
  const files: Record<string, { content: string; encoding: 'base64' }> = Object.create(null);
  for (const { filename, content } of rawParts(parts)) {
    if (filename in files) throw new RequestMalformedError(`Two parts are named ${filename}. Name each file once.`);
    files[filename] = { content, encoding: 'base64' };
  }
  return files;
}

/** What the client says of a task that it has: data becomes text, and files are attached. */
export function sayingIn({ parts }: Message): { text: string; attachments?: Attachment[] } {
  const said = [textOf(parts), ...dataOf(parts).map((each) => JSON.stringify(each))];
  const attachments = rawParts(parts).map(({ filename, content, mediaType }) => ({
    ...{ name: filename, content, ...(mediaType !== '' && { contentType: mediaType }) },
  })) as Attachment[];
  const names = attachments.map(({ name }) => name).join(', ');
  const text = said.filter((each) => each !== '').join('\n\n') || names;
  if (text === '') throw new RequestMalformedError('message.parts must have a text, data or file.');
  return { text, ...(attachments.length > 0 && { attachments }) };
}

function rawParts(parts: readonly Part[]): { filename: string; content: string; mediaType: string }[] {
  return parts.flatMap(({ content, filename, mediaType }) => {
    if (content === undefined) throw new RequestMalformedError('A part must have text, data or raw.');
    if (content.$case === 'url') {
      throw new ContentTypeNotSupportedError(
        'A part with a url is not fetched. Send the file as raw, or name a Git repository in metadata.agora.input.repo.',
      );
    }
    if (content.$case !== 'raw') return [];
    if (filename === '') throw new RequestMalformedError('A part with raw must have a filename.');
    return [{ filename, content: content.value.toString('base64'), mediaType }];
  });
}
