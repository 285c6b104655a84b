import { apiPrefix, type NotificationKind, notificationKinds, toId } from '@agora/contract';
import type { Mails } from './allowance.ts';
import type { Notice } from './texts.ts';

const list = '/embassy/notifications';

/** The mail that tells an owner one thing; `base` is the public URL of the service. */
export function letterOf({ kind, text, taskId }: Notice, base: string): { subject: string; text: string } {
  const { title, email } = notificationKinds[kind];
  const api = base + apiPrefix;
  const choice =
    email === 'always'
      ? 'This mail cannot be switched off.'
      : `Choose which mails you get: PUT ${api}${list}/preferences`;
  const task = taskId === null ? [] : [`The task: ${api}/tasks/${toId('task', taskId)}`];
  return { subject: title, text: [text, '', ...task, `All notifications: ${api}${list}`, choice, ''].join('\n') };
}

/** The one mail for all that were put off; what is about the safety of the account comes first. */
export function digestOf(putOff: Mails['putOff'], base: string): { subject: string; text: string } {
  const isSafety = (kind: NotificationKind) => Number(notificationKinds[kind].email === 'always');
  const counts = (Object.entries(putOff) as [NotificationKind, number][]).sort(([a], [b]) => isSafety(b) - isSafety(a));
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const lines = counts.map(([kind, count]) => `${count} × ${notificationKinds[kind].title}`);
  const all = `All notifications: ${base}${apiPrefix}${list}`;
  return {
    subject: `More notifications: ${total}`,
    text: ['More has happened than we send single mails for:', '', ...lines, '', all, ''].join('\n'),
  };
}
