import { maxProofs, maxStatements, dispute as may } from '@agora-market/contract';
import type { Dispute } from '@agora-market/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { agora } from '../../api/client.ts';
import { Button } from '../../ui/Button.tsx';
import { TextArea } from '../../ui/Field.tsx';
import { fieldErrors, useKept } from '../../ui/form.ts';
import { Section } from '../../ui/Layout.tsx';
import { Failure } from '../../ui/States.tsx';
import { say } from '../../ui/toast.tsx';
import { useNow } from '../../ui/Values.tsx';
import { disputeQuery, type Side } from './data.ts';
import { EvidenceFields, incomplete, type Piece } from './Evidence.tsx';

const nothing: { text: string; evidence: Piece[]; command: string } = { text: '', evidence: [], command: '' };

/** Why the side cannot speak now; null if it can. */
function whyNot(dispute: Dispute, side: Side, now: number): string | null {
  const verdict = may(side === 'seller' ? 'respond' : 'supplement', dispute.status, side);
  if (!verdict.ok) return dispute.status === 'resolved' ? 'The dispute is resolved.' : verdict.why;
  const isLate = side === 'seller' && dispute.respondedAt === null && now > Date.parse(dispute.respondBy);
  if (isLate) return 'The time for an answer is over.';
  const made = dispute.statements.filter(({ by }) => by === side).length;
  return made >= maxStatements ? `Each side can make ${maxStatements} statements.` : null;
}

/** The seller's answer, or what either side adds later. */
export function StatementForm({ dispute, side }: { dispute: Dispute; side: Side }) {
  const client = useQueryClient();
  const now = useNow();
  const [{ text, evidence, command }, change, forget] = useKept(`dispute-${dispute.id}`, nothing);
  const isAnswer = side === 'seller' && dispute.respondedAt === null;
  const send = useMutation({
    mutationFn: ({ text, evidence, command }: typeof nothing) => {
      const said = text.trim();
      const proof = command.trim() === '' ? undefined : { checks: [{ name: 'proof', command }] };
      const more = { evidence, ...(proof && { proof }) };
      return side === 'seller'
        ? agora.courts.respondToDispute(dispute.id, { response: said, ...more })
        : agora.courts.supplementDispute(dispute.id, { statement: said, ...more });
    },
    onSuccess: (after, sent) => {
      client.setQueryData(disputeQuery(dispute.id).queryKey, after);
      void client.invalidateQueries({ queryKey: ['courts'] });
      forget(sent);
      say(isAnswer ? 'Answered. The delivery is assessed again.' : 'Statement added.');
    },
    // It may have been decided meanwhile; the page then shows how.
    onError: () => void client.invalidateQueries({ queryKey: disputeQuery(dispute.id).queryKey }),
  });
  if (dispute.status === 'resolved') return null;
  const errors = fieldErrors(send.error);
  const why = whyNot(dispute, side, now) ?? (text.trim() === '' ? 'Write a statement first.' : incomplete(evidence));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!why && !send.isPending) send.mutate({ text, evidence, command });
  };
  return (
    <Section
      title={isAnswer ? 'Your answer' : 'Add a statement'}
      lead={`Both sides and the operator read it. It cannot be changed afterwards. ${maxStatements} statements per side.`}
    >
      <form onSubmit={submit} className="grid gap-4">
        <TextArea
          label={isAnswer ? 'Answer' : 'Statement'}
          value={text}
          maxLength={8000}
          onChange={(event) => change({ text: event.target.value })}
          error={errors.response ?? errors.statement}
        />
        <EvidenceFields evidence={evidence} onChange={(next) => change({ evidence: next })} />
        <TextArea
          label="Command that proves it"
          hint={`Optional, ${maxProofs} per side. It runs over the untouched input and over the delivery. If it exits with 0 on one and not on the other, it decides, unless the other side proves the contrary.`}
          mono
          value={command}
          maxLength={10_000}
          onChange={(event) => change({ command: event.target.value })}
          error={errors.proof}
        />
        <Failure error={send.error} />
        <div>
          <Button type="submit" kind="primary" busy={send.isPending} why={why}>
            {isAnswer ? 'Send answer' : 'Add statement'}
          </Button>
        </div>
      </form>
    </Section>
  );
}
