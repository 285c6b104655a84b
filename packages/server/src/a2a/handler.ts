import { type SendMessageRequest, type StreamResponse, type Task, TaskState } from '@a2a-js/sdk';
import {
  A2AError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { AgoraError } from '@agora-market/sdk';
import type { Clock, Logger } from '../platform/index.ts';
import { type Desk, find, messagesOf, openQuestion, shown } from './desk.ts';
import { keyOf, messageIn, sayingIn, wishIn } from './hire.ts';
import { listTasks } from './list.ts';
import { requirePrice, submit } from './price.ts';
import { cancelRefusalOf, fault, refusalOf } from './refusals.ts';
import { contextOf, isEnded, stateOf } from './view.ts';
import { eventsOf, watch } from './watch.ts';

/** A reply comes after so long at the latest, for clients and proxies give up on one after a minute. */
const blockedMs = 50_000;

export interface HandlerDeps {
  clock: Clock;
  log: Logger;
}

/** Answers the operations of A2A for one caller by calls of the API. The tasks of the API are all that there is. */
export function createHandler(deps: HandlerDeps, desk: Desk): A2ARequestHandler {
  const told =
    (refusal = refusalOf) =>
    (error: unknown): never => {
      if (error instanceof A2AError) throw error;
      if (error instanceof AgoraError) throw refusal(error);
      if (!desk.options.signal.aborted) deps.log.error({ err: error }, 'a2a');
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
  const unpushed = async (): Promise<never> => {
    throw new PushNotificationNotSupportedError();
  };
  return {
    // The cards stand at their own addresses; a transport only asks whether it may stream.
    getAgentCard: async () => ({ capabilities: { streaming: true } }) as never,
    async getAuthenticatedExtendedAgentCard() {
      throw new UnsupportedOperationError('There is one card, which everybody may read.');
    },
    async sendMessage(params) {
      return sendMessage(deps, desk, params).catch(told());
    },
    sendMessageStream: (params) =>
      streamed(async function* () {
        yield* eventsOf(watch(desk, await take(desk, params)));
      }),
    getTask: ({ id, historyLength }) =>
      find(desk, id)
        .then((standing) => shown(desk, standing, { historyLength: lengthOf(historyLength), artifacts: true }))
        .catch(told()),
    listTasks: (params) => listTasks(desk, params, lengthOf(params.historyLength)).catch(told()),
    cancelTask: ({ id }) => cancelTask(desk, id).catch(told(cancelRefusalOf)),
    resubscribe: ({ id }) => streamed(() => subscribe(desk, id)),
    createTaskPushNotificationConfig: unpushed,
    getTaskPushNotificationConfig: unpushed,
    listTaskPushNotificationConfigs: unpushed,
    deleteTaskPushNotificationConfig: unpushed,
  };
}

function lengthOf(historyLength: number | undefined): number | undefined {
  if (historyLength === undefined || (Number.isInteger(historyLength) && historyLength >= 0)) return historyLength;
  throw new RequestMalformedError('historyLength must be a whole number of 0 or more.');
}

async function sendMessage({ clock }: HandlerDeps, desk: Desk, params: SendMessageRequest): Promise<Task> {
  const { returnImmediately = false, historyLength } = params.configuration ?? {};
  const length = lengthOf(historyLength);
  const id = await take(desk, params);
  if (!returnImmediately) await rest(clock, desk, id);
  return shown(desk, await find(desk, id), { historyLength: length, artifacts: true });
}

/** Until the task is at rest, or a reply is due. */
async function rest(clock: Clock, desk: Desk, id: string): Promise<void> {
  const due = new AbortController();
  const cancel = clock.after(blockedMs, () => due.abort());
  const signal = AbortSignal.any([desk.options.signal, due.signal]);
  try {
    for await (const _ of watch({ ...desk, options: { ...desk.options, signal } }, id));
  } catch (error) {
    if (!due.signal.aborted) throw error;
  } finally {
    cancel();
  }
}

/** Does what a message wants: hires, or says something about a task. Gives the task's id. */
async function take(desk: Desk, params: SendMessageRequest): Promise<string> {
  const message = messageIn(params);
  if (message.taskId !== '') return say(desk, message);
  if (message.contextId !== '') {
    throw new RequestMalformedError(
      'message.contextId must be left out for a new task: each task is a context of its own. Name an open one by message.taskId.',
    );
  }
  return hire(desk, params);
}

async function hire(desk: Desk, params: SendMessageRequest): Promise<string> {
  const message = messageIn(params);
  const wish = wishIn(params, desk.agentId);
  return submit(desk, await requirePrice(desk, wish), keyOf(message));
}

/** An answer, where the agent has asked; else a note. */
async function say(desk: Desk, message: ReturnType<typeof messageIn>): Promise<string> {
  const standing = await find(desk, message.taskId);
  if (message.contextId !== '' && message.contextId !== contextOf(standing)) {
    throw new RequestMalformedError(`message.contextId must be ${contextOf(standing)}, or left out.`);
  }
  const { task } = standing;
  if (task === null || isEnded(stateOf(standing))) {
    throw new UnsupportedOperationError('The task takes no messages. Send one without taskId to hire again.');
  }
  const question = openQuestion(await messagesOf(desk, task.id));
  const kind = question === null ? { kind: 'note' as const } : { kind: 'answer' as const, answers: question.id };
  const idempotencyKey = keyOf(message);
  try {
    await desk.agora.tasks.postMessage(task.id, { ...kind, ...sayingIn(message) }, { ...desk.options, idempotencyKey });
  } catch (error) {
    // Sent again: what it answered then is answered now, so it reads as another one.
    if (!(error instanceof AgoraError) || error.code !== 'IDEMPOTENCY_KEY_REUSED') throw error;
  }
  return standing.id;
}

async function cancelTask(desk: Desk, id: string): Promise<Task> {
  const standing = await find(desk, id);
  if (standing.task === null) {
    throw cancelRefusalOf(
      new AgoraError({ status: 409, code: 'TASK_WRONG_STATE', message: 'The owner decides on this hire.' }),
    );
  }
  const task = await desk.agora.tasks.cancel(standing.task.id, desk.options);
  return shown(desk, { ...standing, task }, { artifacts: false });
}

async function* subscribe(desk: Desk, id: string): AsyncGenerator<StreamResponse, void, undefined> {
  for await (const event of eventsOf(watch(desk, id))) {
    if (event.payload?.$case === 'task' && isEnded(event.payload.value.status?.state ?? TaskState.UNRECOGNIZED)) {
      throw new UnsupportedOperationError('The task has ended. Read it with GetTask.');
    }
    yield event;
  }
}
