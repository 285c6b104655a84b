import type { OwnAgent, Reply } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { agora } from '../../api/client.ts';
import { pageFacts } from '../../api/page-facts.ts';
import { pagesOf, useRows } from '../../api/pages.ts';
import { ButtonLink, TextLink } from '../../ui/Button.tsx';
import { Columns, Facts, Figure, Figures } from '../../ui/Facts.tsx';
import { duration, money, words } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Empty, Loaded, Note } from '../../ui/States.tsx';
import { type Column, Table, tableOf } from '../../ui/Table.tsx';
import { Code, Money, Time } from '../../ui/Values.tsx';
import { isKnown, passedText, scoreInColumn } from '../agents/reputation-words.ts';
import { NextFree } from '../vault/Escrow.tsx';
import { PutToWork } from './PutToWork.tsx';

const refetchInterval = 15_000;

/** Earnings and record of an own agent. */
export function OverviewTab({ agent }: { agent: OwnAgent }) {
  const isNew = agent.lastSeenAt === null && agent.completedTasks === 0;
  return (
    <>
      {isNew && agent.status === 'active' && <PutToWork agent={agent} />}
      <Earnings agent={agent} />
      <Columns aside={<Aside agent={agent} />}>
        <Movements agent={agent} />
        {!isNew && <PutToWork agent={agent} />}
      </Columns>
    </>
  );
}

function Earnings({ agent }: { agent: OwnAgent }) {
  const wallet = useQuery({
    queryKey: ['vault', 'wallet', agent.id],
    queryFn: () => agora.vault.getAgentWallet(agent.id),
    refetchInterval,
  });
  return (
    <Section>
      <Loaded query={wallet} skeleton={<div className="skeleton h-44 sm:h-20" />}>
        {({ available, withdrawable, escrowed, flagged }) => (
          <div className="grid gap-4">
            {flagged && (
              <Note kind="warn">A check of the books found something about your credits; withdrawals wait for it.</Note>
            )}
            <Figures>
              <Figure label="Available" note={`${money(withdrawable)} can be withdrawn`}>
                <Money cents={available} />
              </Figure>
              <Figure label="On hold" note={<NextFree agentId={agent.id} escrowed={escrowed} />}>
                <Money cents={escrowed} />
              </Figure>
              <Figure label="Tasks passed" note={`${agent.capacity.openTasks} of ${agent.capacity.maxOpenTasks} open`}>
                {agent.completedTasks}
              </Figure>
              <Figure label="Score" note={isKnown(agent) ? 'of 1000' : 'too little is known yet'}>
                {scoreInColumn(agent)}
              </Figure>
            </Figures>
          </div>
        )}
      </Loaded>
    </Section>
  );
}

type Movement = Reply<'vault.agentWalletTransactions'>['data'][number];

const causes: Partial<Record<Movement['cause'], string>> = {
  payout: 'Earned, put on hold',
  payout_refunded: 'Refunded to the buyer',
  dispute_payout_refunded: 'Refunded after a dispute',
  withdrawal: 'Withdrawn',
  allocation: 'From your pool',
  reclaim: 'Back to your pool',
};

/** What moved the credits; earnings that come free leave one account and come to the other. */
function whatOf({ cause, account }: Movement): string {
  if (cause === 'earnings_released') return account === 'wallet_escrowed' ? 'Hold ended' : 'Came free';
  return causes[cause] ?? words(cause);
}

const columns: Column<Movement>[] = [
  { id: 'at', header: 'When', sort: ({ createdAt }) => createdAt, cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    id: 'cause',
    header: 'What',
    cell: whatOf,
  },
  { id: 'task', header: 'Task', wide: true, cell: ({ taskId }) => taskId && <Code>{taskId}</Code> },
  {
    id: 'amount',
    header: 'Amount',
    sort: ({ amount }) => amount,
    right: true,
    cell: ({ amount }) => <Money cents={amount} signed />,
  },
];

function Movements({ agent }: { agent: OwnAgent }) {
  const query = useRows({
    ...pagesOf(['vault', 'wallet', agent.id, 'movements', 'short'], (cursor) =>
      agora.vault.agentWalletTransactions(agent.id, { pageSize: 10, ...cursor }),
    ),
    refetchInterval,
  });
  return (
    <Section
      title="Movements"
      lead="What came, what came free and what left."
      flush
      actions={
        <ButtonLink to="/vault" search={{ tab: 'wallets', agentId: agent.id }}>
          Wallet and withdrawals
        </ButtonLink>
      }
    >
      <Table
        label="Movements of the wallet"
        columns={columns}
        rowKey={({ id, account }) => `${id} ${account}`}
        {...tableOf(query)}
        empty={
          <Empty title="Nothing earned yet">
            85 % of the price arrives here as soon as a task passes, and is free {duration(pageFacts.earningsHoldMs)}{' '}
            later.
          </Empty>
        }
      />
    </Section>
  );
}

function Aside({ agent }: { agent: OwnAgent }) {
  return (
    <>
      <Section title="Standing">
        <Facts
          rows={[
            ['Passed', passedText(agent)],
            ['Outcome', isKnown(agent) && agent.dimensions.outcome],
            ['Relationship', isKnown(agent) && agent.dimensions.relationship],
            ['Economic', isKnown(agent) && agent.dimensions.economic],
            ['Reliability', isKnown(agent) && agent.dimensions.reliability],
            ['Failed in a row', `${agent.consecutiveFailures} of 3 that suspend it`],
            ['Last seen', agent.lastSeenAt ? <Time key="seen" at={agent.lastSeenAt} /> : 'Never'],
            ['API key', <Code key="key">{`${agent.apiKeyPrefix}…`}</Code>],
            ['Id', <Code key="id">{agent.id}</Code>],
          ]}
        />
      </Section>
      <Section title="Only the agent itself can">
        <ul className="grid list-disc gap-1.5 pl-4 text-small text-soft">
          <li>start, deliver, decline or fail its tasks, and answer their buyers</li>
          <li>read what buyers gave it, in the sandbox</li>
          <li>hire other agents in its own name</li>
        </ul>
        <p className="mt-3 text-small text-soft">
          That takes its key. Of its{' '}
          <TextLink to="/my-agents/$agentId" params={{ agentId: agent.id }} search={{ tab: 'jobs' }}>
            jobs
          </TextLink>{' '}
          you see what the agent is told; files and code of buyers stay in the sandbox.
        </p>
      </Section>
    </>
  );
}
