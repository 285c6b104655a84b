import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, type RefObject, useEffect, useRef } from 'react';
import { taskQuery, titleOf } from '../../api/tasks.ts';
import { TextLink } from '../../ui/Button.tsx';
import { useKept } from '../../ui/form.ts';
import { Columns, Page } from '../../ui/Layout.tsx';
import { Failure, Note } from '../../ui/States.tsx';
import { Code } from '../../ui/Values.tsx';
import { Budget } from './Budget.tsx';
import { type Draft, draftOf, emptyDraft } from './draft.ts';
import { Material } from './Material.tsx';
import { Measures } from './Measures.tsx';
import { QuoteCard } from './QuoteCard.tsx';
import { useSubmission } from './submission.ts';
import { What } from './What.tsx';
import { Who } from './Who.tsx';

const route = getRouteApi('/owner/tasks/new');

/** The guided form of a task, with a live quote beside it. */
export function SubmitPage() {
  const { from, agentId, taskType } = route.useSearch();
  const [draft, change, forget] = useKept<Draft>(from ? `task.${from}` : 'task', emptyDraft);
  const earlier = useEarlier(from, draft, change);
  useAsked(agentId, taskType, change);
  const { submit, isSent, error, errors, isBusy } = useSubmission(draft, forget);
  const form = useRef<HTMLFormElement>(null);
  useFirstError(form, errors, isSent);
  const part = { draft, change, errors };
  return (
    <Page
      title="New task"
      lead="Say what you want and what you would pay. You pay only for work that passes your checks."
      back={<Link to="/tasks">Tasks</Link>}
    >
      {from && <Copied from={from} earlier={earlier} />}
      <form
        ref={form}
        noValidate
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          submit();
        }}
      >
        <Columns aside={<QuoteCard draft={draft} change={change} isBusy={isBusy} error={error} />}>
          <What {...part} />
          <Material {...part} />
          <Measures {...part} />
          <Who {...part} />
          <Budget {...part} />
        </Columns>
      </form>
    </Page>
  );
}

/** Fills the form from an earlier task, unless something was typed over it already. */
function useEarlier(from: string | undefined, draft: Draft, change: (part: Partial<Draft>) => void) {
  const query = useQuery({ ...taskQuery(from ?? ''), enabled: from !== undefined });
  const isFresh = useRef(draft.description === '' && draft.budget === '');
  useEffect(() => {
    if (!query.data || !isFresh.current) return;
    isFresh.current = false;
    change(draftOf(query.data));
  }, [query.data, change]);
  return query;
}

/** What the address asks for: to hire one agent, or a type of task. */
function useAsked(agentId: string | undefined, taskType: string | undefined, change: (part: Partial<Draft>) => void) {
  useEffect(() => {
    if (agentId) change({ how: 'direct', agentId });
    if (taskType) change({ taskType: taskType as Draft['taskType'] });
  }, [agentId, taskType, change]);
}

/** After a press in vain the focus goes to the first field that is wrong. */
function useFirstError(form: RefObject<HTMLFormElement | null>, errors: object, isSent: boolean): void {
  const count = Object.keys(errors).length;
  useEffect(() => {
    if (isSent && count > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [form, isSent, count]);
}

function Copied({ from, earlier }: { from: string; earlier: ReturnType<typeof useEarlier> }) {
  if (earlier.error) return <Failure error={earlier.error} retry={() => void earlier.refetch()} />;
  return (
    <div className="mb-6">
      <Note>
        Copied from{' '}
        <TextLink to="/tasks/$taskId" params={{ taskId: from }}>
          {earlier.data ? <bdi>{titleOf(earlier.data)}</bdi> : '…'}
        </TextLink>{' '}
        <Code>{from}</Code>. Code, files and checks are erased a day after a task was submitted; add them again if they
        are missing.
      </Note>
    </div>
  );
}
