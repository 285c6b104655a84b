import { nextQuestion, statusClasses, taskMessages } from '@agora-market/contract';
import type { Body, ItemOf, Task } from '@agora-market/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { agora } from '../../api/client.ts';
import { pageFacts } from '../../api/page-facts.ts';
import { queryClient } from '../../api/query-client.ts';
import { isOpen, taskQuery } from '../../api/tasks.ts';
import { Button } from '../../ui/Button.tsx';
import { saveFile } from '../../ui/download.ts';
import { MoneyField, TextArea } from '../../ui/Field.tsx';
import { fieldErrors, useKept } from '../../ui/form.ts';
import { bytes, centsOf, money } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Failure, Loaded } from '../../ui/States.tsx';
import { StrangerText, Time, useNow } from '../../ui/Values.tsx';
import { kindOfText } from './content/kind.ts';
import { Shown } from './content/Shown.tsx';
import { messagesQuery } from './live.ts';
import { whoDid } from './message-words.ts';

type Message = ItemOf<'tasks.listMessages'>;
type Kind = Body<'tasks.postMessage'>['kind'];

/** What the agent and the owner say to each other about the task. */
export function MessagesTab({ task }: { task: Task }) {
  const query = useQuery(messagesQuery(task.id));
  return (
    <Section title="Messages" lead="Between you and the agent. They are sealed in the receipt, and shown in a dispute.">
      <Loaded query={query}>
        {(messages) => (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
            <Thread task={task} messages={messages} />
            <Say task={task} messages={messages} />
          </div>
        )}
      </Loaded>
    </Section>
  );
}

function Thread({ task, messages }: { task: Task; messages: readonly Message[] }) {
  if (messages.length === 0)
    return (
      <p className="text-small text-soft">
        {isOpen(task) ? 'Nothing said yet. Questions of the agent appear here.' : 'Nothing was said.'}
      </p>
    );
  return (
    <ol aria-label="Messages" aria-live={isOpen(task) ? 'polite' : undefined} className="grid gap-4 text-small">
      {messages.map((message) => (
        <li key={message.id} className="grid grid-cols-[minmax(0,1fr)] gap-1 border-l border-line pl-4">
          <p className="flex flex-wrap items-baseline gap-x-3 text-soft">
            <span className="font-medium">{headOf(message)}</span>
            <Time at={message.createdAt} />
          </p>
          <Said message={message} />
          {message.offer && <Offer task={task} message={message} offer={message.offer} />}
          {message.attachments.map((file) => (
            <Attached key={file.id} task={task} message={message} file={file} />
          ))}
        </li>
      ))}
    </ol>
  );
}

/** Agents write Markdown. What people type is shown as it was typed. */
function Said({ message: { id, author, text } }: { message: Message }) {
  const kind = author === 'agent' ? kindOfText(text) : 'text';
  if (kind === 'text') return <StrangerText text={text} />;
  return <Shown text={text} kind={kind} name={`${id}.txt`} />;
}

const headOf = (message: Message): string => `${whoDid('The agent', message)}${message.isOpen ? ' (open)' : ''}`;

/** What was offered for a change, and what became of it. */
function Offer({ task, message, offer }: { task: Task; message: Message; offer: NonNullable<Message['offer']> }) {
  const takeBack = useMutation({
    mutationFn: () => agora.tasks.declineChange(task.id, message.id),
    onSettled: () => void queryClient.invalidateQueries({ queryKey: messagesQuery(task.id).queryKey }),
  });
  return (
    <div className="flex flex-wrap items-center gap-x-3">
      <span className="text-soft">
        For {money(offer.price)}: {offer.status}
      </span>
      {offer.taskId && (
        <Link to="/tasks/$taskId" params={{ taskId: offer.taskId }}>
          Open the follow-up task
        </Link>
      )}
      {offer.status === 'open' && (
        <Button kind="quiet" busy={takeBack.isPending} onClick={() => takeBack.mutate()}>
          Take it back
        </Button>
      )}
      <Failure error={takeBack.error} />
    </div>
  );
}

function Attached({ task, message, file }: { task: Task; message: Message; file: Message['attachments'][number] }) {
  const save = useMutation({
    mutationFn: async () => {
      const content = await agora.tasks.getMessageAttachment(task.id, message.id, file.id);
      saveFile(file.name, 'application/octet-stream', [await content.blob()]);
    },
  });
  return (
    <div className="flex flex-wrap items-center gap-x-3">
      <span className="min-w-0 truncate">{file.name}</span>
      <span className="text-soft">{bytes(file.sizeBytes)}</span>
      <Button
        kind="quiet"
        busy={save.isPending}
        why={file.isErased ? 'It was erased with the input of the task.' : null}
        onClick={() => save.mutate()}
      >
        Download
      </Button>
      <Failure error={save.error} />
    </div>
  );
}

const nothing = { text: '', price: '' };

/** An answer where the agent waits for one, else a note or a question. */
function Say({ task, messages }: { task: Task; messages: readonly Message[] }) {
  const [draft, change, forget] = useKept(`message.${task.id}`, nothing);
  const [kind, setKind] = useState<Kind>('note');
  const open = nextQuestion(messages, 'agent');
  const send = useMutation({
    mutationFn: (body: Body<'tasks.postMessage'>) => agora.tasks.postMessage(task.id, body),
    onSuccess: () => forget(draft),
    // The agent may have been faster, or the task be over.
    onSettled: () => void queryClient.invalidateQueries({ queryKey: taskQuery(task.id).queryKey }),
  });
  const { isTalk, isNote } = useMay(task);
  if (!isTalk && !isNote) return null;
  const why = draft.text.trim() === '' ? 'Write something first.' : null;
  const price = centsOf(draft.price);
  const post = (as: Kind) => {
    setKind(as);
    if (why || send.isPending) return;
    send.mutate({
      ...{ kind: as, text: draft.text },
      ...(as === 'answer' && open && { answers: open.id }),
      ...(as === 'change_request' && price !== null && { price }),
    });
  };
  const usual: Kind = isTalk && open ? 'answer' : 'note';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    post(usual);
  };
  const busy = (as: Kind) => send.isPending && kind === as;
  return (
    <form onSubmit={submit} className="grid gap-3">
      <TextArea
        label={usual === 'answer' ? `Your answer to “${shortOf(open?.text ?? '')}”` : 'Message to the agent'}
        rows={4}
        maxLength={taskMessages.textChars}
        value={draft.text}
        error={fieldErrors(send.error).text}
        onChange={({ target }) => change({ text: target.value })}
      />
      <Failure error={send.error} />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" kind="primary" busy={busy(usual)} why={why}>
          {usual === 'answer' ? 'Send answer' : 'Send note'}
        </Button>
        {isTalk && (
          <Button busy={busy('question')} why={why} onClick={() => post('question')}>
            Ask the agent
          </Button>
        )}
      </div>
      {isNote && (
        <div className="grid gap-3 border-t border-line pt-4 sm:grid-cols-[12rem_minmax(0,1fr)]">
          <MoneyField
            label="Price of a change"
            optional
            hint="A follow-up task by the same agent, once it accepts. Nothing is reopened."
            value={draft.price}
            error={fieldErrors(send.error).price}
            onChange={(price) => change({ price })}
          />
          <Button
            className="self-center justify-self-start"
            busy={busy('change_request')}
            why={why ?? (price === null || price === 0 ? 'Say what you offer for it.' : null)}
            onClick={() => post('change_request')}
          >
            Request a change
          </Button>
        </div>
      )}
    </form>
  );
}

const shortOf = (text: string) => (text.length > 80 ? `${text.slice(0, 79)}…` : text);

/** What may still be said: everything until the verdict, and notes until the refund window ends. */
function useMay({ status, agentId, finishedAt }: Task) {
  const now = useNow();
  const refundsUntil = Date.parse(finishedAt ?? '') + pageFacts.refundWindowMs;
  return {
    isTalk: statusClasses[status].phase !== 'ended' && agentId !== null,
    isNote: status === 'completed' && now <= refundsUntil,
  };
}
