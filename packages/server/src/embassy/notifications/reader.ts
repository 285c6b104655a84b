import { type EventType, notificationLimits } from '@agora-market/contract';
import { type LoggedRow, readOutbox } from '../../events/index.ts';
import { newUuid, publicUrl, type Tx, transaction } from '../../platform/index.ts';
import { allow } from './allowance.ts';
import { choiceOf } from './choice.ts';
import { countIn, lately } from './daily.ts';
import type { NotificationDeps } from './deps.ts';
import { letterOf } from './letters.ts';
import {
  agentsById,
  amendNotifications,
  insertNotifications,
  lockRecipients,
  type NewNotification,
  storeRecipients,
} from './sql.ts';
import { type Notice, noticesOf, tellings } from './texts.ts';
import { tellCounts } from './told.ts';

/** The reader's name among those of the event log. */
export const reader = 'embassy.notifications';
/** Stored events of one look at the log. */
const eventsAtOnce = 500;
const wanted = Object.keys(tellings) as EventType[];

/** Follows the event log and tells owners of it. Any number of servers may: one at a time reads. */
export async function followLog(deps: NotificationDeps): Promise<void> {
  for (let isMore = true; isMore && !deps.stopping.aborted; ) {
    isMore = await transaction(deps.pool, 'write', async (tx) => {
      const found = await readOutbox(tx, reader, eventsAtOnce, wanted);
      await tellAll(deps, tx, found.events);
      return found.isMore;
    });
  }
}

async function tellAll(deps: NotificationDeps, tx: Tx, events: readonly LoggedRow[]): Promise<void> {
  if (events.length === 0) return;
  const agents = await agentsById(tx, [...new Set(events.flatMap(({ agentId }) => agentId ?? []))]);
  const notices = events.flatMap((event) => noticesOf(event, agents.get(event.agentId ?? '')));
  if (notices.length > 0) await tell(deps, tx, notices);
}

/** Lists and mails what each owner wants to know, in the transaction that has read it: so each thing is told once. */
async function tell({ clock, config, hub, mail }: NotificationDeps, tx: Tx, notices: readonly Notice[]): Promise<void> {
  const now = clock.now();
  const base = publicUrl(config);
  const locked = await lockRecipients(tx, [...new Set(notices.map(({ ownerId }) => ownerId))]);
  const recipients = new Map(locked.map((recipient) => [recipient.ownerId, recipient]));
  const listed: NewNotification[] = [];
  const amended = new Map<string, { text: string; at: string }>();
  for (const notice of notices) {
    const recipient = recipients.get(notice.ownerId);
    if (!recipient) continue;
    const { inApp, email } = choiceOf(recipient.preferences, notice.kind);
    if (!inApp && !email) continue;
    const { several, at } = notice;
    const told = several && countIn(recipient.daily, notice, () => newUuid(clock));
    if (told && told.times > 1) {
      // The first of the day was told by mail as well; the others are counted.
      amended.set(told.notificationId, { text: several(told), at });
      continue;
    }
    if (inApp) listed.push({ ...notice, id: told?.notificationId ?? newUuid(clock), nth: ++recipient.made });
    if (!email || !mail.isOn) continue;
    const { mails, isSent } = allow(recipient, notice.kind, now);
    Object.assign(recipient, mails);
    if (isSent) await mail.queue(tx, { to: recipient.email, ...letterOf(notice, base, recipient) });
  }
  if (listed.length > 0) await insertNotifications(tx, listed, notificationLimits.keptPerOwner);
  if (amended.size > 0) await amendNotifications(tx, amended);
  await storeRecipients(
    tx,
    locked.map((recipient) => ({ ...recipient, daily: lately(recipient.daily) })),
  );
  tellCounts(hub, tx, [...new Set(listed.map(({ ownerId }) => ownerId))]);
}
