import type { GetTaskRequest, Message, SendMessageRequest, StreamResponse, Task } from '@a2a-js/sdk';
import { A2AError, RequestMalformedError, TaskNotCancelableError, UnsupportedOperationError } from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { nextQuestion } from '@agora-market/contract';
import { AgoraError } from '@agora-market/sdk';
import { ApiError, type Clock, type Logger } from '../platform/index.ts';
import type { Pushes } from '../webhooks/index.ts';
import { type Desk, find, lengthOf, messagesOf, shown } from './desk.ts';
import { keyOf, messageIn, sayingIn, wishIn } from './hire.ts';
import { listTasks } from './list.ts';
import { requirePrice, submit } from './price.ts';
import { getPush, listPushes, pushCall, pushIn, removePush, setPush } from './push.ts';
import { cancelRefusalOf, fault, refusalOf } from './refusals.ts';
import { contextOf, isEnded, type Standing, stateOf } from './view.ts';
import { eventsOf, watch } from './watch.ts';

/** A reply comes after so long at the latest, for clients and proxies give up on one after a minute. */
const blockedMs = 50_000;

export interface HandlerDeps {
  clock: Clock;
  log: Logger;
  pushes: Pushes;
}

/** Answers the operations of A2A for one caller by calls of the API. The tasks of the API are all that there is. */
export function createHandler(deps: HandlerDeps, desk: Desk): A2ARequestHandler {
  const told =
    (refusal = refusalOf) =>
    (error: unknown): never => {
      if (error instanceof A2AError) throw error;
      if (error instanceof AgoraError || error instanceof ApiError) throw refusal(error);
      const { aborted, reason } = desk.options.signal;
      // The service stops; a client that has gone hears nothing.
      if (aborted) throw new A2AError(reason instanceof Error ? reason.message : 'The client has gone.');
      deps.log.error({ err: error }, 'a2a');
      throw fault(error);
    };
  async function* streamed(
    events: () => AsyncIterable<StreamResponse>,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    try {
      yield* events();
    } catch (error) {
      told()(error);
    }
  }
  const { pushes } = deps;
  return {
    // The cards stand at their own addresses; a transport only asks whether it may stream.
    getAgentCard: async () => ({ capabilities: { streaming: true, pushNotifications: true } }) as never,
    async getAuthenticatedExtendedAgentCard() {
      throw new UnsupportedOperationError('There is one card, which everybody may read.');
    },
    sendMessage: (params) => sendMessage(deps, desk, params).catch(told()),
    sendMessageStream: (params) =>
      streamed(async function* () {
        yield* eventsOf(desk, await take(deps, desk, params));
      }),
    getTask: (params) => getTask(desk, params).catch(told()),
    listTasks: (params) => listTasks(desk, params).catch(told()),
    cancelTask: ({ id }) => cancelTask(desk, id).catch(told(cancelRefusalOf)),
    resubscribe: ({ id }) => streamed(() => subscribe(desk, id)),
    createTaskPushNotificationConfig: (params) => setPush(pushes, desk, params).catch(told()),
    getTaskPushNotificationConfig: (params) => getPush(pushes, desk, params).catch(told()),
    listTaskPushNotificationConfigs: (params) => listPushes(pushes, desk, params).catch(told()),
    deleteTaskPushNotificationConfig: (params) => removePush(pushes, desk, params).catch(told()),
  };
}

async function getTask(desk: Desk, { id, historyLength }: GetTaskRequest): Promise<Task> {
  const length = lengthOf(historyLength);
  return shown(desk, await find(desk, id), { historyLength: length, artifacts: true });
}

async function sendMessage(deps: HandlerDeps, desk: Desk, params: SendMessageRequest): Promise<Task> {
  const { returnImmediately = false, historyLength } = params.configuration ?? {};
  const length = lengthOf(historyLength);
  const taken = await take(deps, desk, params);
  const standing = returnImmediately ? taken : await rest(deps.clock, desk, taken);
  return shown(desk, standing, { historyLength: length, artifacts: true });
}

/** How a task stands once it is at rest, or a reply is due. */
async function rest(clock: Clock, desk: Desk, first: Standing): Promise<Standing> {
  const due = new AbortController();
  const cancel = clock.after(blockedMs, () => due.abort());
  const signal = AbortSignal.any([desk.options.signal, due.signal]);
  let last = first;
  try {
    for await (const { standing } of watch({ ...desk, options: { ...desk.options, signal } }, first)) last = standing;
  } catch (error) {
    // What the message wanted is done, so that the client hears of it also where it may not wait.
    if (!due.signal.aborted && !(error instanceof AgoraError)) throw error;
  } finally {
    cancel();
    // Node keeps a signal made of others until it fires.
    due.abort();
  }
  return last;
}

/** Does what a message wants, and tells the client of the task as it wishes. Sent again, either counts once. */
async function take({ pushes }: HandlerDeps, desk: Desk, params: SendMessageRequest): Promise<Standing> {
  const config = params.configuration?.taskPushNotificationConfig;
  if (config === undefined) return hireOrSay(desk, params);
  pushes.check(pushIn(config));
  const standing = await hireOrSay(desk, params);
  await pushes.set(pushCall(desk, standing), pushIn(config));
  return standing;
}

async function hireOrSay(desk: Desk, params: SendMessageRequest): Promise<Standing> {
  const message = messageIn(params);
  if (message.taskId !== '') return say(desk, message);
  if (message.contextId !== '') {
    throw new RequestMalformedError(
      'message.contextId must be left out for a new task: each task is a context of its own. Name an open one by message.taskId.',
    );
  }
  const wish = wishIn(params, desk.agentId);
  return submit(desk, await requirePrice(desk, wish), keyOf(message));
}

/** An answer, where the agent has asked; else a note. */
async function say(desk: Desk, message: Message): Promise<Standing> {
  const standing = await find(desk, message.taskId);
  if (message.contextId !== '' && message.contextId !== contextOf(standing)) {
    throw new RequestMalformedError(`message.contextId must be ${contextOf(standing)}, or left out.`);
  }
  const { task } = standing;
  if (task === null || isEnded(stateOf(standing))) {
    throw new UnsupportedOperationError('The task takes no messages. Send one without taskId to hire again.');
  }
  const question = nextQuestion(await messagesOf(desk, task.id), 'agent');
  const kind = question === null ? { kind: 'note' as const } : { kind: 'answer' as const, answers: question.id };
  const saying = sayingIn(message);
  const idempotencyKey = keyOf(message, task.id);
  try {
    await desk.agora.tasks.postMessage(task.id, { ...kind, ...saying }, { ...desk.options, idempotencyKey });
  } catch (error) {
    if (!(error instanceof AgoraError) || error.code !== 'IDEMPOTENCY_KEY_REUSED') throw error;
    // Sent again, it is no answer any more: its question has been answered by it.
    const said = await messagesOf(desk, task.id);
    if (!said.some(({ author, text }) => author === 'submitter' && text === saying.text)) {
      throw new RequestMalformedError('message.messageId was used for another message. Give each its own.');
    }
  }
  return find(desk, standing.id);
}

async function cancelTask(desk: Desk, id: string): Promise<Task> {
  const standing = await find(desk, id);
  if (standing.task === null) {
    throw new TaskNotCancelableError('The owner decides on this hire.');
  }
  const task = await desk.agora.tasks.cancel(standing.task.id, desk.options);
  return shown(desk, { ...standing, task }, { artifacts: false });
}

async function* subscribe(desk: Desk, id: string): AsyncGenerator<StreamResponse, void, undefined> {
  const standing = await find(desk, id);
  if (isEnded(stateOf(standing))) throw new UnsupportedOperationError('The task has ended. Read it with GetTask.');
  yield* eventsOf(desk, standing);
}
