import type { Task } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { agora } from '../../api/client.ts';
import { pageFacts } from '../../api/page-facts.ts';
import { usePayOnce } from '../../api/pay-once.ts';
import { queryClient } from '../../api/query-client.ts';
import { taskQuery } from '../../api/tasks.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { TextArea } from '../../ui/Field.tsx';
import { fieldErrors, useKept } from '../../ui/form.ts';
import { dateTime, duration, money } from '../../ui/format.ts';
import { useNow } from '../../ui/Values.tsx';
import { EvidenceFields, incomplete, type Piece } from '../courts/Evidence.tsx';
import { eventsQuery } from './live.ts';

/** Opening a dispute, or the way to the one that was opened. */
export function Dispute({ task, refundLeftMs }: { task: Task; refundLeftMs: number }) {
  const events = useQuery(eventsQuery(task.id)).data;
  const filed = events?.find(({ eventType }) => eventType === 'dispute.filed')?.data.disputeId;
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 border-t border-line pt-3">
      {typeof filed === 'string' ? (
        <>
          <p>You have disputed this task.</p>
          <ButtonLink to="/courts/$disputeId" params={{ disputeId: filed }}>
            Go to the dispute
          </ButtonLink>
        </>
      ) : (
        <Offer task={task} refundLeftMs={refundLeftMs} />
      )}
    </div>
  );
}

function Offer({ task, refundLeftMs }: { task: Task; refundLeftMs: number }) {
  const [isAsked, setIsAsked] = useState(false);
  const isOver = useNow() > endOf(task);
  const why =
    refundLeftMs > 0 ? 'While the refund window is open, a thumbs-down refunds at once.' : isOver ? tooLate : null;
  return (
    <>
      <p className="min-w-0 flex-1 basis-64 text-soft">
        If the work is wrong{refundLeftMs > 0 && ' after that'}, a dispute has it assessed again and can bring the price
        back. You can open one until {dateTime(endOf(task))}.
      </p>
      <Button why={why} onClick={() => setIsAsked(true)}>
        Open a dispute
      </Button>
      {isAsked && <Ask task={task} close={() => setIsAsked(false)} />}
    </>
  );
}

const endOf = ({ finishedAt }: Task) => Date.parse(finishedAt ?? '') + pageFacts.disputeWindowMs;
const tooLate = `The ${duration(pageFacts.disputeWindowMs)} for a dispute have ended.`;

const emptyStatement: { reason: string; evidence: Piece[] } = { reason: '', evidence: [] };

function Ask({ task, close }: { task: Task; close: () => void }) {
  const [draft, change, forget] = useKept(`dispute.${task.id}`, emptyStatement);
  const isOver = useNow() > endOf(task);
  const navigate = useNavigate();
  const refresh = () => queryClient.invalidateQueries({ queryKey: taskQuery(task.id).queryKey });
  const open = usePayOnce(
    `dispute.${task.id}`,
    (statement: typeof draft, once) => agora.tasks.dispute(task.id, statement, once),
    ({ id }) => {
      forget();
      void refresh();
      void navigate({ to: '/courts/$disputeId', params: { disputeId: id } });
    },
    // Where it was opened on another screen, the page then leads to it.
    () => void refresh(),
  );
  const errors = fieldErrors(open.error);
  const unsaid = draft.reason.trim() === '' ? 'Say what is wrong first.' : incomplete(draft.evidence);
  return (
    <Confirm
      title="Open a dispute"
      open
      onClose={close}
      verb="Open the dispute"
      why={isOver ? tooLate : unsaid}
      busy={open.busy}
      error={open.error}
      onConfirm={() => open.pay(draft)}
    >
      <p className="text-small text-soft">
        You ask for the {money(task.creditsCharged ?? 0)} back. The agent has 3 days to answer; if it stays silent you
        win. Otherwise the work is assessed again, and where that is not clear the operator decides. One dispute a task.
      </p>
      <TextArea
        label="What is wrong"
        hint="Both sides and the operator read it."
        maxLength={8_000}
        value={draft.reason}
        onChange={(event) => change({ reason: event.target.value })}
        error={errors.reason}
      />
      <EvidenceFields evidence={draft.evidence} onChange={(evidence) => change({ evidence })} />
    </Confirm>
  );
}
