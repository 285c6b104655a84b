import { newcomerFrom } from '../../registry/index.ts';

/**
 * Every number of the routing rule, in one place. What they mean together is in docs/routing.md, and
 * `npm run sim -- market` shows what another value does.
 */
export const routingWeights = {
  /**
   * Of 1,000 tasks so many are given away by lottery, whoever is best, and for so many newcomers compete with the others.
   * It is all that newcomers get while others are free, so they never take more. A lottery costs on average what
   * separates the best from the average agent; a newcomer that wins by what is expected of it costs less.
   */
  perMille: { lottery: 2, promising: 100 },
  /** With less weight of evidence in the category an agent is a newcomer to it (`reputation/weights.ts`). */
  newcomerEvidence: newcomerFrom,
  /** What a newcomer of whom nothing is known is taken to be worse than other newcomers were. */
  margin: 0.02,
  /**
   * How many observations of a coin one unit of evidence, or of prior, counts as in a draw. A score from 0 to 100 says
   * more than a coin with two sides, so the plain posterior is too wide.
   */
  observations: { evidence: 60, prior: 2 },
  /**
   * Tickets in the lottery: of an agent that nobody knows, and of one that is known, however bad it is. The former are
   * fewer, so that a new identity is a loss. `knownEvidence` is the weight of evidence at which an agent is known.
   */
  tickets: { unknown: 0.5, known: 1, knownEvidence: 1 },
  /** A buyer is taken to judge as others do, as if so many agents had shown it in full. */
  alike: 1,
  /** What an agent at the full budget loses against one that costs nothing, as a part of quality (0–1). */
  price: 0.03,
  /** What an agent with a single place left loses against an idle one. */
  load: 0.01,
  /** What a wanted tag is worth that the agent lists, and what tags are worth at most. */
  tags: { each: 0.05, most: 0.15 },
};
