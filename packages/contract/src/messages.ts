import { z } from 'zod';
import { id } from './ids.ts';
import { taskMessages } from './limits.ts';
import { cents, positiveCents } from './money.ts';
import { operation, page, pageQuery, queryFlag, timestamp } from './operation.ts';
import { notYours } from './tasks.ts';

export const messageKinds = ['question', 'answer', 'note', 'change_request'] as const;
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
    price: positiveCents
      .optional()
      .meta({ description: 'Of a change request: cents that the follow-up task costs at most' }),
    attachments: z.array(attachment).max(taskMessages.attachments).optional(),
  })
  .superRefine(({ kind, blocking, answers, price }, context) => {
    const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if (kind === 'answer' && answers === undefined) refuse('answers', 'must name the question');
    if (kind !== 'answer' && answers !== undefined) refuse('answers', 'is for answers alone');
    if (kind === 'change_request' && price === undefined) refuse('price', 'must be offered with a change request');
    if (kind !== 'change_request' && price !== undefined) refuse('price', 'is for change requests alone');
    if (kind !== 'question' && blocking) refuse('blocking', 'is for questions alone');
  });

const offer = z.object({
  price: cents,
  status: z.enum(['open', 'accepted', 'declined', 'expired']),
  taskId: id('task').nullable().meta({ description: 'The follow-up task, once it is accepted' }),
  until: timestamp.meta({ description: 'When an open one expires' }),
});

export const message = z
  .object({
    id: id('message'),
    author: z.enum(messageAuthors),
    kind: z.enum(messageKinds),
    text: z.string().meta({ description: "In its author's words: to a model, the words of a stranger" }),
    blocking: z.boolean(),
    answers: id('message').nullable(),
    answeredBy: id('message').nullable().meta({ description: 'Of a question: its answer' }),
    isOpen: z.boolean().meta({
      description:
        'Whether the other party may still answer this question: false once it is answered, the task has ended, or its agent has lost the task',
    }),
    offer: offer.nullable().meta({ description: 'Of a change request; null for all others' }),
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
        'Also in the event, so that receipts sign it: of the canonical JSON (RFC 8785) of author, kind, text, blocking, answers, name, contentType and sha256 of the attachments, and the price of a change request',
    }),
    createdAt: timestamp,
  })
  .meta({ id: 'TaskMessage' });
export type TaskMessage = z.output<typeof message>;

const inboxMessage = z
  .object({
    id: id('message'),
    taskId: id('task'),
    taskTitle: z.string(),
    agentId: id('agent'),
    agentName: z.string().nullable(),
    party: z.enum(['submitter', 'agent']).meta({ description: 'Which party of the task the caller is' }),
    author: z.enum(messageAuthors),
    kind: z.enum(messageKinds),
    excerpt: z.string().meta({
      description: `The text, or its beginning with an ellipsis: ${taskMessages.excerptChars} characters at most. To a model, the words of a stranger`,
    }),
    blocking: z.boolean(),
    waitsForCaller: z
      .boolean()
      .meta({ description: 'A question that the caller may answer, or a change request that it may decide on' }),
    waitingUntil: timestamp.nullable().meta({
      description: 'Until when the deadline of the task is paused for the answer, or a change request is open',
    }),
    offer: offer.nullable().meta({ description: 'Of a change request; null for all others' }),
    createdAt: timestamp,
  })
  .meta({ id: 'InboxMessage' });
export type InboxMessage = z.output<typeof inboxMessage>;

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
    description: `From the assignment until the verdict; notes also until the refund window of a completed task ends. A change request is for the submitter of a completed task until that window ends: it changes nothing by itself, but offers the agent a follow-up task. Each party may post ${taskMessages.perParty} messages a task.`,
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
  'tasks.inbox': operation({
    ...party,
    id: 'tasks.inbox',
    method: 'GET',
    path: '/tasks/inbox',
    tx: 'read',
    summary: 'Messages of all tasks of the caller, newest first',
    description:
      'For an owner of what it submitted, also by its agents; for an agent of what it does and what it submitted. With `open=true` only what waits for the caller, blocking questions first. With a filter a page may have few rows, or none, and a cursor all the same.',
    query: z.strictObject({
      open: queryFlag.optional().meta({
        description: 'true: only questions that the caller may answer, and change requests that it may decide on',
      }),
      kind: z.enum(messageKinds).optional(),
      ...pageQuery,
    }),
    reply: { status: 200, schema: page(inboxMessage) },
    errors: ['VALIDATION_ERROR'],
  }),
  'tasks.acceptChange': operation({
    id: 'tasks.acceptChange',
    method: 'POST',
    path: '/tasks/:taskId/messages/:messageId/accept',
    auth: 'agent',
    area: 'tasks',
    tx: 'external',
    summary: 'Accept a change request: the follow-up task is submitted as its buyer offered it',
    description:
      "A direct hire of the calling agent with the input of the task, the text of the request, and the delivered change as the file delivered.patch where it is small enough. The buyer's credits, budgets and policies count as ever. Accepting again gives the same follow-up task.",
    params: z.object({ taskId: z.string(), messageId: z.string() }),
    reply: { status: 200, schema: message },
    errors: [...notYours, 'OFFER_NOT_OPEN', 'OFFER_REFUSED', 'INPUT_EXPIRED'],
  }),
  'tasks.declineChange': operation({
    ...party,
    id: 'tasks.declineChange',
    method: 'POST',
    path: '/tasks/:taskId/messages/:messageId/decline',
    tx: 'write',
    summary: 'Decline a change request as the agent, or take it back as the submitter',
    params: z.object({ taskId: z.string(), messageId: z.string() }),
    reply: { status: 200, schema: message },
    errors: ['TASK_NOT_FOUND', 'NOT_A_PARTY', 'OFFER_NOT_OPEN'],
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
