import { type Beta, drawBeta, type Random } from './beta.ts';
import { routingWeights as weights } from './weights.ts';

/** An agent that could take the task now, with its record. */
export interface Contender {
  agentId: string;
  ownerId: string;
  /** Over the quality of its work in the task's category. */
  posterior: Beta;
  /** Evidence about its work in the category: the sum of the weights of all outcomes, and of weight × quality. */
  evidence: { mass: number; good: number };
  /** What work of newcomers to the category is expected to be worth. */
  newcomerMean: number;
  /** What the buyer itself had from it in the category. */
  own: { mass: number; good: number };
  /** With so much of its own, what the buyer saw says as much as what all buyers saw; Infinity where buyers do not differ. */
  credibleFrom: number;
  /** List price in cents; null for none. */
  price: number | null;
  openTasks: number;
  /** Open tasks that it may hold at once. */
  capacity: number;
  /** Tags of the task that it lists at the category. */
  matchingTags: number;
  /** Agents of its owner that stand for the category, itself included. They share the tickets of one. */
  siblings: number;
  /** It was met by chance and not because it is good, so that it takes part in the lottery. */
  inLottery: boolean;
  /** Its owner has a verified payment instrument. Without one a newcomer gets work only where nobody else can do it. */
  isVerified: boolean;
}

/** What speaks for and against an agent. All but the tickets are parts of quality, which goes from 0 to 1. */
export interface Considered {
  agentId: string;
  /** What its work in the category is expected to be worth. */
  mean: number;
  /** Deviation of that expectation: how little is known. */
  deviation: number;
  /** Quality drawn from the posterior. The less is known, the farther it may lie from the mean. */
  draw: number;
  /** What the buyer's own tasks with the agent add, or take off where they were worse than what others had. */
  history: number;
  /** What price and load take off, and matching tags add. */
  price: number;
  load: number;
  tags: number;
  /** draw + history − price − load + tags, by which agents are ordered. */
  utility: number;
  isNewcomer: boolean;
  /** It is no newcomer, or one whose owner has a verified payment instrument. */
  isAdmitted: boolean;
  evidence: Contender['evidence'];
  /** Tickets in the lottery. */
  tickets: number;
}

/** How a task found its agent. */
export interface Decision {
  /**
   * `best`: the highest utility among agents that are no newcomers. `lottery`: this task was one of the few that are
   * given away by lottery. `promising`: it was one of those that newcomers compete for too, and one of them won.
   * `newcomers`: nobody else could take it.
   */
  by: 'best' | 'lottery' | 'promising' | 'newcomers';
  /** The agents in the order in which they are asked; the first is the choice. */
  ranked: Considered[];
}

/** What matters of a task here. `maxBudget` is in cents; null where it is not known yet, and prices do not count. */
export interface Wanted {
  maxBudget: number | null;
}

/**
 * Chooses among agents that can take a task. Most tasks go to the highest utility, with the quality of each agent drawn
 * from its posterior: Thompson, "On the Likelihood that One Unknown Probability Exceeds Another" (1933). The better an
 * agent is known to be, the more it gets. One that becomes worse loses its work as soon as the evidence says so.
 *
 * Newcomers take part in that for a fixed share of tasks, so they never get more. What is expected of one is what others
 * were worth when they were newcomers. A smaller share is given away by lottery. A new identity has the fewest tickets
 * there, so whoever drops a bad record gets less work than before: Friedman and Resnick, "The Social Cost of Cheap
 * Pseudonyms" (2001), show that newcomers must pay such dues where names are free.
 */
export function choose(contenders: readonly Contender[], task: Wanted, random: Random): Decision | null {
  const considered = consider(contenders, task, (shape) => drawBeta(shape, random));
  const best = considered.toSorted((a, b) => Number(a.isNewcomer) - Number(b.isNewcomer) || byUtility(a, b));
  const [first] = best;
  if (first === undefined) return null;
  if (first.isNewcomer) return { by: 'newcomers', ranked: best };
  const turn = turnOf(random() * 1000);
  if (turn === 'promising') {
    const all = considered.toSorted(byUtility);
    return { by: all[0]?.isNewcomer ? 'promising' : 'best', ranked: all };
  }
  const winner = turn && drawTicket(considered, random);
  return turn && winner
    ? { by: turn, ranked: [winner, ...best.filter((agent) => agent !== winner)] }
    : { by: 'best', ranked: best };
}

/** Those that are not admitted come last. */
const byUtility = (a: Considered, b: Considered): number =>
  Number(b.isAdmitted) - Number(a.isAdmitted) || b.utility - a.utility;

/** Whose turn a number from 0 up to 1,000 makes it; null for that of the best. */
function turnOf(number: number): 'lottery' | 'promising' | null {
  const { lottery, promising } = weights.perMille;
  return number < lottery ? 'lottery' : number < lottery + promising ? 'promising' : null;
}

/** The same agents in the order of their expected utility. Nothing is drawn, so a buyer can be told beforehand. */
export function expected(contenders: readonly Contender[], task: Wanted): Considered[] {
  return consider(contenders, task, meanOf).sort(
    (a, b) => Number(a.isNewcomer) - Number(b.isNewcomer) || b.utility - a.utility,
  );
}

const meanOf = ({ alpha, beta }: Beta): number => alpha / (alpha + beta);

function consider(contenders: readonly Contender[], task: Wanted, draw: (quality: Beta) => number): Considered[] {
  const drawn = contenders.map((contender) => drawQuality(contender, draw));
  const histories = historiesOf(contenders, drawn);
  return contenders.map((contender, nth) => {
    const quality = drawn[nth] as Quality;
    const parts = { history: histories[nth] as number, ...besidesQuality(contender, task) };
    return {
      agentId: contender.agentId,
      ...quality,
      ...parts,
      utility: quality.draw + parts.history - parts.price - parts.load + parts.tags,
      isNewcomer: isNewcomer(contender),
      tickets: contender.inLottery && contender.isVerified ? ticketsOf(contender) : 0,
      isAdmitted: contender.isVerified || !isNewcomer(contender),
      evidence: contender.evidence,
    };
  });
}

type Quality = Pick<Considered, 'mean' | 'deviation' | 'draw'>;

function drawQuality(contender: Contender, draw: (quality: Beta) => number): Quality {
  const { mass, good } = contender.evidence;
  const { evidence: found, prior } = weights.observations;
  const before = priorOf(contender);
  const shape = {
    alpha: prior * before.alpha + found * good,
    beta: prior * before.beta + found * (mass - good),
  };
  const mean = meanOf(shape);
  return {
    mean,
    deviation: Math.sqrt((mean * (1 - mean)) / (shape.alpha + shape.beta + 1)),
    draw: draw(shape),
  };
}

/**
 * What is expected of an agent before its work in the category. For a newcomer that is what others were worth when they
 * were newcomers, moved by how much the agent's work in other categories is above the usual, and less a margin that
 * shrinks as it becomes known. Learning the prior from the arms before: "Dynamic Prior Thompson Sampling" (2026,
 * arXiv 2602.00943).
 */
function priorOf(contender: Contender): Beta {
  const { posterior, evidence, newcomerMean } = contender;
  const { mass, good } = evidence;
  const own = { alpha: posterior.alpha - good, beta: posterior.beta - (mass - good) };
  if (!isNewcomer(contender)) return own;
  const total = own.alpha + own.beta;
  const unknown = 1 - mass / weights.newcomerEvidence;
  const mean = newcomerMean + (own.alpha / total - 0.5) - weights.margin * unknown;
  const bounded = Math.min(0.95, Math.max(0.05, mean));
  return { alpha: total * bounded, beta: total * (1 - bounded) };
}

/**
 * How much better each agent is for this very buyer, by the buyer's own tasks with it. The fewer there are, and the less the tastes of
 * buyers differ, the less they say. What a buyer finds better or worse with all of its agents is its way to judge and no taste.
 */
function historiesOf(contenders: readonly Contender[], drawn: readonly Quality[]): number[] {
  const seen = contenders.map(({ own: { mass, good }, credibleFrom }, nth) => ({
    credibility: mass === 0 ? 0 : mass / (mass + credibleFrom),
    difference: mass === 0 ? 0 : good / mass - (drawn[nth] as Quality).mean,
  }));
  const all = seen.reduce((sum, { credibility }) => sum + credibility, 0);
  const level =
    seen.reduce((sum, { credibility, difference }) => sum + credibility * difference, 0) / (weights.alike + all);
  return seen.map(({ credibility, difference }) => credibility * (difference - level));
}

/** What price and load take off the quality of an agent, and tags add. */
export function besidesQuality({ price, openTasks, capacity, matchingTags }: Contender, { maxBudget }: Wanted) {
  const { tags } = weights;
  return {
    price: maxBudget === null ? 0 : weights.price * Math.min(1, (price ?? maxBudget) / maxBudget),
    load: capacity <= 1 ? 0 : weights.load * Math.min(1, openTasks / (capacity - 1)),
    tags: Math.min(tags.most, tags.each * matchingTags),
  };
}

const isNewcomer = ({ evidence }: Contender): boolean => evidence.mass < weights.newcomerEvidence;

/** Never fewer for an agent that is known than for one that is not, or a new identity would pay. */
function ticketsOf({ evidence: { mass }, siblings }: Contender): number {
  const { unknown, known, knownEvidence } = weights.tickets;
  return (unknown + (known - unknown) * Math.min(1, mass / knownEvidence)) / Math.max(1, siblings);
}

function drawTicket(considered: readonly Considered[], random: Random): Considered | undefined {
  let left = random() * considered.reduce((sum, { tickets }) => sum + tickets, 0);
  return considered.find(({ tickets }) => {
    left -= tickets;
    return tickets > 0 && left < 0;
  });
}
