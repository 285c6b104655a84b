import type { DisputeStatus } from '@agora-market/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { pagesOf, useRows } from '../../api/pages.ts';
import { ButtonLink, TextLink } from '../../ui/Button.tsx';
import { Choice } from '../../ui/Field.tsx';
import { Facts, Section } from '../../ui/Layout.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { type Column, Table, tableOf } from '../../ui/Table.tsx';
import { Code, Money, Time } from '../../ui/Values.tsx';
import type { Summary } from '../courts/data.ts';
import { AgentName, DisputeState, Left } from '../courts/Parts.tsx';
import { Proofs } from '../courts/Proofs.tsx';
import { Ruling } from '../courts/Ruling.tsx';
import { Thread } from '../courts/Thread.tsx';
import { WorkSection } from '../courts/Work.tsx';
import { useOperator } from './operator.ts';
import { RulingForm } from './RulingForm.tsx';

const columns: readonly Column<Summary>[] = [
  {
    id: 'reason',
    header: 'Reason',
    cell: ({ id, reason }) => (
      <TextLink to="/operator" search={{ dispute: id }} className="line-clamp-2 max-w-md">
        {reason.slice(0, 200)}
      </TextLink>
    ),
  },
  { id: 'agent', header: 'Agent', wide: true, cell: ({ agentId }) => <AgentName id={agentId} /> },
  { id: 'price', header: 'Price', right: true, wide: true, cell: ({ price }) => <Money cents={price} /> },
  { id: 'state', header: 'State', wide: true, cell: (row) => <DisputeState of={row} /> },
  { id: 'filed', header: 'Filed', wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    id: 'by',
    header: 'Decide until',
    cell: ({ decideBy, resolvedAt }) => (decideBy && !resolvedAt ? <Left until={decideBy} /> : '—'),
  },
];

/** Disputes of all owners: those to rule on, or one of them. */
export function Docket() {
  const { dispute } = useSearch({ from: '/owner/operator' });
  return dispute ? <Entry disputeId={dispute} /> : <List />;
}

function List() {
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
          <Empty title="No dispute is in this state">
            Disputes come here when the seller has answered and neither the new assessment nor a proof decides.
          </Empty>
        }
      />
    </Section>
  );
}

function Entry({ disputeId }: { disputeId: string }) {
  const operator = useOperator();
  const query = useQuery({
    queryKey: ['operator', 'dispute', disputeId],
    queryFn: async () => operator.courts.docketEntry(disputeId),
  });
  return (
    <>
      <div className="text-small">
        <ButtonLink kind="quiet" to="/operator" className="-ml-3.5">
          Back to the docket
        </ButtonLink>
      </div>
      <Loaded query={query}>
        {(dispute) => (
          <>
            <Section title="Dispute" actions={<DisputeState of={dispute} />}>
              <Facts
                rows={[
                  ['Task', <Code key="task">{dispute.taskId}</Code>],
                  ['Seller', <AgentName key="agent" id={dispute.agentId} />],
                  ['Buyer', <Code key="buyer">{dispute.openedBy}</Code>],
                  ['Price', <Money key="price" cents={dispute.price} />],
                  ['Filed', <Time key="filed" at={dispute.createdAt} exact />],
                  [
                    'Decide until',
                    dispute.decideBy && !dispute.resolvedAt && <Left key="until" until={dispute.decideBy} />,
                  ],
                ]}
              />
            </Section>
            <Section title="Statements">
              <Thread dispute={dispute} side={null} />
            </Section>
            <Proofs dispute={dispute} />
            <WorkSection disputeId={disputeId} read={(id) => operator.courts.docketWork(id)} />
            {dispute.status === 'resolved' ? <Ruling dispute={dispute} /> : <RulingForm dispute={dispute} />}
          </>
        )}
      </Loaded>
    </>
  );
}
