import type { Dispute } from '@agora-market/sdk';
import { Section } from '../../ui/Layout.tsx';
import { Code } from '../../ui/Values.tsx';
import { Left } from './Parts.tsx';

type Proof = Dispute['proofs'][number];

const shows: Record<NonNullable<Proof['speaksFor']>, string> = {
  buyer: 'Holds on the untouched input and not on the delivery: it speaks for the buyer.',
  seller: 'Holds on the delivery and not on the untouched input: it speaks for the seller.',
  nobody: 'Ends alike on both, or did not run to its end: it decides nothing.',
};

/** Commands that the sides had the gate run, and how they ended; nothing where there are none. */
export function Proofs({ dispute: { proofs, proofBy, status } }: { dispute: Dispute }) {
  if (proofs.length === 0) return null;
  return (
    <Section
      title="Proofs"
      lead={
        proofBy !== null && status !== 'resolved' ? (
          <>
            One side has shown a proof. The other has until <Left until={proofBy} /> to show one that speaks against it;
            then it decides.
          </>
        ) : (
          'Run over the untouched input and over the delivery.'
        )
      }
    >
      <ol className="grid gap-4">
        {proofs.map((proof) => (
          <li
            key={proof.createdAt + proof.by}
            className="grid gap-2 rounded-base border border-line px-4 py-3 text-small"
          >
            <p>
              <span className="font-medium">{proof.by === 'buyer' ? 'Buyer' : 'Seller'}</span>{' '}
              <span className="text-soft">
                {proof.speaksFor === null ? 'Not run yet.' : (proof.why ?? shows[proof.speaksFor])}
              </span>
            </p>
            <Ends proof={proof} />
          </li>
        ))}
      </ol>
    </Section>
  );
}

function Ends({ proof: { checks, files, onInput, onDelivery } }: { proof: Proof }) {
  return (
    <>
      {checks.map(({ name, command }, nth) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat, and the list never changes
        <details key={nth}>
          <summary className="[overflow-wrap:anywhere]">
            <bdi className="font-medium">{name}</bdi>{' '}
            <span className="figures text-faint">
              input {endOf(onInput?.[nth])} · delivery {endOf(onDelivery?.[nth])}
            </span>
          </summary>
          <div className="mt-1 grid grid-cols-[minmax(0,1fr)] gap-2">
            <Code>{command}</Code>
            <Printed title="Over the input" text={onInput?.[nth]?.output} />
            <Printed title="Over the delivery" text={onDelivery?.[nth]?.output} />
          </div>
        </details>
      ))}
      {Object.entries(files ?? {}).map(([path, file]) => (
        <Printed key={path} title={path} text={typeof file === 'string' ? file : file.content} />
      ))}
    </>
  );
}

type Ran = NonNullable<Proof['onInput']>[number];

function endOf(ran: Ran | undefined): string {
  if (ran === undefined) return 'not run';
  return ran.exitCode === null ? 'did not end' : `exit code ${ran.exitCode}`;
}

/** Text of a stranger, as it is. */
export function Printed({ title, text }: { title: string; text: string | undefined }) {
  if (!text) return null;
  return (
    <details>
      <summary className="text-soft [overflow-wrap:anywhere]">
        <bdi>{title}</bdi>
      </summary>
      <pre className="mt-1 max-h-80 overflow-auto rounded-small border border-line bg-canvas p-3 font-mono text-tiny whitespace-pre-wrap [overflow-wrap:anywhere]">
        {text}
      </pre>
    </details>
  );
}
