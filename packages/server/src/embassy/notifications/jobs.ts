import { notificationLimits } from '@agora-market/contract';
import { unread } from '../../events/index.ts';
import { dayMs, firstIdAt, hourMs, type Job, publicUrl, transaction, untilEmpty } from '../../platform/index.ts';
import { digested } from './allowance.ts';
import type { NotificationDeps } from './deps.ts';
import { digestOf } from './letters.ts';
import { followLog, reader } from './reader.ts';
import { forgetOld, lockDigests, storeRecipients } from './sql.ts';

/** Sends each owner whose time has come one mail for all that were put off. */
const sendDigests = ({ pool, clock, config, mail }: NotificationDeps) =>
  untilEmpty(100, (limit) =>
    transaction(pool, 'write', async (tx) => {
      const now = clock.now();
      const due = await lockDigests(tx, now, new Date(now.getTime() + hourMs), limit);
      for (const { email, putOff } of due) {
        await mail.queue(tx, { to: email, ...digestOf(putOff, publicUrl(config)) });
      }
      if (due.length > 0)
        await storeRecipients(
          tx,
          due.map((one) => ({ ...one, ...digested(one, now) })),
        );
      return due.length;
    }),
  );

export const notificationJobs = (deps: NotificationDeps): Job[] => [
  { name: 'embassy.notify', due: unread(reader), run: () => followLog(deps) },
  { name: 'embassy.sendDigests', everyMs: 10_000, run: () => sendDigests(deps) },
  {
    name: 'embassy.forgetNotifications',
    everyMs: 60_000,
    run: () => {
      const before = firstIdAt(new Date(deps.clock.now().getTime() - notificationLimits.keptDays * dayMs));
      return untilEmpty(1_000, (limit) => forgetOld(deps.pool, before, limit));
    },
  },
];
