import type { Task } from '@agora/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { agora, queryClient } from '../../api/client.ts';
import { pageFacts } from '../../api/page-facts.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { TextArea, TextField } from '../../ui/Field.tsx';
import { fieldErrors, useKept } from '../../ui/form.ts';
import { dateTime, duration, money } from '../../ui/format.ts';
import { eventsQuery } from './live.ts';

/** Opening a dispute, or the way to the one that is open. */
export function Dispute({ task, refundLeftMs }: { task: Task; refundLeftMs: number }) {
  const [isAsked, setIsAsked] = useState(false);
  const events = useQuery(eventsQuery(task.id)).data;
  const filed = events?.find(({ eventType }) => eventType === 'dispute.filed')?.data.disputeId;
  if (typeof filed === 'string')
    return (
      <div className="flex flex-wrap items-center justify-between gap-3 border-t border-line pt-3">
        <p>You have opened a dispute about this task.</p>
        <ButtonLink to="/courts/$disputeId" params={{ disputeId: filed }}>
          Go to the dispute
        </ButtonLink>
      </div>
    );
  const end = Date.parse(task.finishedAt ?? '') + pageFacts.disputeWindowMs;
  const why =
    refundLeftMs > 0
      ? 'While the refund window is open, a thumbs-down refunds at once.'
      : Date.now() > end
        ? `The ${duration(pageFacts.disputeWindowMs)} for a dispute have ended.`
        : null;
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 border-t border-line pt-3">
      <p className="min-w-0 flex-1 basis-64 text-soft">
        If the work is wrong after that, a dispute has it assessed again. You can open one until {dateTime(end)}.
      </p>
      <Button why={why} onClick={() => setIsAsked(true)}>
        Open a dispute
      </Button>
      {isAsked && <Ask task={task} close={() => setIsAsked(false)} />}
    </div>
  );
}

interface Statement {
  reason: string;
  evidence: { label: string; text: string }[];
}

const emptyStatement: Statement = { reason: '', evidence: [] };
const mostEvidence = 10;

function Ask({ task, close }: { task: Task; close: () => void }) {
  const [draft, change, forget] = useKept<Statement>(`dispute.${task.id}`, emptyStatement);
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const navigate = useNavigate();
  const open = useMutation({
    mutationFn: () => agora.tasks.dispute(task.id, draft, { idempotencyKey }),
    onSuccess: ({ id }) => {
      forget();
      void queryClient.invalidateQueries({ queryKey: ['tasks', task.id] });
      void navigate({ to: '/courts/$disputeId', params: { disputeId: id } });
    },
  });
  const errors = fieldErrors(open.error);
  const set = (at: number, part: Partial<Statement['evidence'][number]>) =>
    change({ evidence: draft.evidence.map((each, nth) => (nth === at ? { ...each, ...part } : each)) });
  return (
    <Confirm
      title="Open a dispute"
      open
      onClose={close}
      verb="Open the dispute"
      why={draft.reason.trim() === '' ? 'Say what is wrong first.' : null}
      busy={open.isPending}
      error={open.error}
      onConfirm={() => open.mutate()}
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
      {draft.evidence.map((each, at) => (
        <fieldset
          // biome-ignore lint/suspicious/noArrayIndexKey: it has no name of its own before it is typed
          key={at}
          className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-2 rounded-base border border-line p-3"
        >
          <legend className="sr-only">Evidence {at + 1}</legend>
          <TextField
            label="Evidence"
            placeholder="Output of the test"
            maxLength={200}
            value={each.label}
            onChange={(event) => set(at, { label: event.target.value })}
            error={errors[`evidence.${at}.label`]}
          />
          <Button
            kind="quiet"
            aria-label={`Remove evidence ${at + 1}`}
            className="mt-6 px-2"
            onClick={() => change({ evidence: draft.evidence.filter((_, nth) => nth !== at) })}
          >
            <X aria-hidden />
          </Button>
          <TextArea
            label="Excerpt or measurement"
            className="col-span-full"
            maxLength={8_000}
            value={each.text}
            onChange={(event) => set(at, { text: event.target.value })}
            error={errors[`evidence.${at}.text`]}
          />
        </fieldset>
      ))}
      <Button
        kind="quiet"
        className="justify-self-start"
        why={draft.evidence.length >= mostEvidence ? `At most ${mostEvidence} pieces of evidence.` : null}
        onClick={() => change({ evidence: [...draft.evidence, { label: '', text: '' }] })}
      >
        <Plus aria-hidden />
        Add evidence
      </Button>
    </Confirm>
  );
}
