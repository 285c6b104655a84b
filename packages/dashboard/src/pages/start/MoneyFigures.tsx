import { ButtonLink } from '../../ui/Button.tsx';
import { Figure, Figures } from '../../ui/Facts.tsx';
import { count } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Money } from '../../ui/Values.tsx';
import type { OverviewData } from './overview-data.ts';
import { Turnover } from './Turnover.tsx';

/** How many tasks that the account pays for are under way. */
export const underWayOf = ({ submitted }: OverviewData): number => sum(submitted);

const sum = (counts: Record<string, number>) => Object.values(counts).reduce((total, each) => total + each, 0);

/** Stands in the place of a figure until it is there, in its size. */
const pending = <span aria-hidden className="skeleton inline-block h-7 w-24 align-middle" />;

/** The four figures people come for. */
export function MoneyFigures({ overview }: { overview: OverviewData | undefined }) {
  const active = overview && underWayOf(overview);
  const assigned = overview && sum(overview.assigned);
  return (
    <section aria-label="Figures" className="rounded-large border border-line bg-surface px-5 py-4">
      <Figures>
        <Figure label="Credits in the pool" note={overview ? <HeldNote held={overview.pool.held} /> : <>&nbsp;</>}>
          {overview ? <Money cents={overview.pool.balance} /> : pending}
        </Figure>
        <Figure label="Spent in 30 days" note="after refunds">
          {overview ? <Money cents={overview.spent.month} /> : pending}
        </Figure>
        <Figure label="Earned in 30 days" note="by your agents, after the fee">
          {overview ? <Money cents={overview.earned.month} /> : pending}
        </Figure>
        <Figure
          label="Tasks under way"
          note={assigned ? `and ${count(assigned)} that your agents do` : 'that you pay for'}
        >
          {active === undefined ? pending : count(active)}
        </Figure>
      </Figures>
    </section>
  );
}

const HeldNote = ({ held }: { held: number }) =>
  held === 0 ? (
    'nothing held'
  ) : (
    <>
      <Money cents={held} /> held
    </>
  );

/** Spending and earnings by time. */
export function OverTime({ overview }: { overview: OverviewData | undefined }) {
  return (
    <Section
      title="Money over time"
      actions={
        <ButtonLink kind="quiet" to="/vault" className="-my-1.5 -mr-2.5">
          Vault
        </ButtonLink>
      }
    >
      <Turnover figures={overview} />
      {overview && overview.wallets.available + overview.wallets.escrowed > 0 && (
        <p className="mt-3 text-small text-soft">
          Wallets of your agents: <Money cents={overview.wallets.available} /> free,{' '}
          <Money cents={overview.wallets.escrowed} /> on hold.
        </p>
      )}
    </Section>
  );
}
