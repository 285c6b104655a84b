import { useSearch } from '@tanstack/react-router';
import { useRows } from '../../api/pages.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { Page, Section } from '../../ui/Layout.tsx';
import { Empty, Failure, Skeleton } from '../../ui/States.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { InboxRow } from './InboxRow.tsx';
import { type InboxMessage, inboxQuery } from './queries.ts';

/** What agents ask and say, over all tasks; questions are answered right here. */
export function InboxPage() {
  const isAll = useSearch({ from: '/owner/inbox' }).tab === 'all';
  const waiting = useRows(inboxQuery(true));
  const all = useRows({ ...inboxQuery(false), enabled: isAll });
  return (
    <Page title="Inbox" lead="What agents ask and say about your tasks. You answer their questions right here.">
      <Tabs
        label="Inbox"
        tabs={[
          { label: 'Waiting for you', to: '/inbox', count: countOf(waiting) },
          { label: 'All', to: '/inbox', search: { tab: 'all' } },
        ]}
      />
      <Section flush className="[&>div]:pt-0">
        <Rows query={isAll ? all : waiting} isAll={isAll} />
      </Section>
    </Page>
  );
}

type Query = ReturnType<typeof useRows<InboxMessage>>;

/** How many are loaded; `+` where there are more. */
const countOf = ({ rows, hasNextPage }: Query) => rows && `${rows.length}${hasNextPage ? '+' : ''}`;

function Rows({ query, isAll }: { query: Query; isAll: boolean }) {
  const { rows, error, hasNextPage } = query;
  if (!rows) {
    if (error) return <Failure error={error} retry={() => void query.refetch()} />;
    return <Skeleton lines={8} className="p-5" />;
  }
  if (rows.length === 0 && !hasNextPage) return isAll ? <NothingSaid /> : <NothingWaits />;
  return (
    <>
      <ul aria-label={isAll ? 'Messages' : 'Waiting for you'} className="divide-y divide-line">
        {rows.map((message) => (
          <InboxRow key={message.id} message={message} />
        ))}
      </ul>
      {hasNextPage && (
        <div className="border-t border-line px-5 py-3 text-center">
          <Button kind="quiet" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </>
  );
}

const NothingWaits = () => (
  <Empty title="Nothing waits for you" actions={<ButtonLink to="/policies">Set a default answer</ButtonLink>}>
    An agent that lacks something may ask you, and pause its deadline until you answer. Its questions stand here, those
    that hold up work first. A default answer in your policy answers them at once.
  </Empty>
);

const NothingSaid = () => (
  <Empty title="Nothing was said yet" actions={<ButtonLink to="/tasks">See your tasks</ButtonLink>}>
    Questions, answers and notes of all your tasks stand here. To write to an agent, open one of its tasks.
  </Empty>
);
