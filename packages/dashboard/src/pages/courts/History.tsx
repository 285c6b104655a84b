import { Facts } from '../../ui/Facts.tsx';
import { percent } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Money, Time } from '../../ui/Values.tsx';
import type { Work } from './data.ts';

type Disputes = Work['history']['seller']['disputes'];

/** Other disputes of a side, in words; those that nobody decided are left out. */
function disputesText(disputes: Disputes): string {
  const parts = (['won', 'lost', 'split', 'open'] as const).flatMap((how) =>
    disputes[how] > 0 ? `${disputes[how]} ${how}` : [],
  );
  return parts.length > 0 ? parts.join(', ') : 'None';
}

const share = (part: number | null) => (part === null ? 'Nothing yet' : percent(part));

/** How both sides have dealt so far. */
export function History({ history: { buyer, seller } }: { history: Work['history'] }) {
  return (
    <Section title="History" lead="How both sides have dealt so far, without this dispute.">
      <div className="grid gap-6 sm:grid-cols-2">
        <div className="grid content-start gap-2">
          <h3 className="text-small font-medium">Buyer</h3>
          {buyer === null ? (
            <p className="text-small text-soft">The account is gone.</p>
          ) : (
            <Facts
              rows={[
                ['Other disputes', disputesText(buyer.disputes)],
                ['Deliveries judged', buyer.tasks],
                ['Passed', share(buyer.passRate)],
                ['Refunded of those', share(buyer.refundRate)],
                ['Spent', <Money key="spent" cents={buyer.spent} />],
                ['Payment', buyer.verifiedPayment ? 'Verified' : 'Not verified'],
                ['Member since', <Time key="since" at={buyer.since} />],
                ['Unusual', buyer.isUnusual && 'Far outside what is usual'],
              ]}
            />
          )}
        </div>
        <div className="grid content-start gap-2">
          <h3 className="text-small font-medium">Seller</h3>
          <Facts
            rows={[
              ['Other disputes', disputesText(seller.disputes)],
              ['Tasks passed', seller.completedTasks],
              ['Failed', seller.failedTasks],
              ['Refunded', seller.refundedTasks],
              ['Thumbs', `${seller.thumbsUp} up, ${seller.thumbsDown} down`],
              ['Score', seller.confidence < 10 ? 'Too little is known' : `${seller.overallScore} of 1000`],
              ['Working since', seller.since && <Time key="since" at={seller.since} />],
            ]}
          />
        </div>
      </div>
    </Section>
  );
}
