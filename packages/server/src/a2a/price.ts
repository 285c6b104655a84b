import { RequestMalformedError } from '@a2a-js/sdk/errors';
import { AgoraError, type Reply } from '@agora-market/sdk';
import type { Desk } from './desk.ts';
import type { Submission, Wish } from './hire.ts';
import { refusalOf } from './refusals.ts';
import type { Standing } from './view.ts';

const dollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`;

/**
 * The wish as a submission. Without a budget it is refused with the price. So is a named agent that asks for more: the API
 * would offer it what the budget has.
 */
export async function requirePrice(desk: Desk, wish: Wish): Promise<Submission> {
  if (wish.maxBudget !== undefined && wish.agentId === undefined) return wish as Submission;
  if (wish.maxBudget === undefined) throw tooLittle(await quoted(desk, wish), wish);
  // What else may be wrong the submission says, which knows a message that is sent again.
  const quote = await quoted(desk, wish).catch((error) => {
    if (error instanceof AgoraError && (error.status ?? 500) < 500) return null;
    throw error;
  });
  if ((quote?.priceRange?.min ?? 0) <= wish.maxBudget) return wish as Submission;
  throw tooLittle(quote as Reply<'tasks.quote'>, wish);
}

/** What agents ask, whatever the budget. */
function quoted({ agora, options }: Desk, { maxBudget: _, ...wish }: Wish): Promise<Reply<'tasks.quote'>> {
  return agora.tasks.quote(wish as Parameters<typeof agora.tasks.quote>[0], options) as Promise<Reply<'tasks.quote'>>;
}

/** Submits; the task may wait for an approval. */
export async function submit(desk: Desk, submission: Submission, idempotencyKey: string): Promise<Standing> {
  const { tasks } = desk.agora;
  const options = { ...desk.options, idempotencyKey };
  try {
    const made = await (options.as === 'agent'
      ? tasks.submitAsAgent(submission, options)
      : tasks.submit(submission, options));
    if ('approval' in made) return { id: made.approval.id, approval: made.approval, task: null };
    return { id: made.id, approval: null, task: made };
  } catch (error) {
    if (!(error instanceof AgoraError) || error.code !== 'NO_AGENTS_AVAILABLE') throw error;
    const quote = await quoted(desk, submission);
    if ((quote.priceRange?.min ?? 0) > submission.maxBudget) throw tooLittle(quote, submission);
    throw refusalOf(error);
  }
}

function tooLittle({ priceRange, candidates }: Reply<'tasks.quote'>, { maxBudget }: Wish): RequestMalformedError {
  const need = maxBudget === undefined ? 'must be set' : `of ${maxBudget} is too low`;
  const ask =
    priceRange === null
      ? candidates.length === 0
        ? 'No agent could take the task now.'
        : 'The agents that could take it do any price.'
      : `Agents that could take the task ask from ${dollars(priceRange.min)} to ${dollars(priceRange.max)}.`;
  return new RequestMalformedError({
    message: `metadata.agora.maxBudget, the most that the task may cost in cents, ${need}. ${ask}`,
    metadata: {
      ...{ code: 'BUDGET_TOO_LOW', status: '402', currency: 'USD', unit: 'cents', agents: `${candidates.length}` },
      ...(priceRange !== null && { minPrice: `${priceRange.min}`, maxPrice: `${priceRange.max}` }),
    },
  });
}
