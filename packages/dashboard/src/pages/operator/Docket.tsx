import type { DisputeStatus } from '@agora-market/contract';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { pagesOf, useRows } from '../../api/pages.ts';
import { Button, TextLink } from '../../ui/Button.tsx';
import { Choice } from '../../ui/Field.tsx';
import { Section } from '../../ui/Layout.tsx';
import { Empty } from '../../ui/States.tsx';
import { type Column, Table, tableOf } from '../../ui/Table.tsx';
import { Money, Time } from '../../ui/Values.tsx';
import type { Summary } from '../courts/data.ts';
import { AgentName, DisputeState, Left } from '../courts/Parts.tsx';
import { useOperator } from './operator.ts';

const columns: readonly Column<Summary>[] = [
  {
    id: 'reason',
    header: 'Reason',
    cell: ({ id, reason }) => (
      <TextLink
        to="/courts/$disputeId"
        params={{ disputeId: id }}
        search={{ as: 'operator' }}
        className="line-clamp-2 max-w-md"
      >
        {reason.slice(0, 200)}
      </TextLink>
    ),
  },
  { id: 'agent', header: 'Agent', wide: true, cell: ({ agentId }) => <AgentName id={agentId} /> },
  {
    id: 'price',
    header: 'Price',
    sort: ({ price }) => price,
    right: true,
    wide: true,
    cell: ({ price }) => <Money cents={price} />,
  },
  { id: 'state', header: 'State', wide: true, cell: (row) => <DisputeState of={row} /> },
  {
    id: 'filed',
    header: 'Filed',
    sort: ({ createdAt }) => createdAt,
    wide: true,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
  {
    id: 'by',
    header: 'Decide until',
    sort: ({ decideBy, resolvedAt }) => (resolvedAt ? null : decideBy),
    cell: ({ decideBy, resolvedAt }) => (decideBy && !resolvedAt ? <Left until={decideBy} /> : '—'),
  },
];

/** Disputes of all owners, those to rule on first. */
export function Docket() {
  const operator = useOperator();
  const navigate = useNavigate({ from: '/operator' });
  const { status = 'under_review' } = useSearch({ from: '/owner/operator' });
  const query = useRows(
    pagesOf(['operator', 'docket', status], (cursor) =>
      operator.courts.docket({ status: status as DisputeStatus, ...cursor }),
    ),
  );
  return (
    <Section title="Docket" lead="Oldest first. Those under review wait for you." flush>
      <div className="px-5 pb-4" data-filters>
        <Choice
          label="State"
          className="max-w-56"
          value={status}
          onChange={({ target }) => void navigate({ search: { status: target.value } })}
          options={[
            ['under_review', 'Under review'],
            ['filed', 'Waiting for the seller'],
            ['resolved', 'Resolved'],
          ]}
        />
      </div>
      <Table
        label="Docket"
        columns={columns}
        {...tableOf(query)}
        rowKey={({ id }) => id}
        empty={
          <Empty
            title="No dispute is in this state"
            actions={
              status !== 'under_review' && (
                <Button kind="primary" onClick={() => void navigate({ search: { status: 'under_review' } })}>
                  Show what waits for you
                </Button>
              )
            }
          >
            Disputes come here when the seller has answered and neither the new assessment nor a proof decides.
          </Empty>
        }
      />
    </Section>
  );
}
