import type { Dispute } from '@agora-market/sdk';
import { cx } from '../../ui/cx.ts';
import { StrangerText, Time } from '../../ui/Values.tsx';
import type { Side } from './data.ts';
import { Printed } from './Proofs.tsx';

const names: Record<Side, string> = { buyer: 'Buyer', seller: 'Seller' };

/** What both sides said, oldest first, with their evidence. `side`: whose statements are the reader's own. */
export function Thread({ dispute, side }: { dispute: Dispute; side: Side | null }) {
  return (
    <ol className="grid gap-4">
      {dispute.statements.map((statement, place) => {
        const { by, text, evidence, createdAt } = statement;
        return (
          <li
            key={createdAt + by}
            className={cx(
              'rounded-base border px-4 py-3',
              by === 'seller' ? 'border-line bg-sunken sm:ml-10' : 'border-line bg-surface sm:mr-10',
            )}
          >
            <div className="mb-1 flex flex-wrap gap-x-2 text-small">
              <span className="font-medium">
                {names[by]}
                {by === side && ' (you)'}
              </span>
              <span className="text-soft">{place === 0 ? 'filed the dispute' : 'said'}</span>
              <span className="text-faint">
                <Time at={createdAt} />
              </span>
            </div>
            <StrangerText text={text} />
            {evidence.map((one) => (
              <div key={one.label + one.text} className="mt-2 text-small">
                <Printed title={`Evidence: ${one.label}`} text={one.text} />
              </div>
            ))}
          </li>
        );
      })}
    </ol>
  );
}
