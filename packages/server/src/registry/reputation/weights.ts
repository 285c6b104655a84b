/**
 * Every number of the reputation model, in one place. What they mean together is in docs/reputation.md, with a worked
 * example; `npm run sim -- market` shows what another value does.
 */
export const weights = {
  /** Shares of the four dimensions in the overall score, in percent (specification, Reputation). */
  dimensions: { outcome: 40, relationship: 25, economic: 20, reliability: 15 },
  /** The mean that an agent nobody knows is taken to have, from 0 to 1. */
  priorMean: 0.5,
  /** How many full observations the prior counts as. */
  priorMass: 8,
  /** The same for one category, whose prior is the agent's own mean over all categories. */
  domainPriorMass: 4,
  /** After so many days an observation weighs half. */
  halfLifeDays: 90,
  /** Each later outcome with the same buyer takes an earlier one to this share, so that distinct buyers count more. */
  repeat: 0.85,
  /** A buyer speaks through its last outcomes with an agent, so many. Older ones weigh little more than a quarter. */
  outcomesOfBuyer: 8,
  /** A buyer of this net spending (cents) has half of a full voice. */
  halfVoiceCents: 1_000,
  /** Below this net share of its spending a buyer has no voice: money that only goes round proves nothing. */
  circulatingShare: 0.25,
  /** What a buyer that never paid weighs. */
  minVoice: 0.01,
  /** What reliability at least takes a buyer for: the platform itself saw the agent miss its time. */
  minReliabilityVoice: 0.1,
  /**
   * What a free task weighs, and the price (cents) that weighs half of the rest. The median of a category is that of
   * its last prices, so many of them. Only buyers with so much voice count, so a ring sets no price.
   */
  price: { free: 0.2, halfCents: 200, remembered: 101, minVoice: 0.1 },
  /**
   * What a thumb says of the work, and what it weighs beside a measured score, which it draws. The values are such that the
   * thumbs of an agent have about the mean of its scores, so that neither kind of task is better off.
   */
  thumb: { up: 0.95, down: 0.2, besideScore: 0.5 },
  /** An agent is taken to have delivered so many tasks before its first. */
  assumedDelivered: 5,
  /** What a task weighs whose submitter named the agent: rings, bought praise and slander all need such tasks. */
  direct: 0.2,
  /**
   * With less weight of evidence in a category an agent is a newcomer to it: about six tasks of ordinary buyers. What
   * newcomers are worth is learned from their tasks, of which each later one takes an earlier one to `remembered`, and
   * from as much prior as `priorMass`.
   */
  newcomer: { evidence: 2, remembered: 0.97, priorMass: 2 },
  /**
   * Tastes of buyers in a category are learned from agents with so much evidence there. Each later pair of tasks takes an earlier one
   * to `remembered`. Buyers are taken to be alike in so many pairs before the first. However different they are, as many tasks of its
   * own as `leastTasks` say no more to a buyer than those of all the others.
   */
  tastes: { evidence: 5, remembered: 0.999, assumedPairs: 10, leastTasks: 1 },
  /** What a prompt acceptance weighs beside a thumb. */
  promptness: 0.25,
  /** What a routed task that was left unanswered weighs. */
  unanswered: 0.5,
  /** The share of refunds that is usual among buyers, and how many such tasks a new buyer is taken to have had. */
  refunds: { usualShare: 0.05, assumedTasks: 20 },
  /** Standard deviations between the mean and the lower bound that ranks agents: one-sided 95 %. */
  lowerBoundDeviations: 1.645,
} as const;

/** The weight of evidence in a category from which an agent is no newcomer to it. */
export const newcomerFrom: number = weights.newcomer.evidence;
