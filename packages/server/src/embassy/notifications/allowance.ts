import { type NotificationKind, notificationLimits } from '@agora-market/contract';
import { hourMs } from '../../platform/index.ts';

/** The mails of an owner. */
export interface Mails {
  /** When those of the last hour were sent, oldest first. */
  mailed: string[];
  /** How many of each kind wait for the digest. */
  putOff: Partial<Record<NotificationKind, number>>;
  /** When the digest is sent; null while nothing waits. */
  digestAt: string | null;
}

/** Those in the hour before now; a time that is still to come is from a clock that was set back. */
const ofLastHour = (mailed: string[], now: Date): string[] => {
  const from = now.getTime() - hourMs;
  return mailed.filter((at) => Date.parse(at) > from && Date.parse(at) <= now.getTime());
};

/** What becomes of one more mail: it is sent, or is told with others in the digest, which comes when there is room again. */
export function allow(mails: Mails, kind: NotificationKind, now: Date): { mails: Mails; isSent: boolean } {
  const mailed = ofLastHour(mails.mailed, now);
  if (mails.digestAt === null && mailed.length < notificationLimits.mailsPerHour) {
    return { mails: { ...mails, mailed: [...mailed, now.toISOString()] }, isSent: true };
  }
  const putOff = { ...mails.putOff, [kind]: (mails.putOff[kind] ?? 0) + 1 };
  const digestAt = mails.digestAt ?? new Date(Date.parse(mailed[0] as string) + hourMs).toISOString();
  return { mails: { mailed, putOff, digestAt }, isSent: false };
}

/** After the digest. */
export const digested = ({ mailed }: Mails, now: Date): Mails => ({
  mailed: [...ofLastHour(mailed, now), now.toISOString()],
  putOff: {},
  digestAt: null,
});
