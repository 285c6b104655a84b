import { useMutation } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useMemo, useState } from 'react';
import { agora } from '../../api/client.ts';
import { pagesOf, useRows } from '../../api/pages.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { collect, saveFile } from '../../ui/download.ts';
import { date } from '../../ui/format.ts';
import { Page, Section } from '../../ui/Layout.tsx';
import { SoFar } from '../../ui/SoFar.tsx';
import { SoughtTable } from '../../ui/SoughtTable.tsx';
import { Empty, Failure } from '../../ui/States.tsx';
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
  const [size, setSize] = useState(0);
  const save = useMutation({
    mutationFn: async () => {
      setSize(0);
      saveFile('audit.csv', 'text/csv', await collect(agora.embassy.exportAudit(filter), setSize));
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
      {save.isPending && <SoFar size={size} />}
      <Failure error={save.error} />
    </div>
  );
}

function Events({ filter }: { filter: Filter }) {
  const query = useRows(
    pagesOf(['audit', filter], (cursor) => agora.embassy.audit({ ...filter, pageSize: 50, ...cursor })),
  );
  return (
    <Section flush className="[&>div]:pt-1">
      <SoughtTable
        label="Events"
        query={query}
        columns={auditColumns}
        rowKey={({ eventId }) => eventId}
        empty={<NoEvents isFiltered={Object.keys(filter).length > 0} />}
      />
    </Section>
  );
}

const NoEvents = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty
      title="Nothing matches these filters"
      actions={
        <ButtonLink kind="primary" to="/audit">
          Clear the filters
        </ButtonLink>
      }
    >
      Events about tasks are on the page of the task.
    </Empty>
  ) : (
    <Empty
      title="Nothing happened yet"
      actions={
        <ButtonLink kind="primary" to="/policies">
          Set a limit
        </ButtonLink>
      }
    >
      Every change from {date(Date.now())} on is listed here, one of a policy for example.
    </Empty>
  );
