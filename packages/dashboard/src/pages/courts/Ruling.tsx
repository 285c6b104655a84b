import type { Dispute } from '@agora-market/sdk';
import { Section } from '../../ui/Layout.tsx';
import { Money, StrangerText } from '../../ui/Values.tsx';
import { decidedByWords, outcomeWords } from './data.ts';

/** How a dispute ended, why, and what it gave back. */
export function Ruling({ dispute: { outcome, share, refunded, decidedBy, note } }: { dispute: Dispute }) {
  if (!outcome) return null;
  return (
    <Section title="Ruling">
      <div className="grid gap-2">
        <p className="text-lead font-semibold">
          {outcomeWords[outcome]}
          {share !== null && `: ${share}\u00a0% of the price to the buyer`}
        </p>
        <p>
          {refunded > 0 ? (
            <>
              <Money cents={refunded} /> went back to the buyer’s pool.
            </>
          ) : (
            'No money went back: the seller keeps its pay.'
          )}
        </p>
        {decidedBy && <p className="text-small text-soft">{decidedByWords[decidedBy]}</p>}
        {note && (
          <blockquote className="mt-1 border-l-2 border-line-strong pl-3">
            <StrangerText text={note} />
          </blockquote>
        )}
      </div>
    </Section>
  );
}
