import { attemptsByPlan, taskTypes } from '@agora-market/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, type RefObject, useEffect, useRef } from 'react';
import { agora } from '../../api/client.ts';
import { useOwner } from '../../api/session.ts';
import { taskQuery } from '../../api/tasks.ts';
import { TextLink } from '../../ui/Button.tsx';
import { Columns } from '../../ui/Facts.tsx';
import { useKept } from '../../ui/form.ts';
import { Page } from '../../ui/Layout.tsx';
import { Failure, Note } from '../../ui/States.tsx';
import { Code } from '../../ui/Values.tsx';
import { Budget } from './Budget.tsx';
import { type ChangeDraft, type Draft, draftOf, draftOfTemplate, emptyDraft } from './draft.ts';
import { Material } from './Material.tsx';
import { Measures } from './Measures.tsx';
import { QuoteCard, quoteErrors, useQuote } from './QuoteCard.tsx';
import { SaveTemplate } from './SaveTemplate.tsx';
import { useSubmission } from './submission.ts';
import { What } from './What.tsx';
import { Who } from './Who.tsx';

const route = getRouteApi('/owner/tasks/new');

/** A copy of an earlier task is a form of its own, which must not be laid over the one that is half written. */
export function SubmitPage() {
  const { from, template } = route.useSearch();
  return <TaskForm key={template ?? from ?? ''} from={from} template={template} />;
}

/** The guided form of a task, with a live quote beside it. */
function TaskForm({ from, template }: { from: string | undefined; template: string | undefined }) {
  const source = template ?? from;
  const name = source ? `task.${source}` : 'task';
  const [draft, change, forget] = useKept<Draft>(name, emptyDraft);
  const earlier = useEarlier(from, draft, change);
  const kept = useTemplate(template, draft, change);
  useAsked(change);
  const { submit, refusals, errors, state } = useSubmission(name, draft, forget);
  const form = useRef<HTMLFormElement>(null);
  useFirstError(form, refusals, state.error);
  const quote = useQuote(draft);
  const part = { draft, change, errors: { ...quoteErrors(quote.error), ...errors } };
  return (
    <Page
      title="New task"
      lead="Say what you want and what you would pay. You pay only for work that passes your checks."
      back={<Link to="/tasks">Tasks</Link>}
      // Not in the form of the task: it has a form of its own, which must not submit that one.
      actions={<SaveTemplate draft={draft} template={kept.data} onSaved={() => template && forget(draft)} />}
    >
      {from && <Copied from={from} earlier={earlier} />}
      {template && <Filled template={kept} />}
      <form
        ref={form}
        noValidate
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          submit();
        }}
      >
        <Columns aside={<QuoteCard {...part} quote={quote} state={state} />}>
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
function useEarlier(from: string | undefined, draft: Draft, change: ChangeDraft) {
  const most = attemptsByPlan[useOwner()?.plan ?? 'free'];
  const query = useQuery({ ...taskQuery(from ?? ''), enabled: from !== undefined });
  const isFresh = useRef(draft.description === '' && draft.budget === '');
  useEffect(() => {
    if (!query.data || !isFresh.current) return;
    isFresh.current = false;
    change(draftOf(query.data, most));
  }, [query.data, change, most]);
  return query;
}

/** Fills the form from a template, unless something was typed over it already. */
function useTemplate(template: string | undefined, draft: Draft, change: ChangeDraft) {
  const most = attemptsByPlan[useOwner()?.plan ?? 'free'];
  const query = useQuery({
    queryKey: ['templates', 'one', template],
    queryFn: () => agora.templates.get(template ?? ''),
    enabled: template !== undefined,
  });
  const isFresh = useRef(draft.description === '' && draft.budget === '');
  useEffect(() => {
    if (!query.data || !isFresh.current) return;
    isFresh.current = false;
    change(draftOfTemplate(query.data.task, most));
  }, [query.data, change, most]);
  return query;
}

/** What the address asks for: to hire one agent, or a type of task. Once: a reload must not undo what was changed since. */
function useAsked(change: ChangeDraft) {
  const { from, template, agentId, taskType } = route.useSearch();
  const navigate = route.useNavigate();
  useEffect(() => {
    if (!agentId && !taskType) return;
    const type = taskTypes.find((each) => each === taskType);
    change({ ...(agentId && { how: 'direct', agentId }), ...(type && { taskType: type }) });
    void navigate({ search: { ...(from && { from }), ...(template && { template }) }, replace: true });
  }, [from, template, agentId, taskType, change, navigate]);
}

/** After each press in vain the focus goes to the first field that is wrong. Typing never moves it. */
function useFirstError(form: RefObject<HTMLFormElement | null>, refusals: number, error: unknown): void {
  useEffect(() => {
    if (refusals === 0 && !error) return;
    const first = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    // What is folded away cannot have the focus.
    first?.closest('details')?.setAttribute('open', '');
    first?.focus();
  }, [form, refusals, error]);
}

function Filled({ template }: { template: ReturnType<typeof useTemplate> }) {
  if (template.error) return <Failure error={template.error} retry={() => void template.refetch()} />;
  const input = template.data?.task.input;
  const said = [
    ...(input?.title ? [`the title “${input.title}”`] : []),
    ...(input?.project ? [`the project “${input.project}”`] : []),
    ...(input?.tags?.length ? ['its tags'] : []),
  ].join(', ');
  return (
    <div className="mb-6">
      <Note>
        Filled in from the template <bdi className="font-medium">{template.data?.name ?? '…'}</bdi>
        {said && <>; it also has {said}</>}. What you change here changes the template only when you save it.
      </Note>
    </div>
  );
}

function Copied({ from, earlier }: { from: string; earlier: ReturnType<typeof useEarlier> }) {
  if (earlier.error) return <Failure error={earlier.error} retry={() => void earlier.refetch()} />;
  return (
    <div className="mb-6">
      <Note>
        Copied from{' '}
        <TextLink to="/tasks/$taskId" params={{ taskId: from }}>
          {earlier.data ? <bdi>{earlier.data.title}</bdi> : '…'}
        </TextLink>{' '}
        <Code>{from}</Code>. Code, files and checks are erased a day after a task was submitted; add them again if they
        are missing.
      </Note>
    </div>
  );
}
