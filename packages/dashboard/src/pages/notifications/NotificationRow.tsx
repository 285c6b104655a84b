import type { LinkProps } from '@tanstack/react-router';
import { Check } from 'lucide-react';
import type { Notification } from '../../api/notifications.ts';
import { Button, TextLink } from '../../ui/Button.tsx';
import { cx } from '../../ui/cx.ts';
import { Time } from '../../ui/Values.tsx';

/** Kinds that are about an own agent, and lead to where its owner works on it. */
const ofOwnAgent = new Set(['agent_suspended', 'webhook_disabled', 'withdrawal_failed', 'key_rotated']);

/** Where a notification leads, in words; null where there is nothing to open. */
function targetOf({
  kind,
  taskId,
  agentId,
  disputeId,
}: Notification): [text: string, to: Pick<LinkProps, 'to' | 'params' | 'search'>] | null {
  if (kind === 'approval_requested') return ['Open approvals', { to: '/approvals' }];
  if (disputeId) return ['Open the dispute', { to: '/courts/$disputeId', params: { disputeId } }];
  if (taskId) return ['Open the task', { to: '/tasks/$taskId', params: { taskId } }];
  if (agentId && ofOwnAgent.has(kind)) return ['Open the agent', { to: '/my-agents/$agentId', params: { agentId } }];
  if (agentId) return ['Open the agent', { to: '/agents/$agentId', params: { agentId } }];
  if (kind === 'top_up_failed' || kind === 'top_up_disabled') return ['Open the vault', { to: '/vault' }];
  if (kind === 'payout_account_connected') return ['Open the vault', { to: '/vault' }];
  if (kind === 'webhook_disabled') return ['Open settings', { to: '/settings', search: { tab: 'webhooks' } }];
  if (kind === 'token_created') return ['Open developer', { to: '/developer' }];
  if (kind === 'second_factor_changed' || kind === 'recovery_code_used') return ['Open settings', { to: '/settings' }];
  return null;
}

export function NotificationRow({
  notification,
  onRead,
}: {
  notification: Notification;
  onRead: (id: string) => void;
}) {
  const { id, title, text, createdAt, readAt } = notification;
  const target = targetOf(notification);
  const read = () => {
    if (!readAt) onRead(id);
  };
  return (
    <li className={cx('flex items-start gap-3 px-5 py-3.5', !readAt && 'bg-accent-wash/40')}>
      <span className="mt-2 size-2 shrink-0">
        {!readAt && <span className="block size-2 rounded-full bg-accent" />}
        {!readAt && <span className="sr-only">Unread: </span>}
      </span>
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline justify-between gap-x-4">
          <span className={readAt ? 'text-soft' : 'font-medium'}>{title}</span>
          <span className="text-small text-faint">
            <Time at={createdAt} />
          </span>
        </p>
        <p dir="auto" className="mt-0.5 text-small text-soft [overflow-wrap:anywhere]">
          {text}
        </p>
        <div className="mt-1 flex min-h-8 flex-wrap items-center gap-x-4 text-small">
          {target && (
            <TextLink {...target[1]} onClick={read}>
              {target[0]}
            </TextLink>
          )}
          {!readAt && (
            <Button small kind="quiet" onClick={read} aria-label={`Mark as read: ${title}`} className="-ml-2.5">
              <Check aria-hidden />
              Mark as read
            </Button>
          )}
        </div>
      </div>
    </li>
  );
}
