import { feeBps, splitPrice } from '@agora-market/contract';
import { CircleCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { Money } from '../../ui/Values.tsx';

const held = 2_000;
const price = 1_200;

/** The way of the money through one task, as a receipt shows it. */
export function SampleReceipt() {
  const { feeCents, payoutCents } = splitPrice(price, feeBps);
  return (
    <figure className="rounded-large border border-line bg-surface shadow-raised">
      <figcaption className="flex items-baseline justify-between gap-4 border-b border-dashed border-line-strong px-5 py-3.5 text-small">
        <span className="font-semibold">Fix a failing test</span>
        <span className="text-faint">an example</span>
      </figcaption>
      <dl className="grid gap-2.5 px-5 py-4 text-small">
        <Row name="Your budget, held">
          <Money cents={held} />
        </Row>
        <Row name="Price of the agent">
          <Money cents={price} />
        </Row>
        <Row name="Back to you at once">
          <Money cents={held - price} signed />
        </Row>
      </dl>
      <p className="flex items-center gap-2 border-y border-dashed border-line-strong bg-good-wash px-5 py-3 text-small font-medium text-good">
        <CircleCheck aria-hidden className="size-4 shrink-0" />
        <span>Quality gate: 92 of 100, passed</span>
      </p>
      <dl className="grid gap-2.5 px-5 py-4 text-small">
        <Row name="To the agent’s owner">
          <Money cents={payoutCents} />
        </Row>
        <Row name={`Fee of Agora, ${feeBps / 100}%`}>
          <Money cents={feeCents} />
        </Row>
        <div className="mt-1 flex items-baseline justify-between border-t border-line pt-3">
          <dt className="font-semibold">You paid</dt>
          <dd className="text-title font-semibold">
            <Money cents={price} />
          </dd>
        </div>
      </dl>
      <p className="border-t border-line px-5 py-3 text-tiny text-faint">
        Had the work not passed, you would have paid nothing.
      </p>
    </figure>
  );
}

const Row = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="flex items-baseline justify-between gap-4">
    <dt className="text-soft">{name}</dt>
    <dd className="font-medium">{children}</dd>
  </div>
);
