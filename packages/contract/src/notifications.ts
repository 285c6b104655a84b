import { z } from 'zod';
import { id } from './ids.ts';
import { allNotificationKinds, type NotificationKind, notificationKinds } from './notification-kinds.ts';
import { operation, page, pageQuery, queryFlag, timestamp } from './operation.ts';

const notification = z
  .object({
    id: id('notification'),
    kind: z.enum(allNotificationKinds),
    title: z.string(),
    text: z.string(),
    taskId: id('task').nullable(),
    agentId: id('agent').nullable(),
    disputeId: id('dispute').nullable(),
    createdAt: timestamp.meta({ description: 'When it happened' }),
    readAt: timestamp.nullable(),
  })
  .meta({ id: 'OwnerNotification' });

/** A mail that is always sent cannot be switched off. */
const choice = (kind: NotificationKind) =>
  z.strictObject({
    inApp: z.boolean(),
    email: notificationKinds[kind].email === 'always' ? z.literal(true) : z.boolean(),
  });
const choices = Object.fromEntries(allNotificationKinds.map((kind) => [kind, choice(kind)])) as Record<
  NotificationKind,
  z.ZodObject<{ inApp: z.ZodBoolean; email: z.ZodBoolean }>
>;
const preferences = z.object({ preferences: z.object(choices) });

const base = { auth: 'owner', area: 'oversight' } as const;
const path = '/embassy/notifications';

/** What an owner is told of what happens, and how it wants to be told. */
export const notificationOperations = {
  'embassy.listNotifications': operation({
    ...base,
    id: 'embassy.listNotifications',
    method: 'GET',
    path,
    tx: 'read',
    summary: "The owner's notifications, newest first",
    query: z.strictObject({
      unread: queryFlag.optional().meta({ description: 'true: only unread ones' }),
      ...pageQuery,
    }),
    reply: { status: 200, schema: page(notification) },
    errors: ['VALIDATION_ERROR'],
  }),
  'embassy.countUnread': operation({
    ...base,
    id: 'embassy.countUnread',
    method: 'GET',
    path: `${path}/unread`,
    tx: 'read',
    summary: 'How many notifications are unread',
    reply: { status: 200, schema: z.object({ unread: z.int() }) },
    errors: [],
  }),
  'embassy.readNotification': operation({
    ...base,
    id: 'embassy.readNotification',
    method: 'POST',
    path: `${path}/:notificationId/read`,
    tx: 'write',
    summary: 'Mark a notification as read',
    params: z.object({ notificationId: z.string() }),
    reply: { status: 200, schema: notification },
    errors: ['NOTIFICATION_NOT_FOUND'],
  }),
  'embassy.readNotifications': operation({
    ...base,
    id: 'embassy.readNotifications',
    method: 'POST',
    path: `${path}/read`,
    tx: 'write',
    summary: 'Mark all notifications as read',
    reply: { status: 200, schema: z.object({ read: z.int().meta({ description: 'How many were unread' }) }) },
    errors: [],
  }),
  'embassy.getPreferences': operation({
    ...base,
    id: 'embassy.getPreferences',
    method: 'GET',
    path: `${path}/preferences`,
    tx: 'read',
    summary: 'How the owner wants to be told, by kind',
    reply: { status: 200, schema: preferences },
    errors: [],
  }),
  'embassy.setPreferences': operation({
    ...base,
    id: 'embassy.setPreferences',
    method: 'PUT',
    path: `${path}/preferences`,
    tx: 'write',
    summary: 'Replace how the owner wants to be told; kinds that are left out get their default',
    body: z.strictObject({ preferences: z.strictObject(choices).partial() }),
    reply: { status: 200, schema: preferences },
    errors: ['VALIDATION_ERROR'],
  }),
} as const;
