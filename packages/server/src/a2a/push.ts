import type {
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  StreamResponse,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import { V03PushNotificationSerializer } from '@a2a-js/sdk/compat/v0_3/server';
import { TaskNotFoundError } from '@a2a-js/sdk/errors';
import { V1PushNotificationSerializer } from '@a2a-js/sdk/server';
import { nextQuestion, toUuid } from '@agora-market/contract';
import { kindOf, type PushCall, type PushConfig, type PushedStanding, type Pushes } from '../webhooks/index.ts';
import { type Desk, find } from './desk.ts';
import { legacyVersion } from './place.ts';
import { contextOf, type Standing, taskOf } from './view.ts';

/** A configuration in the words of the platform. Proto fields that are missing are empty. */
export const pushIn = ({ id, url, token, authentication }: TaskPushNotificationConfig): PushConfig => ({
  ...{
    id,
    url,
    token,
    authentication: authentication?.scheme || authentication?.credentials ? authentication : undefined,
  },
});

export function pushCall({ version, correlationId, options: { as } }: Desk, { id }: Standing): PushCall {
  const of = kindOf(id);
  return { of, uuid: toUuid(of, id) as string, as, version, correlationId };
}

const callAbout = async (desk: Desk, taskId: string): Promise<PushCall> => pushCall(desk, await find(desk, taskId));

const configOf = (taskId: string, push: PushConfig): TaskPushNotificationConfig => ({ tenant: '', taskId, ...push });

export async function setPush(
  pushes: Pushes,
  desk: Desk,
  params: TaskPushNotificationConfig,
): Promise<TaskPushNotificationConfig> {
  return configOf(params.taskId, await pushes.set(await callAbout(desk, params.taskId), pushIn(params)));
}

/** A client of 0.3 need not name which; then it is the oldest. */
export async function getPush(
  pushes: Pushes,
  desk: Desk,
  { taskId, id }: GetTaskPushNotificationConfigRequest,
): Promise<TaskPushNotificationConfig> {
  const all = await pushes.list(await callAbout(desk, taskId));
  const found = id === '' ? all[0] : all.find((push) => push.id === id);
  if (found === undefined) throw new TaskNotFoundError(`The task has no such push notification.`);
  return configOf(taskId, found);
}

/** All of them; they are few. */
export async function listPushes(
  pushes: Pushes,
  desk: Desk,
  { taskId }: ListTaskPushNotificationConfigsRequest,
): Promise<ListTaskPushNotificationConfigsResponse> {
  const all = await pushes.list(await callAbout(desk, taskId));
  return { configs: all.map((push) => configOf(taskId, push)), nextPageToken: '' };
}

export const removePush = async (
  pushes: Pushes,
  desk: Desk,
  { taskId, id }: DeleteTaskPushNotificationConfigRequest,
): Promise<void> => pushes.remove(await callAbout(desk, taskId), id);

const serializers = {
  '1.0': new V1PushNotificationSerializer(),
  [legacyVersion]: new V03PushNotificationSerializer(),
};

/** How a task stands, as the version of A2A has it. What it delivered a client reads with GetTask. */
export function writePush(version: string, { messages, ...standing }: PushedStanding) {
  const task = taskOf(standing, nextQuestion(messages, 'agent'));
  const { id: taskId, status, metadata } = task;
  const update: StreamResponse = {
    payload: { $case: 'statusUpdate', value: { taskId, contextId: contextOf(standing), status, metadata } },
  };
  return serializers[version === legacyVersion ? legacyVersion : '1.0'].serialize(update, task);
}
