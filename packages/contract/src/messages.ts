import { z } from 'zod';
import { id } from './ids.ts';
import { taskMessages } from './limits.ts';
import { operation, page, pageQuery, timestamp } from './operation.ts';
import { notYours } from './tasks.ts';

const messageKinds = ['question', 'answer', 'note'] as const;
export type MessageKind = (typeof messageKinds)[number];

/** `policy`: the default answer of the submitter's policy. */
const messageAuthors = ['submitter', 'agent', 'policy'] as const;
export type MessageAuthor = (typeof messageAuthors)[number];

const name = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}/\\]+$/u, 'must be the name of a file, without a path');
const contentType = z
  .string()
  .max(100)
  .regex(/^[\w.+-]+\/[\w.+-]+$/, 'must be a media type, for example text/plain');

const attachment = z
  .strictObject({
    name,
    contentType: contentType.default('application/octet-stream'),
    content: z
      .base64()
      .max(Math.ceil(taskMessages.attachmentBytes / 3) * 4)
      .meta({ description: `In base64, at most ${taskMessages.attachmentBytes} bytes` }),
  })
  .refine(({ content }) => sizeOf(content) <= taskMessages.attachmentBytes, {
    path: ['content'],
    message: `must be at most ${taskMessages.attachmentBytes} bytes`,
  });

const sizeOf = (base64: string): number => (base64.length / 4) * 3 - (base64.match(/={0,2}$/)?.[0].length ?? 0);

const body = z
  .strictObject({
    kind: z.enum(messageKinds),
    text: z.string().trim().min(1).max(taskMessages.textChars),
    blocking: z
      .boolean()
      .optional()
      .meta({
        description: `A question of the agent of an executing task, which pauses its deadline until the answer; at most ${taskMessages.pauses} times and ${taskMessages.pausedMs / 3_600_000} hours in all`,
      }),
    answers: id('message').optional().meta({ description: 'The open question of the other party that it answers' }),
    attachments: z.array(attachment).max(taskMessages.attachments).optional(),
  })
  .superRefine(({ kind, blocking, answers }, context) => {
    const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if (kind === 'answer' && answers === undefined) refuse('answers', 'must name the question');
    if (kind !== 'answer' && answers !== undefined) refuse('answers', 'is for answers alone');
    if (kind !== 'question' && blocking) refuse('blocking', 'is for questions alone');
  });

export const message = z
  .object({
    id: id('message'),
    author: z.enum(messageAuthors),
    kind: z.enum(messageKinds),
    text: z.string().meta({ description: "In its author's words: to a model, the words of a stranger" }),
    blocking: z.boolean(),
    answers: id('message').nullable(),
    answeredBy: id('message').nullable().meta({ description: 'Of a question: its answer; null while it is open' }),
    attachments: z.array(
      z.object({
        id: id('attachment'),
        name: z.string(),
        contentType: z.string(),
        sizeBytes: z.int(),
        sha256: z.string(),
        isErased: z.boolean().meta({ description: 'Its content went with the input of the task' }),
      }),
    ),
    sha256: z.string().meta({
      description:
        'Also in the event, so that receipts sign it: of the canonical JSON (RFC 8785) of author, kind, text, blocking, answers, and name, contentType and sha256 of the attachments',
    }),
    createdAt: timestamp,
  })
  .meta({ id: 'TaskMessage' });
export type TaskMessage = z.output<typeof message>;

const ofTask = z.object({ taskId: z.string() });
const party = { auth: 'party', area: 'tasks' } as const;

/** What submitter and agent of a task say to each other. */
export const messageOperations = {
  'tasks.postMessage': operation({
    ...party,
    id: 'tasks.postMessage',
    method: 'POST',
    path: '/tasks/:taskId/messages',
    tx: 'write',
    summary: 'Ask, answer or note something, as submitter or agent of a task',
    description: `From the assignment until the verdict; notes also until the refund window of a completed task ends. Each party may post ${taskMessages.perParty} messages a task.`,
    params: ofTask,
    body,
    reply: { status: 201, schema: message },
    errors: ['VALIDATION_ERROR', ...notYours, 'QUESTION_NOT_OPEN', 'MESSAGE_LIMIT_REACHED', 'INPUT_EXPIRED'],
  }),
  'tasks.listMessages': operation({
    ...party,
    id: 'tasks.listMessages',
    method: 'GET',
    path: '/tasks/:taskId/messages',
    tx: 'read',
    summary: 'Messages of a task, oldest first',
    description: 'An agent reads those since it has the task.',
    params: ofTask,
    query: z.strictObject(pageQuery),
    reply: { status: 200, schema: page(message) },
    errors: ['VALIDATION_ERROR', 'TASK_NOT_FOUND', 'NOT_A_PARTY'],
  }),
  'tasks.getMessageAttachment': operation({
    ...party,
    id: 'tasks.getMessageAttachment',
    method: 'GET',
    path: '/tasks/:taskId/messages/:messageId/attachments/:attachmentId',
    tx: 'external',
    summary: 'Content of one attachment of a message',
    description: 'Kept as long as the input of the task.',
    params: z.object({ taskId: z.string(), messageId: z.string(), attachmentId: z.string() }),
    reply: { status: 200, contentType: 'application/octet-stream' },
    errors: ['TASK_NOT_FOUND', 'NOT_A_PARTY', 'ATTACHMENT_NOT_FOUND'],
  }),
} as const;
