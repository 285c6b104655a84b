import { AgoraError, type Reply } from '@agora-market/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { agora } from '../../api/client.ts';
import { poolQuery } from '../../api/pool.ts';
import { warningText } from '../../api/tasks.ts';
import { Button, ButtonLink, TextLink } from '../../ui/Button.tsx';
import { Facts } from '../../ui/Facts.tsx';
import { fieldErrors } from '../../ui/form.ts';
import { bytes, centsOf, count, counted, duration, money } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Failure, Note, Skeleton } from '../../ui/States.tsx';
import { useSettled } from '../../ui/use-settled.ts';
import { Money } from '../../ui/Values.tsx';
import { Candidates } from './Candidates.tsx';
import { attemptsOf, type ChangeDraft, type Draft, heldFor, type PartProps, routingOf } from './draft.ts';
import { environmentOf } from './draft-environment.ts';
import type { SubmissionState } from './submission.ts';

type Quote = Reply<'tasks.quote'>;

/** What a quote depends on. Contents of files and texts do not, so typing them asks for nothing. */
function askedOf(draft: Draft) {
  const { taskType, budget, files, repoUrl, checks, rubric, schema, heldOut } = draft;
  const environment = environmentOf({ ...draft.environment, setup: draft.environment.setup.trim() && 'true' });
  const maxBudget = centsOf(budget);
  const acceptance = {
    ...(checks.some(({ command }) => command.trim()) && { checks: [{ name: 'check', command: 'true' }] }),
    ...(rubric.trim() && { rubric: 'rubric' }),
    ...(schema.trim() && { schema: {} }),
    ...(heldOut.length > 0 && { files: { file: '' } }),
  };
  return {
    taskType,
    ...(maxBudget && { maxBudget }),
    input: {
      ...(files.length > 0 && { files: { file: '' } }),
      ...(repoUrl.trim() && { repo: { url: repoUrl.trim() } }),
      ...(environment && { environment }),
      ...(Object.keys(acceptance).length > 0 && { acceptance }),
    },
    ...routingOf(draft),
  };
}

const isReady = ({ how, agentId }: Draft) => how !== 'direct' || agentId !== '';

/** What submitting would cost now, asked anew as the form is typed. */
export function useQuote(draft: Draft) {
  const asked = useSettled(JSON.stringify(askedOf(draft)), 500);
  return useQuery({
    queryKey: ['tasks', 'quote', asked],
    queryFn: ({ signal }) => agora.tasks.quote(JSON.parse(asked), { signal }),
    enabled: isReady(draft),
    placeholderData: keepPreviousData,
    staleTime: 20_000,
  });
}

/** What a quote says of the sandboxes that are asked for, by the path of the field: all other fields are told by a press. */
export const quoteErrors = (error: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(fieldErrors(error)).filter(([path]) => path.startsWith('input.environment')));

interface CardProps extends PartProps {
  quote: ReturnType<typeof useQuote>;
  state: SubmissionState;
}

/** What submitting would cost now, who would do it, and the button. */
export function QuoteCard({ draft, change, errors, quote, state }: CardProps) {
  const pool = useQuery(poolQuery);
  const held = heldFor(draft);
  const balance = pool.data?.balance;
  const lacks = !state.repeats && held !== null && balance !== undefined ? Math.max(0, held - balance) : 0;
  return (
    <div className="lg:sticky lg:top-20">
      <Section title="Quote">
        <div className="grid gap-4" aria-busy={quote.isFetching}>
          <Answer quote={quote} draft={draft} change={change} />
          <div className="border-t border-line pt-4">
            <Facts
              rows={[
                ['Held now', held === null ? 'Name a budget' : <Money key="held" cents={held} />],
                ['In your pool', balance === undefined ? '…' : <Money key="pool" cents={balance} />],
                [
                  'Left after',
                  held !== null &&
                    (balance === undefined ? '…' : lacks === 0 && <Money key="left" cents={balance - held} />),
                ],
              ]}
            />
          </div>
          {lacks > 0 && (
            <Note kind="warn">
              <p>Your pool lacks {money(lacks)}. What you have typed stays here while you top up.</p>
              <ButtonLink to="/vault" className="mt-2">
                Top up credits
              </ButtonLink>
            </Note>
          )}
          {Object.keys(errors).length > 0 && <Note kind="bad">Some fields need another look.</Note>}
          <Refusal error={state.error} change={change} />
          {state.mayBeSecond && <SecondTask />}
          <Button
            type="submit"
            kind="primary"
            busy={state.isBusy}
            className="w-full"
            why={lacks > 0 ? `This would hold ${money(held ?? 0)}, and your pool has ${money(balance ?? 0)}.` : null}
          >
            {held === null || held === 0 ? 'Submit' : `Submit, hold ${money(held)}`}
          </Button>
          {state.isBusy && draft.files.length > 0 && (
            <p role="status" className="figures text-small text-soft">
              Sending {counted(draft.files.length, 'file')},{' '}
              {bytes(draft.files.reduce((sum, file) => sum + file.sizeBytes, 0))}
            </p>
          )}
          <p className="text-small text-faint">
            You pay when the work passes. For some minutes afterwards a thumbs-down gives you everything back.
          </p>
        </div>
      </Section>
    </div>
  );
}

function Answer({ quote, draft, change }: Pick<CardProps, 'quote' | 'draft' | 'change'>) {
  const { data, error, refetch } = quote;
  // The quote before is good enough for a moment, but not where it names others than the agent that was chosen since.
  const isOfOthers = draft.how === 'direct' && data?.candidates.some(({ agentId }) => agentId !== draft.agentId);
  if (!isReady(draft)) return <p className="text-small text-soft">Choose an agent to see its price.</p>;
  if (Object.keys(quoteErrors(error)).length > 0)
    return <p className="text-small text-soft">Ask for another sandbox to see the price.</p>;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (!data || isOfOthers) return <Skeleton lines={5} />;
  return <Told quote={data} draft={draft} change={change} />;
}

/** The reply to the last press was lost, and the form is another since. */
const SecondTask = () => (
  <Note kind="warn">
    Your last press may have submitted a task. Look at <TextLink to="/tasks">Tasks</TextLink> before you submit another.
  </Note>
);

/** Why the submission was refused, with what helps. */
function Refusal({ error, change }: Pick<CardProps, 'change'> & { error: unknown }) {
  const code = error instanceof AgoraError ? error.code : null;
  // Its fields say so themselves.
  if (Object.keys(fieldErrors(error)).length > 0) return null;
  if (code === 'NO_AGENTS_AVAILABLE')
    return (
      <Note kind="bad">
        <p>{(error as AgoraError).message} Nothing was held.</p>
        <Button className="mt-2" onClick={() => change({ how: 'smart', wait: '120' })}>
          Wait in the queue instead
        </Button>
      </Note>
    );
  if (code === 'INSUFFICIENT_CREDITS')
    return (
      <Note kind="bad">
        <p>{(error as AgoraError).message} What you have typed stays here.</p>
        <ButtonLink to="/vault" className="mt-2">
          Top up credits
        </ButtonLink>
      </Note>
    );
  return <Failure error={error} />;
}

function Told({ quote, draft, change }: { quote: Quote; draft: Draft; change: ChangeDraft }) {
  const { candidates, priceRange, estimatedWaitMs, queue, warnings } = quote;
  const wanted = attemptsOf(draft);
  const isTooFew = wanted > 1 && quote.attempts.free < wanted;
  return (
    <>
      {candidates.length > 0 ? (
        <>
          <Facts
            rows={[
              ['Expected price', priceRange && <Prices key="price" {...priceRange} />],
              ['Expected time', estimatedWaitMs !== null && duration(estimatedWaitMs)],
            ]}
          />
          <Candidates candidates={candidates} isNamed={draft.how === 'direct'} />
        </>
      ) : (
        <Nobody queue={queue} draft={draft} change={change} />
      )}
      {isTooFew && candidates.length > 0 && (
        <Note kind="warn">
          Only {counted(quote.attempts.free, 'owner')} {quote.attempts.free === 1 ? 'has' : 'have'} a free agent for
          this now; you ask for {wanted} attempts.
        </Note>
      )}
      {(draft.description.trim() === '' ? [] : warnings).map(({ path, message }) => (
        <Note key={path + message} kind="warn">
          {warningText(message)}
        </Note>
      ))}
    </>
  );
}

const Prices = ({ min, max }: { min: number; max: number }) => (
  <span className="figures">{min === max ? money(min) : `${money(min)} to ${money(max)}`}</span>
);

/** Why nobody matches now, and what helps. */
function Nobody({ queue, draft, change }: { queue: Quote['queue']; draft: Draft; change: ChangeDraft }) {
  if (queue === null)
    return (
      <Note kind="warn">
        <p className="font-medium">No agent matches this now</p>
        <p>
          {centsOf(draft.budget) === null
            ? 'No agent of another owner offers this type of task. Try another type.'
            : 'No agent of another owner offers this type of task at this budget. Raise the budget or try another type.'}
        </p>
      </Note>
    );
  const { matching, place, estimatedMs } = queue;
  const isWaiting = draft.how === 'smart' && draft.wait !== '0';
  return (
    <Note kind={isWaiting ? 'info' : 'warn'}>
      <p className="font-medium">
        {matching === 1 ? 'The one matching agent is busy' : `All ${count(matching)} matching agents are busy`}
      </p>
      <p>
        In the queue the task would have place {place}
        {estimatedMs !== null && `, for about ${duration(estimatedMs)}`}.
      </p>
      {!isWaiting && (
        <Button className="mt-2" onClick={() => change({ how: 'smart', wait: '120' })}>
          Wait up to 2 hours
        </Button>
      )}
    </Note>
  );
}
