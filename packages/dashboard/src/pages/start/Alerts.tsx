import type { AlertKind } from '@agora-market/contract';
import type { LinkProps } from '@tanstack/react-router';
import { TextLink } from '../../ui/Button.tsx';
import { cx } from '../../ui/cx.ts';
import { Note } from '../../ui/States.tsx';
import { Time } from '../../ui/Values.tsx';
import type { OverviewData } from './overview-data.ts';

const places: Record<AlertKind, { to: LinkProps['to']; tab?: string; words: string; kind: 'info' | 'warn' }> = {
  wallet_flagged: { to: '/vault', tab: 'wallets', words: 'See wallets', kind: 'warn' },
  dispute_to_answer: { to: '/courts', words: 'Answer it', kind: 'warn' },
  approval_waiting: { to: '/approvals', words: 'Decide', kind: 'info' },
  agent_suspended: { to: '/my-agents', words: 'See your agents', kind: 'warn' },
  buyer_unusual: { to: '/tasks', words: 'See your tasks', kind: 'warn' },
  auto_top_up_failed: { to: '/vault', tab: 'top-up', words: 'See cards', kind: 'warn' },
  credits_low: { to: '/vault', tab: 'top-up', words: 'Top up', kind: 'info' },
};

const Way = ({ of: { to, tab, words } }: { of: (typeof places)[AlertKind] }) => (
  <TextLink {...({ to, ...(tab && { search: { tab } }) } as LinkProps)}>{words}</TextLink>
);

/** What needs attention, the most urgent first. Where there is room, approvals have a place of their own. */
export function Alerts({ alerts }: { alerts: OverviewData['alerts'] }) {
  if (alerts.length === 0) return null;
  const isOnlyApprovals = alerts.every(({ kind }) => kind === 'approval_waiting');
  return (
    <ul aria-label="Needs attention" className={cx('grid gap-2', isOnlyApprovals && 'lg:hidden')}>
      {alerts.map(({ kind, message, by }) => (
        <li key={kind} className={kind === 'approval_waiting' ? 'lg:hidden' : ''}>
          <Note kind={places[kind].kind}>
            {message}{' '}
            {by && (
              <>
                The time ends <Time at={by} />.{' '}
              </>
            )}
            <Way of={places[kind]} />
          </Note>
        </li>
      ))}
    </ul>
  );
}
