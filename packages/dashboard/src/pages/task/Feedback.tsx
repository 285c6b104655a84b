import type { Body, Reply, Task } from '@agora-market/sdk';
import { ThumbsDown, ThumbsUp } from 'lucide-react';
import { useState } from 'react';
import { agora } from '../../api/client.ts';
import { pageFacts } from '../../api/page-facts.ts';
import { usePayOnce } from '../../api/pay-once.ts';
import { queryClient } from '../../api/query-client.ts';
import { keepTask, taskQuery } from '../../api/tasks.ts';
import { Button } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { TextArea } from '../../ui/Field.tsx';
import { useKept } from '../../ui/form.ts';
import { countdown, duration, money } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { say } from '../../ui/toast.tsx';
import { StrangerText, Time, useNow } from '../../ui/Values.tsx';
import { Dispute } from './Dispute.tsx';

type Direction = 'up' | 'down';

/** Until when a thumbs-down refunds, in ms since 1970. */
const refundEnd = ({ finishedAt }: Task) => Date.parse(finishedAt ?? '') + pageFacts.refundWindowMs;

/** The owner's verdict on paid work: thumbs, the refund while its window is open, and afterwards the dispute. */
export function Feedback({ task }: { task: Task }) {
  const { status, feedback, price } = task;
  const draft = useKept(`feedback.${task.id}`, noComment);
  if (status === 'refunded')
    return (
      <Section title="Refunded">
        <p className="text-small">
          {money(price ?? 0)} went back into your pool.
          {feedback && (
            <>
              {' '}
              You gave thumbs {feedback.direction} <Time at={feedback.createdAt} />.
            </>
          )}
        </p>
        {feedback?.comment && <StrangerText text={feedback.comment} className="mt-2 text-small text-soft" />}
      </Section>
    );
  // The stream tells that a task is completed a moment before the page has read when.
  return status === 'completed' && task.finishedAt !== null ? <Asked task={task} draft={draft} /> : null;
}

const noComment = { comment: '' };
type Draft = ReturnType<typeof useKept<typeof noComment>>;

function Asked({ task, draft }: { task: Task; draft: Draft }) {
  const [asked, setAsked] = useState<Direction | null>(null);
  // The clock of the page shows whole seconds, and may stand a moment before the end of the task.
  const left = Math.min(pageFacts.refundWindowMs, refundEnd(task) - useNow());
  const { feedback } = task;
  const isOpen = left > 0;
  const price = money(task.creditsCharged ?? task.price ?? 0);
  const whyNot = feedback && !isOpen ? 'You have said so already, and the time to change it has passed.' : null;
  return (
    <Section
      title="Is it what you asked for?"
      actions={
        <>
          <Button
            why={whyNot}
            aria-pressed={feedback?.direction === 'up'}
            onClick={() => setAsked('up')}
            className="aria-pressed:border-good aria-pressed:text-good"
          >
            <ThumbsUp aria-hidden />
            Thumbs up
          </Button>
          <Button why={whyNot} aria-pressed={feedback?.direction === 'down'} onClick={() => setAsked('down')}>
            <ThumbsDown aria-hidden />
            {isOpen ? `Thumbs down, refund ${price}` : 'Thumbs down'}
          </Button>
        </>
      }
    >
      <div className="grid gap-3 text-small">
        {isOpen ? (
          <p>
            Thumbs down gives you {price} back at once.{' '}
            <span className="whitespace-nowrap">
              Time left <span className="figures font-medium">{countdown(left)}</span>
            </span>
          </p>
        ) : (
          <p className="text-soft">
            The refund window of {duration(pageFacts.refundWindowMs)} has ended, so a thumbs-down is a rating and
            refunds nothing.
          </p>
        )}
        {feedback && (
          <div>
            <p>
              You gave thumbs {feedback.direction} <Time at={feedback.createdAt} />.
              {isOpen && ' You can still change it.'}
            </p>
            {feedback.comment && <StrangerText text={feedback.comment} className="text-soft" />}
          </div>
        )}
        <Dispute task={task} refundLeftMs={left} />
      </div>
      {asked && <Ask {...{ task, draft, price }} direction={asked} refunds={isOpen} close={() => setAsked(null)} />}
    </Section>
  );
}

type Given = Reply<'tasks.feedback'>;

function useGiving(task: Task, onGiven: (given: Given) => void) {
  return usePayOnce(
    `feedback.${task.id}`,
    (body: Body<'tasks.feedback'>, once) => agora.tasks.feedback(task.id, body, once),
    onGiven,
    // The window may have ended, or another screen has said so already.
    () => void queryClient.invalidateQueries({ queryKey: taskQuery(task.id).queryKey }),
  );
}

interface AskProps {
  task: Task;
  draft: Draft;
  direction: Direction;
  refunds: boolean;
  price: string;
  close: () => void;
}

function Ask({ task, draft: [{ comment }, change, forget], direction, refunds, price, close }: AskProps) {
  const isDown = direction === 'down';
  const give = useGiving(task, ({ refunded, task: changed }) => {
    forget();
    keepTask(changed);
    close();
    say(refunded ? `${price} is back in your pool.` : `You gave thumbs ${direction}.`);
  });
  const verb = isDown ? (refunds ? `Thumbs down, refund ${price}` : 'Thumbs down') : 'Thumbs up';
  return (
    <Confirm
      title={isDown ? 'Thumbs down' : 'Thumbs up'}
      open
      onClose={close}
      verb={verb}
      danger={isDown}
      busy={give.busy}
      error={give.error}
      onConfirm={() => give.pay({ direction, ...(comment.trim() && { comment: comment.trim() }) })}
    >
      <p>
        {isDown && refunds
          ? `${price} goes back into your pool at once, and the delivered files are not yours any more. This counts against the agent.`
          : isDown
            ? 'This counts against the agent. It refunds nothing, because the refund window has ended.'
            : 'This counts for the agent. You can still change it while the refund window is open.'}
      </p>
      <TextArea
        label="Comment for the agent"
        optional
        maxLength={5_000}
        value={comment}
        onChange={(event) => change({ comment: event.target.value })}
      />
    </Confirm>
  );
}
