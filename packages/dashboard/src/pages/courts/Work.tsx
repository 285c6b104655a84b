import type { Reply } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { agora } from '../../api/client.ts';
import { words } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Loaded } from '../../ui/States.tsx';
import { StrangerText } from '../../ui/Values.tsx';
import { Printed } from './Proofs.tsx';

type Work = Reply<'courts.disputedWork'>;

/** What a dispute is about: what was asked, said and changed. The operator reads it with a client of its own. */
export function WorkSection({
  disputeId,
  read = agora.courts.disputedWork.bind(agora.courts),
}: {
  disputeId: string;
  read?: (disputeId: string) => PromiseLike<Work>;
}) {
  const query = useQuery({
    queryKey: ['courts', 'work', disputeId],
    queryFn: async () => read(disputeId),
    staleTime: 60_000,
  });
  return (
    <Section title="Work" lead="What was asked, and what was delivered.">
      <Loaded query={query}>{(work) => <Shown work={work} />}</Loaded>
    </Section>
  );
}

function Shown({ work: { description, messages, output, patch } }: { work: Work }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2 text-small">
      {description !== null && <StrangerText text={description} />}
      {messages.length > 0 && <h3 className="mt-2 font-medium">Messages</h3>}
      {messages.map(({ id, author, kind, text }) => (
        <div key={id}>
          <p className="text-soft">
            {words(author)}, {words(kind)}
          </p>
          <StrangerText text={text} />
        </div>
      ))}
      <Printed title="Output" text={output === null ? undefined : JSON.stringify(output, null, 2)} />
      {patch?.text === null ? (
        <p className="text-soft">The change is too long for this page, or was not kept.</p>
      ) : (
        <Printed title="Change" text={patch?.text} />
      )}
    </div>
  );
}
