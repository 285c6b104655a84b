import type { AccountKind, TransferCause } from '@agora-market/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ownAgentsQuery } from '../../api/agents.ts';
import { agora } from '../../api/client.ts';
import { pagesOf, useRows } from '../../api/pages.ts';
import { Button, ButtonLink, TextLink } from '../../ui/Button.tsx';
import { CopyTable } from '../../ui/CopyTable.tsx';
import { Choice, TextField } from '../../ui/Field.tsx';
import { Section } from '../../ui/Layout.tsx';
import { SoughtTable } from '../../ui/SoughtTable.tsx';
import { Empty, Note } from '../../ui/States.tsx';
import type { Column } from '../../ui/Table.tsx';
import { Money, Time } from '../../ui/Values.tsx';
import { accountWords, causeOptions, causeWords } from './causes.ts';
import type { Movement } from './data.ts';
import { ExportButtons } from './Export.tsx';
import { type Filters, filterOf } from './filters.ts';
import { StatementsSection } from './Statements.tsx';

const columns: readonly Column<Movement>[] = [
  {
    id: 'at',
    header: 'When',
    sort: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => <Time at={createdAt} exact />,
  },
  {
    id: 'what',
    header: 'What',
    cell: ({ cause, taskId, account }) => (
      <>
        {causeWords[cause]}
        {taskId && (
          <>
            {' · '}
            <TextLink to="/tasks/$taskId" params={{ taskId }} className="whitespace-nowrap">
              <span className="sr-only">Task </span>
              {`…${taskId.slice(-6)}`}
            </TextLink>
          </>
        )}
        <span className="block text-faint sm:hidden">{accountWords[account]}</span>
      </>
    ),
  },
  { id: 'account', header: 'Account', wide: true, cell: ({ account }) => accountWords[account] },
  {
    id: 'amount',
    header: 'Amount',
    sort: ({ amount }) => amount,
    right: true,
    cell: ({ amount }) => <Money cents={amount} signed />,
  },
  { id: 'after', header: 'Balance after', right: true, wide: true, cell: (row) => <Money cents={row.balanceAfter} /> },
];

const listOf = (agentId: string | undefined, filter: Filters) =>
  pagesOf(['vault', 'transactions', agentId ?? 'pool', filter], (cursor) => {
    const query = { ...filter, ...cursor, pageSize: 50 };
    return agentId
      ? agora.vault.agentWalletTransactions(agentId, query as Parameters<typeof agora.vault.agentWalletTransactions>[1])
      : agora.vault.poolTransactions(query as Parameters<typeof agora.vault.poolTransactions>[0]);
  });

/** Every movement of the pool or of one wallet, with the balance that it left. */
export function Transactions() {
  const search = useSearch({ from: '/owner/vault' });
  const { filter, problem } = filterOf(search);
  const query = useRows(listOf(search.agentId, filter));
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      <Section>
        <FilterBar />
        {problem && (
          <div className="mt-4">
            <Note kind="warn">{problem}</Note>
          </div>
        )}
      </Section>
      <Section
        title="Movements"
        lead={isFiltered ? 'What the filters match, newest first.' : 'Newest first.'}
        actions={
          <>
            <CopyTable />
            <ExportButtons agentId={search.agentId} filter={filter} />
          </>
        }
        flush
      >
        <SoughtTable
          label="Movements"
          query={query}
          columns={columns}
          rowKey={({ id, account }) => id + account}
          empty={
            isFiltered ? (
              <Empty
                title="No movement matches these filters"
                actions={
                  <ButtonLink kind="primary" to="/vault" search={{ tab: 'transactions' }}>
                    Clear filters
                  </ButtonLink>
                }
              >
                Movements are kept for good, so fewer filters or more days find more.
              </Empty>
            ) : (
              <Empty
                title="No movements yet"
                actions={
                  <ButtonLink kind="primary" to="/vault">
                    Top up credits
                  </ButtonLink>
                }
              >
                Every top-up, task, refund and withdrawal is listed here for good.
              </Empty>
            )
          }
        />
      </Section>
      <StatementsSection />
    </>
  );
}

const poolAccounts: readonly AccountKind[] = ['pool_available', 'pool_held'];
const walletAccounts: readonly AccountKind[] = ['wallet_allocated', 'wallet_available', 'wallet_escrowed'];

function FilterBar() {
  const search = useSearch({ from: '/owner/vault' });
  const navigate = useNavigate({ from: '/vault' });
  const agents = useQuery(ownAgentsQuery).data ?? [];
  const set = (change: Partial<typeof search>) =>
    void navigate({
      search: (now) => Object.fromEntries(Object.entries({ ...now, ...change }).filter(([, value]) => value)),
    });
  const accounts = search.agentId ? walletAccounts : poolAccounts;
  const cause: string = search.cause ?? '';
  return (
    <div data-filters className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-[repeat(5,minmax(0,1fr))_auto]">
      <Choice
        label="Pool or wallet"
        value={search.agentId ?? ''}
        onChange={(event) => set({ agentId: event.target.value, account: '' })}
        options={[['', 'Pool'], ...agents.map(({ id, displayName }) => [id, displayName] as const)]}
      />
      <Choice
        label="Account"
        value={search.account ?? ''}
        onChange={(event) => set({ account: event.target.value })}
        options={[['', 'Both accounts'], ...accounts.map((account) => [account, accountWords[account]] as const)]}
      />
      <Choice
        label="Kind"
        value={cause}
        onChange={(event) => set({ cause: event.target.value })}
        options={
          cause && !causeOptions.some(([value]) => value === cause)
            ? [...causeOptions, [cause, causeWords[cause as TransferCause] ?? cause]]
            : causeOptions
        }
      />
      <TextField
        label="From"
        type="date"
        value={search.from ?? ''}
        onChange={(event) => set({ from: event.target.value })}
      />
      <TextField label="To" type="date" value={search.to ?? ''} onChange={(event) => set({ to: event.target.value })} />
      <Button
        kind="quiet"
        className="self-end max-lg:justify-self-start"
        onClick={() => void navigate({ search: { tab: 'transactions' } })}
      >
        Clear
      </Button>
    </div>
  );
}
