import { useQuery } from '@tanstack/react-query';
import { Bell as BellIcon } from 'lucide-react';
import { unreadQuery } from '../api/notifications.ts';
import { ButtonLink } from '../ui/Button.tsx';
import { bellLabel } from './bell-label.ts';

/** The way to the notifications, with how many are unread. */
export function Bell() {
  const unread = useQuery(unreadQuery).data;
  const label = bellLabel(unread);
  return (
    <ButtonLink kind="quiet" to="/notifications" aria-label={label} title={label} className="relative px-2">
      <BellIcon aria-hidden />
      {Boolean(unread) && (
        <span
          aria-hidden
          className="figures absolute -top-0.5 -right-0.5 min-w-4 rounded-full bg-bad px-1 text-center text-[0.6875rem] leading-4 font-semibold text-surface"
        >
          {unread! > 99 ? '99+' : unread}
        </span>
      )}
    </ButtonLink>
  );
}
