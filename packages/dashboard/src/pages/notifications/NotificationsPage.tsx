import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { type Notification, notificationsQuery, unreadQuery, useRead } from '../../api/notifications.ts';
import { useRows } from '../../api/pages.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { Page, Section } from '../../ui/Layout.tsx';
import { Empty, Failure, Skeleton } from '../../ui/States.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { groupsOf } from './groups.ts';
import { NotificationGroup } from './NotificationGroup.tsx';

/** What the owner was told. */
export function NotificationsPage() {
  const isUnread = useSearch({ from: '/owner/notifications' }).unread === 'true';
  const query = useRows(notificationsQuery(isUnread));
  const unread = useQuery(unreadQuery).data;
  const read = useRead();
  return (
    <Page
      title="Notifications"
      lead="What was told of one task stands together. Kept for 90 days."
      actions={
        <>
          <ButtonLink to="/settings">What to be told</ButtonLink>
          <Button onClick={() => read.mutate('all')} why={unread === 0 ? 'All of them are read.' : null}>
            Mark all as read
          </Button>
        </>
      }
    >
      <Tabs
        label="Notifications"
        tabs={[
          { label: 'All', to: '/notifications' },
          { label: 'Unread', to: '/notifications', search: { unread: 'true' }, count: unread },
        ]}
      />
      <Failure error={read.error} />
      <Section flush className="[&>div]:pt-0">
        <Rows {...{ query, isUnread }} onRead={(id) => read.mutate(id)} />
      </Section>
    </Page>
  );
}

interface RowsProps {
  query: ReturnType<typeof useRows<Notification>>;
  isUnread: boolean;
  onRead: (id: string) => void;
}

function Rows({ query, isUnread, onRead }: RowsProps) {
  const { rows, error } = query;
  if (!rows) {
    if (error) return <Failure error={error} retry={() => void query.refetch()} />;
    return <Skeleton lines={8} className="p-5" />;
  }
  if (rows.length === 0) {
    return isUnread ? (
      <Empty
        title="Nothing unread"
        actions={
          <ButtonLink kind="primary" to="/notifications">
            Show all
          </ButtonLink>
        }
      >
        You have seen everything there is. What was read is kept for 90 days.
      </Empty>
    ) : (
      <Empty
        title="No notifications yet"
        actions={
          <ButtonLink kind="primary" to="/settings" search={{ tab: 'notifications' }}>
            Choose what to be told
          </ButtonLink>
        }
      >
        You are told here when a task ends, an agent needs your approval, or something about your account changes.
      </Empty>
    );
  }
  return (
    <>
      <ul aria-label="Notifications" className="divide-y divide-line">
        {groupsOf(rows).map((group) => (
          <NotificationGroup key={group.key} group={group} onRead={onRead} />
        ))}
      </ul>
      {query.hasNextPage && (
        <div className="border-t border-line px-5 py-3 text-center">
          <Button kind="quiet" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </>
  );
}
