import { isSellers, type NotificationKind, notificationKinds, toId } from '@agora-market/contract';
import type { Mails } from './allowance.ts';
import type { Notice } from './texts.ts';

/** The page where its reader sees more: a dispute is open to both sides, a task to its buyer, a job to the seller. */
const about = ({ kind, taskId, disputeId }: Notice, base: string): string[] => {
  if (disputeId !== null) return [`The dispute: ${base}/courts/${toId('dispute', disputeId)}`];
  if (taskId === null) return [];
  return [`The task: ${base}/${isSellers(kind) ? 'jobs' : 'tasks'}/${toId('task', taskId)}`];
};

/**
 * The mail that tells an owner one thing; `base` is the public URL of the service. A notice names agents, tokens and
 * reasons, which somebody chose. So an address that nobody has verified, which may be a stranger's, gets the kind alone.
 */
export function letterOf(
  notice: Notice,
  base: string,
  { isVerified }: { isVerified: boolean },
): { subject: string; text: string } {
  const { title, email } = notificationKinds[notice.kind];
  const choice =
    email === 'always'
      ? 'This mail cannot be switched off.'
      : `Choose which mails you get: ${base}/settings?tab=notifications`;
  return {
    subject: title,
    text: [
      isVerified ? notice.text : `${title}. Nobody has verified this address yet, so no more is said here.`,
      '',
      ...about(notice, base),
      `All notifications: ${base}/notifications`,
      choice,
      '',
    ].join('\n'),
  };
}

/** The one mail for all that were put off; what is about the safety of the account comes first. */
export function digestOf(putOff: Mails['putOff'], base: string): { subject: string; text: string } {
  const isSafety = (kind: NotificationKind) => Number(notificationKinds[kind].email === 'always');
  const counts = (Object.entries(putOff) as [NotificationKind, number][]).sort(([a], [b]) => isSafety(b) - isSafety(a));
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const lines = counts.map(([kind, count]) => `${count} × ${notificationKinds[kind].title}`);
  const all = `All notifications: ${base}/notifications`;
  return {
    subject: `More notifications: ${total}`,
    text: ['More has happened than we send single mails for:', '', ...lines, '', all, ''].join('\n'),
  };
}
