import { useMutation } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { agora } from '../../api/client.ts';
import { pagesOf, useRows } from '../../api/pages.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { collect, saveFile } from '../../ui/download.ts';
import { date } from '../../ui/format.ts';
import { Page, Section } from '../../ui/Layout.tsx';
import { Empty, Failure, Skeleton } from '../../ui/States.tsx';
import { Table, tableOf } from '../../ui/Table.tsx';
import { AuditFilters } from './AuditFilters.tsx';
import { auditColumns } from './columns.tsx';
import { auditFilter } from './filters.ts';

/** What happened to the account, its agents, credits and keys. */
export function AuditPage() {
  const search = useSearch({ from: '/owner/audit' });
  const filter = useMemo(() => auditFilter(search), [search]);
  const isBackwards = Boolean(filter.from && filter.to && filter.from >= filter.to);
  return (
    <Page
      title="Audit log"
      lead="What happened to your account, agents, credits and keys. What happens to a task is on its own page."
      actions={<Export filter={filter} isBackwards={isBackwards} />}
    >
      <AuditFilters search={search} isBackwards={isBackwards} />
      {!isBackwards && <Events key={JSON.stringify(filter)} filter={filter} />}
    </Page>
  );
}

type Filter = ReturnType<typeof auditFilter>;

function Export({ filter, isBackwards }: { filter: Filter; isBackwards: boolean }) {
  const save = useMutation({
    mutationFn: async () => {
      saveFile('audit.csv', 'text/csv', await collect(agora.embassy.exportAudit(filter)));
    },
  });
  return (
    <div className="grid justify-items-end gap-2">
      <Button
        onClick={() => save.mutate()}
        busy={save.isPending}
        why={isBackwards ? 'The first day is after the last one.' : null}
      >
        <Download aria-hidden />
        Export CSV
      </Button>
      <Failure error={save.error} />
    </div>
  );
}

/** Pages without a match that are passed over by itself; after that the reader decides. Each looks through 2,500 events. */
const pagesPassed = 4;

function Events({ filter }: { filter: Filter }) {
  const query = useRows(
    pagesOf(['audit', filter], (cursor) => agora.embassy.audit({ ...filter, pageSize: 50, ...cursor })),
  );
  const { rows, data, hasNextPage, isFetching, error, fetchNextPage } = query;
  const nothingYet = rows?.length === 0 && hasNextPage && !error;
  const goesOn = nothingYet && (data?.pages.length ?? 0) < pagesPassed;
  useEffect(() => {
    if (goesOn && !isFetching) void fetchNextPage();
  }, [goesOn, isFetching, fetchNextPage]);
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <Section flush className="[&>div]:pt-1">
      {goesOn ? (
        <Skeleton lines={6} className="p-5" />
      ) : (
        <Table
          label="Events"
          columns={auditColumns}
          rowKey={({ eventId }) => eventId}
          {...tableOf(query)}
          empty={
            hasNextPage ? (
              <Empty
                title="Nothing found so far"
                actions={
                  <Button busy={isFetching} onClick={() => void fetchNextPage()}>
                    Look further back
                  </Button>
                }
              >
                The log goes on further back than was looked through.
              </Empty>
            ) : (
              <NoEvents isFiltered={isFiltered} />
            )
          }
        />
      )}
      {rows && error && (
        <div className="px-5 pb-4">
          <Failure error={error} retry={() => void fetchNextPage()} />
        </div>
      )}
    </Section>
  );
}

const NoEvents = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="Nothing matches these filters" actions={<ButtonLink to="/audit">Clear the filters</ButtonLink>}>
      Events about tasks are on the page of the task.
    </Empty>
  ) : (
    <Empty title="Nothing happened yet">Every change from {date(Date.now())} on is listed here.</Empty>
  );
