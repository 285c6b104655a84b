import { taskMessages } from '@agora-market/contract';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { agora } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { taskQuery } from '../../api/tasks.ts';
import { Button, TextLink } from '../../ui/Button.tsx';
import { TextArea } from '../../ui/Field.tsx';
import { fieldErrors, useKept } from '../../ui/form.ts';
import { money } from '../../ui/format.ts';
import { Failure } from '../../ui/States.tsx';
import { Status } from '../../ui/Status.tsx';
import { say } from '../../ui/toast.tsx';
import { StrangerText, Time } from '../../ui/Values.tsx';
import { TimeLeft } from '../approvals/TimeLeft.tsx';
import { whoDid } from '../task/message-words.ts';
import type { InboxMessage } from './queries.ts';

/** One message: of which task, who says what, and the answer to it. */
export function InboxRow({ message }: { message: InboxMessage }) {
  const { taskId, taskTitle, agentName, excerpt, createdAt, waitsForCaller, waitingUntil, offer } = message;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-2 px-5 py-4">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 className="min-w-0 truncate font-medium">
          <TextLink to="/tasks/$taskId" params={{ taskId }} search={{ tab: 'messages' }}>
            <bdi>{taskTitle}</bdi>
          </TextLink>
        </h2>
        <span className="text-small text-faint">
          <Time at={createdAt} />
        </span>
      </div>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-small text-soft">
        <bdi>{whoDid(agentName ?? 'The agent', message)}</bdi>
        {waitsForCaller && waitingUntil !== null && (
          <>
            <Status tone="warn">Its work waits</Status>
            <TimeLeft until={waitingUntil} after=" left" />
          </>
        )}
        {offer && (
          <span>
            For {money(offer.price)}: {offer.status}
          </span>
        )}
      </p>
      <StrangerText text={excerpt} />
      {waitsForCaller && <Answer message={message} />}
    </li>
  );
}

const nothing = { text: '' };

function Answer({ message: { id, taskId, agentName, taskTitle } }: { message: InboxMessage }) {
  const [draft, change, forget] = useKept(`answer.${id}`, nothing);
  const send = useMutation({
    mutationFn: (text: string) => agora.tasks.postMessage(taskId, { kind: 'answer', text, answers: id }),
    onSuccess: (_, text) => {
      forget({ text });
      say('Answer sent.');
      // The row goes, and with it what has the focus.
      document.getElementById('main')?.focus();
      void queryClient.invalidateQueries({ queryKey: ['inbox'] });
      void queryClient.invalidateQueries({ queryKey: taskQuery(taskId).queryKey });
    },
  });
  const why = draft.text.trim() === '' ? 'Write something first.' : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!why && !send.isPending) send.mutate(draft.text);
  };
  return (
    <form onSubmit={submit} aria-label={`Answer about ${taskTitle}`} className="grid gap-2">
      <TextArea
        label={`Your answer to ${agentName ?? 'the agent'}`}
        rows={2}
        maxLength={taskMessages.textChars}
        value={draft.text}
        error={fieldErrors(send.error).text}
        onChange={({ target }) => change({ text: target.value })}
      />
      <Failure error={send.error} />
      <Button type="submit" className="justify-self-start" busy={send.isPending} why={why}>
        Send answer
      </Button>
    </form>
  );
}
