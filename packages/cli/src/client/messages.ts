import { nextQuestion } from '@agora-market/contract';
import type { Agora, ItemOf, Query } from '@agora-market/sdk';
import { withServer } from '../connection.ts';
import type { ServerOptions } from '../options.ts';
import { money, print, safe, safeLine, table } from '../print.ts';
import { type PageOptions, printPages } from './command.ts';
import type { Message } from './message-text.ts';

export const askCommand = (
  taskId: string,
  text: string,
  { blocking, wait, ...options }: ServerOptions & { blocking?: boolean; wait?: boolean },
): Promise<void> =>
  withServer(options, async (agora) => {
    if (wait) {
      const answer = await agora.tasks.ask(taskId, text, { blocking: blocking === true });
      return print(options, { answer }, safe(answer));
    }
    const question = await agora.tasks.postMessage(taskId, { kind: 'question', text, ...(blocking && { blocking }) });
    print(options, question, `Asked ${question.id}. \`agora tasks messages ${taskId}\` shows the answer.`);
  });

export const answerCommand = (
  taskId: string,
  text: string,
  { question, ...options }: ServerOptions & { question?: string },
): Promise<void> =>
  withServer(options, async (agora) => {
    const answers = question ?? (await openQuestion(agora, taskId)).id;
    const answer = await agora.tasks.postMessage(taskId, { kind: 'answer', text, answers });
    print(options, answer, `Answered ${answers}.`);
  });

export const noteCommand = (taskId: string, text: string, options: ServerOptions): Promise<void> =>
  withServer(options, async (agora) => {
    const note = await agora.tasks.postMessage(taskId, { kind: 'note', text });
    print(options, note, `Told ${note.id}.`);
  });

export const requestChangeCommand = (
  taskId: string,
  text: string,
  { price, ...options }: ServerOptions & { price: number },
): Promise<void> =>
  withServer(options, async (agora) => {
    const request = await agora.tasks.postMessage(taskId, { kind: 'change_request', text, price });
    print(options, request, `Offered ${request.id}. The agent may accept it until ${request.offer?.until}.`);
  });

type Decide = ServerOptions & { request?: string };

export const acceptChangeCommand = (taskId: string, { request, ...options }: Decide): Promise<void> =>
  withServer(options, async (agora) => {
    const accepted = await agora.tasks.acceptChange(taskId, request ?? (await oldestOffer(agora, taskId)).id);
    print(options, accepted, `Accepted. The follow-up task is ${accepted.offer?.taskId}.`);
  });

export const declineChangeCommand = (taskId: string, { request, ...options }: Decide): Promise<void> =>
  withServer(options, async (agora) => {
    const declined = await agora.tasks.declineChange(taskId, request ?? (await oldestOffer(agora, taskId)).id);
    print(options, declined, `Declined ${declined.id}.`);
  });

async function oldestOffer(agora: Agora, taskId: string): Promise<Message> {
  const oldest = (await messagesOf(agora, taskId)).find(({ offer }) => offer?.status === 'open');
  if (!oldest) throw new Error(`${taskId} has no open change request.`);
  return oldest;
}

/** Of the other party; which one that is, the task tells. */
async function openQuestion(agora: Agora, taskId: string): Promise<Message> {
  const other = agora.hasAgentKey && (await isAgentOf(agora, taskId)) ? 'submitter' : 'agent';
  const next = nextQuestion(await messagesOf(agora, taskId), other);
  if (next === null) throw new Error(`${taskId} has no open question.`);
  return next;
}

const messagesOf = (agora: Agora, taskId: string): Promise<Message[]> =>
  Array.fromAsync(agora.tasks.listMessages(taskId, { pageSize: 100 }));

const isAgentOf = async (agora: Agora, taskId: string): Promise<boolean> =>
  (await agora.tasks.get(taskId)).agentId === (await agora.agents.me()).id;

export const messagesCommand = (taskId: string, options: PageOptions): Promise<void> =>
  withServer(options, (agora) =>
    printPages(
      options,
      (page) => agora.tasks.listMessages(taskId, page),
      (messages) =>
        table(
          ['message', 'at (UTC)', 'from', 'kind', 'text'],
          messages.map((message) => [
            message.id,
            timeOf(message.createdAt),
            message.author,
            kindOf(message),
            safeLine(message.text, 100) + filesOf(message),
          ]),
        ),
    ),
  );

export const inboxCommand = (options: PageOptions & Pick<Query<'tasks.inbox'>, 'open' | 'kind'>): Promise<void> =>
  withServer(options, async (agora) => {
    const { open, kind } = options;
    await printPages(
      options,
      (page) => agora.tasks.inbox({ ...(open && { open }), ...(kind && { kind }), ...page }),
      (messages) =>
        table(
          ['task', 'title', 'at (UTC)', 'from', 'kind', 'until (UTC)', 'text'],
          messages.map((message) => [
            message.taskId,
            safeLine(message.taskTitle, 30),
            timeOf(message.createdAt),
            fromOf(message),
            kindOf({ ...message, isOpen: message.waitsForCaller }),
            message.waitingUntil === null ? '' : timeOf(message.waitingUntil),
            safeLine(message.excerpt, 60),
          ]),
        ),
    );
  });

const timeOf = (at: string) => at.slice(0, 16).replace('T', ' ');

const fromOf = ({ author, party, agentName }: ItemOf<'tasks.inbox'>) => {
  if (author === party) return 'you';
  return author === 'agent' ? safeLine(agentName ?? 'agent', 24) : author;
};

const kindOf = ({ kind, isOpen, offer }: Pick<Message, 'kind' | 'isOpen' | 'offer'>) => {
  if (offer !== null) return `change for ${money(offer.price)} (${offer.status})`;
  return isOpen ? 'open question' : kind;
};

const filesOf = ({ attachments }: Message) =>
  attachments.map(({ name, sizeBytes }) => ` [${safeLine(name)}, ${sizeBytes} bytes]`).join('');
