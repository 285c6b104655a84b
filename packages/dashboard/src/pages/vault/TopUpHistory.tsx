import { useQuery } from '@tanstack/react-query';
import { agora } from '../../api/client.ts';
import { TextLink } from '../../ui/Button.tsx';
import { Section } from '../../ui/Layout.tsx';
import { Empty } from '../../ui/States.tsx';
import { type Column, Table } from '../../ui/Table.tsx';
import { Money, Time } from '../../ui/Values.tsx';
import { causeWords } from './causes.ts';
import type { Movement } from './data.ts';

const causes = ['top_up', 'top_up_refunded', 'top_up_reinstated'] as const;

const columns: readonly Column<Movement>[] = [
  {
    id: 'at',
    header: 'When',
    sort: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => <Time at={createdAt} exact />,
  },
  { id: 'cause', header: 'What', cell: ({ cause }) => causeWords[cause] },
  {
    id: 'amount',
    header: 'Amount',
    sort: ({ amount }) => amount,
    right: true,
    cell: ({ amount }) => <Money cents={amount} signed />,
  },
];

/** The latest top-ups, and what of them was refunded. */
export function TopUpHistory() {
  const history = useQuery({
    queryKey: ['vault', 'top-ups'],
    queryFn: async () => {
      const pages = await Promise.all(
        causes.map((cause) => agora.vault.poolTransactions({ cause, account: 'pool_available', pageSize: 10 })),
      );
      return pages
        .flatMap(({ data }) => data)
        .sort((a, b) => b.createdAt.localeCompare(a.createdAt))
        .slice(0, 10);
    },
  });
  return (
    <Section
      title="Latest top-ups"
      lead="Refunds to your card stand beside them. Ask the operator for one."
      flush
      actions={
        <TextLink className="text-small" to="/vault" search={{ tab: 'transactions', cause: 'top_up' }}>
          All top-ups
        </TextLink>
      }
    >
      <Table
        label="Latest top-ups"
        columns={columns}
        rows={history.data}
        rowKey={({ id, account }) => id + account}
        error={history.data ? undefined : history.error}
        retry={() => void history.refetch()}
        empty={<Empty title="No top-up yet">Your top-ups and their refunds are listed here.</Empty>}
      />
    </Section>
  );
}
