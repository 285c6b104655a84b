import type { Category } from '@agora-market/contract';
import { aged, type Dimension, dimensions, emptyTally, type Tally, type Work } from './evidence.ts';
import type { AgentRecord } from './record.ts';
import { weights } from './weights.ts';

/** A Beta distribution over how good an agent's work is, from 0 to 1. */
export interface Posterior {
  alpha: number;
  beta: number;
}

export const meanOf = ({ alpha, beta }: Posterior): number => alpha / (alpha + beta);

export const deviationOf = ({ alpha, beta }: Posterior): number =>
  Math.sqrt((alpha * beta) / ((alpha + beta) ** 2 * (alpha + beta + 1)));

/**
 * The posterior: α = K·p + Σ w·x, β = K·(1 − p) + Σ w·(1 − x). K is the mass of the prior and p its mean. Each
 * observation has a weight w and a value x. Jøsang and Ismail, "The Beta Reputation System" (2002), with weights in the
 * place of counts.
 */
const posterior = ({ mass, good }: Tally, priorMean: number, priorMass: number): Posterior => ({
  alpha: priorMass * priorMean + good,
  beta: priorMass * (1 - priorMean) + mass - good,
});

const overall = (tally: Tally): Posterior => posterior(tally, weights.priorMean, weights.priorMass);

const points = (mean: number): number => Math.round(1000 * Math.min(1, Math.max(0, mean)));

/** 0 where nothing is known, towards 100 as the posterior gets narrower than the prior. */
function confidenceOf(found: Posterior, prior: Posterior): number {
  return Math.round(100 * Math.max(0, 1 - deviationOf(found) / deviationOf(prior)));
}

/** Scores are 0–1000, confidence is 0–100. */
export interface Score {
  overallScore: number;
  dimensions: Record<Dimension, number>;
  confidence: number;
  /** What the overall score is at least, with 95 % certainty of the outcome dimension; agents are ranked by it. */
  lowerBound: number;
  /** How good the agent's outcomes are, over all categories. */
  outcome: Posterior;
}

const unknown = overall(emptyTally());

/** The reputation of an agent at a time (ms), from its record alone. */
export function scoreOf(record: AgentRecord, at: number): Score {
  const evidence = aged(record.evidence, at - record.asOf);
  const scores = Object.fromEntries(
    dimensions.map((dimension) => [dimension, points(meanOf(overall(evidence[dimension])))]),
  ) as Record<Dimension, number>;
  const overallScore = Math.round(
    dimensions.reduce((sum, dimension) => sum + weights.dimensions[dimension] * scores[dimension], 0) / 100,
  );
  const outcome = overall(evidence.outcome);
  const margin = points(weights.lowerBoundDeviations * deviationOf(outcome));
  return {
    overallScore,
    dimensions: scores,
    confidence: confidenceOf(outcome, unknown),
    lowerBound: Math.max(0, overallScore - margin),
    outcome,
  };
}

export interface DomainScore {
  category: Category;
  /** 0–1000. */
  score: number;
  /** 0–100. */
  confidence: number;
  /** Tasks that ended, whichever way. */
  tasks: number;
  posterior: Posterior;
}

/** How good an agent is in a category: its prior is the agent's mean over all categories. */
export const domainPosterior = (tally: Tally, overallMean: number): Posterior =>
  posterior(tally, overallMean, weights.domainPriorMass);

/** What work of a newcomer to a category is expected to be worth, by what was seen of other newcomers to it. */
export const newcomerMean = (seen: Tally): number =>
  meanOf(posterior(seen, weights.priorMean, weights.newcomer.priorMass));

/**
 * What work in a category is worth: what was delivered, times the share of tasks with a delivery. That share is taken from all
 * of the agent's tasks, measured or not, and so is known better than by the few of one category.
 */
function worthOf({ mass, good, undelivered }: Work, delivery: Tally): Tally {
  const delivered = mass - undelivered;
  if (delivered <= 0) return { mass, good: 0 };
  const { assumedDelivered } = weights;
  const share = (assumedDelivered + delivery.good) / (assumedDelivered + delivery.mass);
  return { mass, good: mass * share * Math.min(1, good / delivered) };
}

/** The categories with evidence at a time (ms), best first. */
export function domainsOf(record: AgentRecord, at: number): DomainScore[] {
  const { outcome, delivery, domains } = aged(record.evidence, at - record.asOf);
  const overallMean = meanOf(overall(outcome));
  const prior = domainPosterior(emptyTally(), overallMean);
  return Object.entries(domains)
    .map(([category, work]) => {
      const found = domainPosterior(worthOf(work, delivery), overallMean);
      const score = points(meanOf(found));
      const tasks = record.tasks[category as Category] ?? 0;
      const confidence = confidenceOf(found, prior);
      return { category: category as Category, score, confidence, tasks, posterior: found };
    })
    .sort((a, b) => b.score - a.score || (a.category < b.category ? -1 : 1));
}
