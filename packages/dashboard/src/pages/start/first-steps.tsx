import { failureText } from '@agora-market/contract';
import type { Body } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { agora } from '../../api/client.ts';
import { pageFacts } from '../../api/page-facts.ts';
import { usePayOnce } from '../../api/pay-once.ts';
import { queryClient } from '../../api/query-client.ts';
import { Button, ButtonLink, TextLink } from '../../ui/Button.tsx';
import { TextArea } from '../../ui/Field.tsx';
import { useKept } from '../../ui/form.ts';
import { money } from '../../ui/format.ts';
import { Failure, Loaded, Skeleton } from '../../ui/States.tsx';
import { State } from '../../ui/Status.tsx';
import { Money, StrangerText } from '../../ui/Values.tsx';
import { addTestCredits, demoAgentQuery, exampleText, firstBudget, firstCredits } from './first-run.ts';
import type { TaskRow } from './overview-data.ts';
import { useWatched } from './use-watched.ts';

const refresh = () => {
  void queryClient.invalidateQueries({ queryKey: ['overview'] });
  void queryClient.invalidateQueries({ queryKey: ['tasks'] });
  void queryClient.invalidateQueries({ queryKey: ['vault'] });
};

/** Step 1: credits in the pool. */
export function AddCredits() {
  const add = usePayOnce('first-credits', addTestCredits, refresh);
  if (!pageFacts.isDevelopment) {
    return (
      <div className="grid justify-items-start gap-3">
        <p className="text-soft">
          Tasks are paid from credits. Add a card and top up; what you do not spend stays yours.
        </p>
        <ButtonLink to="/vault" kind="primary">
          Add a card and top up
        </ButtonLink>
      </div>
    );
  }
  return (
    <div className="grid justify-items-start gap-3">
      <p className="text-soft">
        Tasks are paid from credits in your pool. This installation is for development: a test card stands in for a real
        one, and no money moves.
      </p>
      <Button kind="primary" busy={add.busy} onClick={() => add.pay({ amount: firstCredits })}>
        Add a test card and {money(firstCredits)}
      </Button>
      <Failure error={add.error} />
    </div>
  );
}

const example = { text: exampleText };

/** Step 2: a task that the demo agent does, or the way to the whole form. */
export function SubmitFirst({ balance }: { balance: number }) {
  const demo = useQuery(demoAgentQuery);
  const [kept, change, forget] = useKept('first-task', example);
  const submit = usePayOnce(
    'first-task',
    (task: Body<'tasks.submit'>, once) => agora.tasks.submit(task, once),
    () => {
      forget();
      refresh();
    },
  );
  if (!pageFacts.isDevelopment || demo.data === null) return <WholeForm />;
  if (!demo.data) return demo.error ? <WholeForm /> : <Skeleton lines={3} />;
  const { id, displayName, pricing } = demo.data;
  const price = Math.min(firstBudget, pricing?.baseRate ?? firstBudget);
  const task = { taskType: 'general', maxBudget: firstBudget, agentId: id, input: { description: kept.text } } as const;
  const why =
    kept.text.trim() === ''
      ? 'Write or paste a text first.'
      : balance < firstBudget && !submit.repeats(task)
        ? `The pool needs ${money(firstBudget)}.`
        : null;
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (!why) submit.pay(task);
  };
  return (
    <form onSubmit={send} className="grid gap-3">
      <p className="text-soft">
        <TextLink to="/agents/$agentId" params={{ agentId: id }}>
          {displayName}
        </TextLink>{' '}
        counts the words, sentences and headings of a text. Take this one or your own.
      </p>
      <TextArea
        label="Text"
        rows={6}
        maxLength={20_000}
        value={kept.text}
        onChange={(event) => change({ text: event.target.value })}
      />
      <Failure error={submit.error} />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button type="submit" kind="primary" busy={submit.busy} why={why}>
          Submit for {money(price)}
        </Button>
        <span className="text-small text-soft">
          Held now, charged only if the work passes. <TextLink to="/tasks/new">Use the whole form</TextLink>
        </span>
      </div>
    </form>
  );
}

const WholeForm = () => (
  <div className="grid justify-items-start gap-3">
    <p className="text-soft">
      Say what you need and what counts as done. You see the price and the agents that fit before anything is held.
    </p>
    <ButtonLink to="/tasks/new" kind="primary">
      Write the task
    </ButtonLink>
  </div>
);

/** Step 3: the task as it goes, and what came of it. */
export function WatchFirst({ row }: { row: TaskRow }) {
  const taskId = row.id;
  const task = useWatched(row);
  return (
    <Loaded query={task}>
      {({ status, output, qualityScore, creditsCharged, price, ...failure }) => (
        <div aria-live="polite" className="grid gap-3">
          <div className="flex flex-wrap items-center gap-3 text-small">
            <State of={status} />
            {status === 'completed' && (
              <span className="text-soft">
                Gate: {qualityScore} of 100. You paid <Money cents={creditsCharged ?? 0} />.
              </span>
            )}
            {['submitted', 'routing', 'executing', 'quality_check'].includes(status) && (
              <span className="text-soft">
                <Money cents={price ?? firstBudget} /> held. This page follows by itself.
              </span>
            )}
          </div>
          {status === 'completed' && typeof output?.result === 'string' && (
            <StrangerText text={output.result} className="rounded-base bg-sunken px-4 py-3 text-small" />
          )}
          {status === 'failed' && (
            <>
              <StrangerText text={failureText(failure) || 'The task failed.'} className="text-small" />
              <p className="text-small text-soft">You paid nothing: what was held is in your pool again.</p>
            </>
          )}
          <div className="flex flex-wrap gap-2">
            <ButtonLink to="/tasks/$taskId" params={{ taskId }} kind="primary">
              {status === 'completed' ? 'See how it was checked and paid' : 'Open the task'}
            </ButtonLink>
            {status === 'failed' && <ButtonLink to="/tasks/new">Write another task</ButtonLink>}
          </div>
        </div>
      )}
    </Loaded>
  );
}
