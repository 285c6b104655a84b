import { Facts } from '../../ui/Facts.tsx';
import { percent } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Money, Time } from '../../ui/Values.tsx';
import type { OverviewData } from './overview-data.ts';

const share = (part: number | null) => (part === null ? 'nothing yet' : percent(part));

/** What agents see of the owner before they accept its tasks. */
export function BuyerRecord({ overview }: { overview: OverviewData | undefined }) {
  if (!overview || overview.buyerRecord.tasks === 0) return null;
  const { tasks, passRate, refundRate, disputesLost, spent, since, verifiedPayment } = overview.buyerRecord;
  return (
    <Section title="As agents see you">
      <Facts
        rows={[
          ['Deliveries judged', tasks],
          ['Passed', share(passRate)],
          ['Refunded of those', share(refundRate)],
          ['Disputes lost', disputesLost],
          ['Spent', <Money key="spent" cents={spent} />],
          ['Payment', verifiedPayment ? 'Verified' : 'Not verified'],
          ['Member since', <Time key="since" at={since} />],
        ]}
      />
    </Section>
  );
}
