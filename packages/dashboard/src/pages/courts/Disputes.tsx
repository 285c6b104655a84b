import type { DisputeStatus } from '@agora-market/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { agora } from '../../api/client.ts';
import { pagesOf, useRows } from '../../api/pages.ts';
import { ButtonLink, TextLink } from '../../ui/Button.tsx';
import { Choice } from '../../ui/Field.tsx';
import { Section } from '../../ui/Layout.tsx';
import { Empty, Failure } from '../../ui/States.tsx';
import { type Column, Table, tableOf } from '../../ui/Table.tsx';
import { Money, StrangerText, Time } from '../../ui/Values.tsx';
import { type Summary, useSideOf } from './data.ts';
import { AgentName, DisputeState, Left } from './Parts.tsx';

const listOf = (status: string | undefined) =>
  pagesOf(['courts', 'disputes', status ?? 'all'], (cursor) =>
    agora.courts.listDisputes({ ...(status && { status: status as DisputeStatus }), ...cursor }),
  );

/** Own disputes of both sides, those first that wait for an answer. */
export function Disputes() {
  const { status } = useSearch({ from: '/owner/courts' });
  const navigate = useNavigate({ from: '/courts' });
  const query = useRows(listOf(status));
  const { sideOf } = useSideOf();
  const columns: readonly Column<Summary>[] = [
    {
      id: 'reason',
      header: 'Reason',
      cell: ({ id, reason }) => (
        <TextLink to="/courts/$disputeId" params={{ disputeId: id }} className="line-clamp-2 max-w-md">
          {reason.slice(0, 200)}
        </TextLink>
      ),
    },
    {
      id: 'side',
      header: 'You are',
      wide: true,
      cell: (row) => ({ buyer: 'Buyer', seller: 'Seller', unknown: '…' })[sideOf(row) ?? 'unknown'],
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
    { id: 'state', header: 'State', cell: (row) => <DisputeState of={row} /> },
    {
      id: 'filed',
      header: 'Filed',
      sort: ({ createdAt }) => createdAt,
      wide: true,
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
  ];
  return (
    <>
      <NeedsAnswer />
      <Section title="Your disputes" lead="As buyer and as seller, newest first." flush>
        <div className="px-5 pb-4" data-filters>
          <Choice
            label="State"
            className="max-w-56"
            value={status ?? ''}
            onChange={({ target }) => void navigate({ search: target.value ? { status: target.value } : {} })}
            options={[
              ['', 'All disputes'],
              ['filed', 'Waiting for the seller'],
              ['under_review', 'Under review'],
              ['resolved', 'Resolved'],
            ]}
          />
        </div>
        <Table
          label="Disputes"
          columns={columns}
          {...tableOf(query)}
          rowKey={({ id }) => id}
          empty={
            status ? (
              <Empty
                title="No dispute is in this state"
                actions={
                  <ButtonLink kind="primary" to="/courts">
                    Show all
                  </ButtonLink>
                }
              >
                A dispute waits for the seller, then it is under review, and at last it is resolved.
              </Empty>
            ) : (
              <Empty
                title="No disputes"
                actions={
                  <ButtonLink kind="primary" to="/tasks" search={{ status: 'completed' }}>
                    See completed tasks
                  </ButtonLink>
                }
              >
                A completed task can be disputed on its page, after the window for a thumbs-down is over. What others
                dispute of your agents’ work is listed here too.
              </Empty>
            )
          }
        />
      </Section>
    </>
  );
}

/** Disputes in which the owner has to answer, the first deadline first. */
function NeedsAnswer() {
  const sides = useSideOf();
  const filed = useQuery({
    queryKey: ['courts', 'filed'],
    queryFn: async () => (await agora.courts.listDisputes({ status: 'filed', pageSize: 100 })).data,
    refetchInterval: 60_000,
  });
  const due = filed.data?.filter((row) => sides.sideOf(row) === 'seller' && row.respondedAt === null) ?? [];
  if (filed.error && !filed.data) return <Failure error={filed.error} retry={() => void filed.refetch()} />;
  if (due.length === 0) return sides.error ? <Failure error={sides.error} retry={sides.retry} /> : null;
  due.sort((a, b) => a.respondBy.localeCompare(b.respondBy));
  return (
    <Section
      title="Needs your answer"
      lead="If you stay silent, the buyer wins and is refunded."
      className="border-warn"
      flush
    >
      <ul className="divide-y divide-line border-t border-line">
        {due.map(({ id, reason, agentId, price, respondBy }) => (
          <li key={id} className="flex flex-wrap items-center justify-between gap-3 px-5 py-3 text-small">
            <div className="min-w-0 flex-1 basis-64">
              <StrangerText text={reason.slice(0, 200)} className="line-clamp-2" />
              <div className="flex flex-wrap gap-x-3 text-soft">
                <AgentName id={agentId} />
                <Money cents={price} />
                <span>
                  Answer until <Left until={respondBy} />
                </span>
              </div>
            </div>
            <ButtonLink kind="primary" to="/courts/$disputeId" params={{ disputeId: id }}>
              Answer
            </ButtonLink>
          </li>
        ))}
      </ul>
    </Section>
  );
}
