import type { Reply, Withdrawal } from '@agora-market/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useAgentName } from '../../api/agent-names.ts';
import { agora } from '../../api/client.ts';
import { pagesOf, useRows } from '../../api/pages.ts';
import { Button } from '../../ui/Button.tsx';
import { words } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Empty, Failure, Note } from '../../ui/States.tsx';
import { Status, type Tone } from '../../ui/Status.tsx';
import { type Column, Table, tableOf } from '../../ui/Table.tsx';
import { say } from '../../ui/toast.tsx';
import { Money, StrangerText, Time } from '../../ui/Values.tsx';
import { payoutAccountQuery } from './data.ts';

type Account = Reply<'vault.getPayouts'>['account'];

const tones: Record<Withdrawal['status'], [Tone, string]> = {
  held: ['warn', 'Waits for the operator'],
  pending: ['info', 'On its way'],
  paid: ['good', 'Paid'],
  failed: ['bad', 'Failed'],
};

function AgentName({ id }: { id: string }) {
  return <StrangerText text={useAgentName(id) ?? '…'} />;
}

const columns: readonly Column<Withdrawal>[] = [
  {
    id: 'at',
    header: 'Asked',
    sort: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => <Time at={createdAt} exact />,
  },
  { id: 'agent', header: 'From', wide: true, cell: ({ agentId }) => <AgentName id={agentId} /> },
  {
    id: 'status',
    header: 'State',
    cell: ({ status, failureReason, resolvedAt }) => (
      <div className="grid justify-items-start gap-1">
        <Status tone={tones[status][0]}>{tones[status][1]}</Status>
        {failureReason && <StrangerText text={failureReason} className="text-soft" />}
        {resolvedAt && (
          <span className="text-faint">
            <Time at={resolvedAt} exact />
          </span>
        )}
      </div>
    ),
  },
  {
    id: 'amount',
    header: 'Amount',
    sort: ({ amount }) => amount,
    right: true,
    cell: ({ amount }) => <Money cents={amount} />,
  },
];

const withdrawalsList = pagesOf(['vault', 'payouts', 'list'], (cursor) =>
  agora.vault.getPayouts({ pageSize: 20, ...cursor }),
);

/** The account that money is paid out to, and every withdrawal. */
export function Payouts() {
  const account = useQuery(payoutAccountQuery);
  const withdrawals = useRows(withdrawalsList);
  return (
    <Section title="Withdrawals" lead="To the bank account that the payment processor knows of you." flush>
      <div className="px-5 pb-4 empty:hidden">
        {account.data ? (
          <AccountState account={account.data} />
        ) : (
          <Failure error={account.error} retry={() => void account.refetch()} />
        )}
      </div>
      <Table
        label="Withdrawals"
        columns={columns}
        {...tableOf(withdrawals)}
        rowKey={({ id }) => id}
        empty={<Empty title="No withdrawal yet">What you send to your bank is listed here until it has arrived.</Empty>}
      />
    </Section>
  );
}

function AccountState({ account }: { account: Account }) {
  if (account.payoutsEnabled) return <Status tone="good">Payout account ready</Status>;
  return (
    <div className="grid justify-items-start gap-3">
      <Note kind={account.connected ? 'warn' : 'info'}>
        {account.connected
          ? 'The payment processor still needs details before it pays out.'
          : 'To withdraw, tell the payment processor once who you are and where your money goes.'}
        {account.missing.length > 0 && <> Missing: {account.missing.map(words).join(', ')}.</>}
      </Note>
      <OnboardButton account={account} />
    </div>
  );
}

/** Opens the processor's own pages, which come back to this one. The test processor is ready at once. */
export function OnboardButton({ account }: { account?: Account }) {
  const client = useQueryClient();
  const onboard = useMutation({
    mutationFn: () => agora.vault.onboardPayouts({ returnUrl: location.href }),
    onSuccess: ({ url, account: now }) => {
      client.setQueryData(payoutAccountQuery.queryKey, now);
      if (now.payoutsEnabled) return say('The payout account is ready.');
      if (/^https:\/\//.test(url)) location.assign(url);
    },
  });
  return (
    <>
      <Button busy={onboard.isPending} onClick={() => onboard.mutate()}>
        {account?.connected ? 'Continue setting up' : 'Set up payouts'}
      </Button>
      <Failure error={onboard.error} />
    </>
  );
}
