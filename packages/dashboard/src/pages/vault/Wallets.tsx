import type { OwnAgent } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { agora } from '../../api/client.ts';
import { pagesOf, useRows } from '../../api/pages.ts';
import { Button, ButtonLink, TextLink } from '../../ui/Button.tsx';
import { Section } from '../../ui/Layout.tsx';
import { Empty } from '../../ui/States.tsx';
import { State, Status } from '../../ui/Status.tsx';
import { type Column, Table, tableOf } from '../../ui/Table.tsx';
import { Money, Time } from '../../ui/Values.tsx';
import { walletQuery } from './data.ts';
import { NextFree } from './Escrow.tsx';
import { MoveDialog, type Route } from './MoveDialog.tsx';
import { Payouts } from './Payouts.tsx';
import { WithdrawDialog } from './WithdrawDialog.tsx';

const agentsList = pagesOf(['agents', 'own', 'pages'], (cursor) => agora.agents.listOwn({ pageSize: 20, ...cursor }));

/** What each agent has, and where it can go. */
export function Wallets() {
  const agents = useRows(agentsList);
  const [move, setMove] = useState<Route | null>(null);
  const [withdrawal, setWithdrawal] = useState<OwnAgent | null>(null);
  const actions = (agent: OwnAgent) => (
    <Actions agent={agent} onMove={(to) => setMove({ agent, to })} onWithdraw={() => setWithdrawal(agent)} />
  );
  const columns: readonly Column<OwnAgent>[] = [
    {
      id: 'agent',
      header: 'Agent',
      sort: ({ displayName }) => displayName,
      name: true,
      cell: (agent) => <AgentCell agent={agent} actions={actions(agent)} />,
    },
    { id: 'escrowed', header: 'On hold', right: true, wide: true, cell: ({ id }) => <Escrowed agentId={id} /> },
    { id: 'available', header: 'Available', right: true, wide: true, cell: ({ id }) => <Available agentId={id} /> },
    {
      id: 'withdrawable',
      header: 'To withdraw',
      right: true,
      wide: true,
      cell: ({ id }) => <Withdrawable agentId={id} />,
    },
    { id: 'actions', header: 'Actions', right: true, wide: true, cell: actions },
  ];
  return (
    <>
      <Section
        title="Wallets"
        lead="Agents earn into their wallets and pay agents they hire from your pool. Withdraw what they earned, or move it. What you add yourself goes back to the pool only."
        flush
      >
        <Table
          label="Wallets"
          columns={columns}
          {...tableOf(agents)}
          rowKey={({ id }) => id}
          empty={
            <Empty
              title="No agents yet"
              actions={
                <ButtonLink kind="primary" to="/my-agents/new">
                  Register an agent
                </ButtonLink>
              }
            >
              Each agent you register has a wallet that its earnings go to.
            </Empty>
          }
        />
      </Section>
      <Payouts />
      {move && <MoveDialog route={move} onClose={() => setMove(null)} />}
      {withdrawal && <WithdrawDialog agent={withdrawal} onClose={() => setWithdrawal(null)} />}
    </>
  );
}

/** The agent; at phone width all else of its row is under its name. */
function AgentCell({ agent: { id, displayName, status }, actions }: { agent: OwnAgent; actions: ReactNode }) {
  const wallet = useQuery(walletQuery(id)).data;
  return (
    <div className="grid justify-items-start gap-1">
      <span className="flex flex-wrap items-center gap-2">
        <TextLink to="/vault" search={{ tab: 'transactions', agentId: id }} className="[overflow-wrap:anywhere]">
          {displayName}
        </TextLink>
        {status !== 'active' && <State of={status} />}
        {wallet?.flagged && <Status tone="bad">Flagged</Status>}
      </span>
      {wallet?.flagged && (
        <span className="max-w-md text-soft">
          Its balance does not match its movements, so nothing can leave it. The operator has been told and will clear
          it.
        </span>
      )}
      <span className="mt-1 grid w-full gap-1.5 sm:hidden">
        <span className="flex justify-between">
          <span className="text-soft">On hold</span>
          <span className="text-right">
            <Escrowed agentId={id} />
          </span>
        </span>
        <span className="flex justify-between">
          <span className="text-soft">Available</span>
          <Available agentId={id} />
        </span>
        <span className="flex justify-between">
          <span className="text-soft">To withdraw</span>
          <span className="text-right">
            <Withdrawable agentId={id} />
          </span>
        </span>
        <span className="mt-1">{actions}</span>
      </span>
    </div>
  );
}

function Available({ agentId }: { agentId: string }) {
  const { data, error } = useQuery(walletQuery(agentId));
  if (error) return <span className="text-bad">Not loaded</span>;
  return data ? <Money cents={data.available} /> : <span className="skeleton inline-block h-4 w-14" />;
}

function Withdrawable({ agentId }: { agentId: string }) {
  const wallet = useQuery(walletQuery(agentId)).data;
  if (!wallet) return <span className="skeleton inline-block h-4 w-14" />;
  return (
    <>
      <Money cents={wallet.withdrawable} />
      {wallet.nextPayableAt && (
        <span className="block text-faint">
          more <Time at={wallet.nextPayableAt} />
        </span>
      )}
    </>
  );
}

function Escrowed({ agentId }: { agentId: string }) {
  const escrowed = useQuery(walletQuery(agentId)).data?.escrowed;
  if (escrowed === undefined) return <span className="skeleton inline-block h-4 w-14" />;
  return (
    <>
      <Money cents={escrowed} />
      {escrowed > 0 && (
        <span className="block text-faint">
          <NextFree agentId={agentId} escrowed={escrowed} />
        </span>
      )}
    </>
  );
}

interface ActionsProps {
  agent: OwnAgent;
  onMove: (to: Route['to']) => void;
  onWithdraw: () => void;
}

function Actions({ agent, onMove, onWithdraw }: ActionsProps) {
  const wallet = useQuery(walletQuery(agent.id)).data;
  const flagged = wallet?.flagged ? 'This wallet is flagged until the operator clears it.' : null;
  const empty = wallet?.available === 0 ? 'Nothing is available in this wallet yet.' : null;
  const nothing = wallet?.withdrawable === 0 ? 'Nothing in this wallet can be withdrawn yet.' : null;
  return (
    <span className="flex flex-wrap gap-1.5 sm:justify-end">
      <Button
        small
        why={flagged ?? (agent.status === 'deactivated' ? 'A deactivated agent takes no credits.' : null)}
        aria-label={`Add to ${agent.displayName}`}
        onClick={() => onMove('wallet')}
      >
        Add
      </Button>
      <Button small why={flagged ?? empty} aria-label={`Move from ${agent.displayName}`} onClick={() => onMove('pool')}>
        Move
      </Button>
      <Button small why={flagged ?? nothing} aria-label={`Withdraw from ${agent.displayName}`} onClick={onWithdraw}>
        Withdraw
      </Button>
    </span>
  );
}
