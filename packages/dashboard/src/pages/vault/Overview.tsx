import type { Reply } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { poolQuery } from '../../api/pool.ts';
import { ButtonLink, TextLink } from '../../ui/Button.tsx';
import { Columns, Facts, Figure, Figures } from '../../ui/Facts.tsx';
import { Section } from '../../ui/Layout.tsx';
import { Loaded, Note } from '../../ui/States.tsx';
import { Money } from '../../ui/Values.tsx';
import { overviewQuery } from '../start/overview-data.ts';
import { Turnover } from '../start/Turnover.tsx';
import { EscrowSection } from './Escrow.tsx';

const BalancePlot = lazy(() => import('./BalancePlot.tsx').then(({ BalancePlot }) => ({ default: BalancePlot })));

type FiguresOf = Reply<'embassy.overview'>;

/** What there is, what is on its way, and what needs attention. */
export function Overview() {
  const figures = useQuery(overviewQuery);
  const pool = useQuery(poolQuery);
  return (
    <>
      <Alerts figures={figures.data} owed={pool.data?.owed ?? 0} />
      <Section>
        <Loaded query={figures} skeleton={<div className="skeleton h-67 sm:h-34" />}>
          {({ pool: { balance, held }, wallets }) => (
            <div className="grid gap-5">
              <Figures>
                <Figure label="Pool" note="To spend on tasks">
                  <Money cents={balance} />
                </Figure>
                <Figure label="Held" note="For open tasks; the rest returns">
                  <Money cents={held} />
                </Figure>
                <Figure label="Wallets" note="Earned or allocated">
                  <Money cents={wallets.available} />
                </Figure>
                <Figure label="On hold" note="Earned; not free yet">
                  <Money cents={wallets.escrowed} />
                </Figure>
              </Figures>
              <div className="screen-only flex flex-wrap gap-2">
                <ButtonLink kind="primary" to="/vault" search={{ tab: 'top-up' }}>
                  Top up
                </ButtonLink>
                <ButtonLink to="/vault" search={{ tab: 'wallets' }}>
                  Withdraw or move
                </ButtonLink>
              </div>
            </div>
          )}
        </Loaded>
      </Section>
      <Columns
        aside={
          <>
            <Section title="Spent and earned" lead="Refunds are taken off.">
              <Turnover figures={figures.data} />
            </Section>
            <AutoTopUpNow />
          </>
        }
      >
        <Section title="Pool balance" lead="The last 30 days">
          <Suspense fallback={<div className="h-56" />}>
            <BalancePlot />
          </Suspense>
        </Section>
        <EscrowSection />
      </Columns>
    </>
  );
}

const moneyAlerts = ['wallet_flagged', 'auto_top_up_failed', 'credits_low'];

function Alerts({ figures, owed }: { figures: FiguresOf | undefined; owed: number }) {
  const alerts = figures?.alerts.filter(({ kind }) => moneyAlerts.includes(kind)) ?? [];
  return (
    <>
      {owed > 0 && (
        <Note kind="warn">
          You owe <Money cents={owed} />: a top-up was refunded or disputed after it had been spent. New credits pay
          this first.
        </Note>
      )}
      {alerts.map(({ kind, message }) => (
        <Note key={kind} kind="warn">
          {message}{' '}
          <TextLink to="/vault" search={{ tab: kind === 'wallet_flagged' ? 'wallets' : 'top-up' }}>
            {kind === 'wallet_flagged' ? 'See wallets' : 'Top up'}
          </TextLink>
        </Note>
      ))}
    </>
  );
}

function AutoTopUpNow() {
  const pool = useQuery(poolQuery);
  return (
    <Section
      title="Auto-top-up"
      actions={
        <TextLink className="text-small" to="/vault" search={{ tab: 'top-up' }}>
          Change
        </TextLink>
      }
    >
      <Loaded query={pool}>
        {({ autoTopUp: { enabled, threshold, reloadAmount, maxPerDay, maxPerMonth } }) => (
          <Facts
            rows={[
              ['State', enabled ? 'On' : 'Off'],
              ['Below', enabled && <Money cents={threshold} />],
              ['Adds', enabled && <Money cents={reloadAmount} />],
              ['At most a day', enabled && maxPerDay !== null && <Money cents={maxPerDay} />],
              ['At most a month', enabled && maxPerMonth !== null && <Money cents={maxPerMonth} />],
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}
