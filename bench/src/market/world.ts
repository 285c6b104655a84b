import type { Category } from '@agora-market/contract';
import type { Tally } from '@agora-market/server/reputation';
import { contenderOf, routingWeights } from '@agora-market/server/routing';
import { Books } from './books.ts';
import { below, type Chance, chance, clamp, normal, pick } from './chance.ts';
import { Listings } from './listings.ts';
import type { Options } from './options.ts';
import { type Agent, categories, fee, newAgent, type Traits, worthOf } from './population.ts';
import { type Option, type StrategyName, strategies } from './strategies.ts';

/** What happened to one task. */
export interface Taken {
  /** Number of the task in the run. */
  index: number;
  category: Category;
  agent: Agent;
  buyerId: string;
  /** What the task is worth on average, given its agent and its buyer (0–1). */
  worth: number;
  /** The agent was a newcomer to the category. */
  isNewcomer: boolean;
}

interface Running {
  at: number;
  agent: Agent;
  buyerId: string;
  category: Category;
  /** Mean of what its work is worth to this buyer, 0–1. */
  mean: number;
  index: number;
}

/** A task that is bought directly and passes at once: what attackers do. `score` is the gate's. */
export interface Bought {
  category: Category;
  price: number;
  score: number;
  thumb: 'up' | 'down';
}

/** What the tasks are, where it is not the usual. */
export interface Work {
  only?: Category;
  hours?: (random: Chance) => number;
}

const dayMs = 86_400_000;
const usualHours = (random: Chance): number => 0.3 + 2 * random();
/** Evidence below which the server calls an agent a newcomer to a category; counted for every strategy alike. */
const isNew = (option: Option): boolean => option.evidence.mass < routingWeights.newcomerEvidence;

/**
 * One market: agents with hidden quality, buyers, and a strategy that brings them together. A seed fixes it all. What
 * happens is told to the server's own functions as the events that the server would write.
 */
export class World {
  readonly books: Books;
  readonly agents: Agent[] = [];
  readonly buyers: readonly string[];
  readonly random: Chance;
  /** Cents that each owner has earned with work that was routed to its agents. */
  readonly earned = new Map<string, number>();
  /** Whether a buyer takes its money back for good work of an agent. */
  refuses: (buyerId: string, agent: Agent) => boolean = () => false;
  now = 0;
  private readonly listings: Listings;
  private readonly chances: Record<'drift' | 'tasks' | 'choice' | 'arrivals' | 'lots', Chance>;
  private readonly byId = new Map<string, Agent>();
  private readonly byOwner = new Map<string, Agent[]>();
  private readonly open = new Map<string, number>();
  private readonly suspended = new Map<Agent, number>();
  private running: Running[] = [];
  private direct = 0;

  private readonly options: Options;
  private readonly seed: number;
  private readonly strategy: StrategyName;
  private readonly only: Category | undefined;
  private readonly hours: (random: Chance) => number;

  constructor(options: Options, seed: number, strategy: StrategyName, { only, hours = usualHours }: Work = {}) {
    this.only = only;
    this.hours = hours;
    this.options = options;
    this.seed = seed;
    this.strategy = strategy;
    // One stream for each purpose: two strategies meet the same agents, tasks and drifts.
    this.random = chance(seed, 1);
    this.chances = {
      drift: chance(seed, 2),
      tasks: chance(seed, 3),
      choice: chance(seed, 4),
      arrivals: chance(seed, 5),
      lots: chance(seed, 6),
    };
    this.books = new Books((agentId, stored) => this.listings.store(agentId, stored));
    const { books } = this;
    this.listings = new Listings({
      openTasks: (agentId) => this.open.get(agentId) ?? 0,
      newcomersTo: (category) => books.newcomersTo(category),
      tastesIn: (category) => books.tastesIn(category),
      own: (agentId, buyerId, category) => books.own(agentId, buyerId, category, this.now),
      kin: (agent, category) => this.knownOfOthers(agent, category),
    });
    for (let nth = 0; nth < options.agents; nth++) this.add();
    this.buyers = Array.from({ length: options.buyers }, (_, nth) => `buyer ${nth}`);
  }

  /** Runs to the end of the tasks. `before` may change the world, `taken` is told of each task. */
  run(tell: { before?: (index: number) => void; taken?: (taken: Taken) => void }): void {
    const stepMs = (this.options.days * dayMs) / this.options.tasks / this.options.load;
    for (let index = 0; index < this.options.tasks; index++) {
      this.passTo(this.now + stepMs);
      this.change();
      tell.before?.(index);
      const taken = this.place(index);
      if (taken) tell.taken?.(taken);
    }
    this.passTo(this.now + dayMs);
  }

  /** An agent comes. */
  add(traits: Traits = {}, random: Chance = this.random): Agent {
    const agent = newAgent(`agent ${this.agents.length}`, random, this.options, traits);
    this.agents.push(agent);
    this.byId.set(agent.id, agent);
    this.byOwner.set(agent.ownerId, [...(this.byOwner.get(agent.ownerId) ?? []), agent]);
    this.books.add(agent.id, agent.ownerId);
    this.listings.add(agent, this.chances.lots);
    return agent;
  }

  leave(agent: Agent): void {
    agent.gone = true;
    this.suspended.delete(agent);
    this.listings.remove(agent);
  }

  reprice(agent: Agent, price: number): void {
    agent.price = price;
    this.listings.reprice(agent);
  }

  buy(agent: Agent, buyerId: string, { category, price, score, thumb }: Bought): void {
    const about = { agentId: agent.id, ownerId: buyerId, taskId: `direct ${this.direct++}`, at: this.now };
    const payout = price * (1 - fee);
    const data = {
      qualityScore: score,
      isMeasured: true,
      isDirect: true,
      taskType: category,
      waited: 0,
      price,
      payout,
    };
    this.books.tell({ ...about, type: 'task.completed', data });
    this.books.tell({ ...about, type: 'feedback.received', data: { direction: thumb } });
    // Thumbs down within ten minutes: the price goes back.
    if (thumb === 'down') {
      this.books.tell({ ...about, type: 'task.refunded', data: { amount: price, payout, because: 'feedback' } });
    }
  }

  /** Time passes: tasks end, days end, and owners bring suspended agents back, in their order. */
  private passTo(at: number): void {
    for (let day = Math.floor(this.now / dayMs) + 1; day * dayMs <= at; day++) {
      this.endUntil(day * dayMs);
      this.books.midnight(day * dayMs);
    }
    this.endUntil(at);
    this.now = at;
    for (const [agent, until] of this.suspended) if (until <= at) this.bringBack(agent, 'agent.reactivated');
  }

  private bringBack(agent: Agent, told: 'agent.reactivated' | null): void {
    this.suspended.delete(agent);
    this.listings.add(agent, this.chances.lots);
    if (told)
      this.books.tell({ type: told, at: this.now, agentId: agent.id, ownerId: agent.ownerId, taskId: null, data: {} });
    this.listings.store(agent.id, this.books.of(agent.id));
  }

  private place(index: number): Taken | undefined {
    const { tasks, choice } = this.chances;
    const category = this.only ?? pick(tasks, categories);
    const buyerId = pick(tasks, this.buyers);
    const budget = Math.round(this.options.price * (1 + 2 * tasks()));
    const hours = this.hours(tasks);
    const knownFrom = routingWeights.newcomerEvidence;
    const found = this.listings.candidates({ category, buyerId, budget, knownFrom, lot: choice() });
    const options = found.map((candidate): Option => {
      const agent = this.byId.get(candidate.id) as Agent;
      const worth = worthOf(agent, this.meanFor(agent, category, buyerId), this.options.spread);
      return { ...contenderOf(candidate), worth };
    });
    const chosen = strategies[this.strategy](options, budget, choice);
    if (!chosen) return undefined;
    const agent = this.byId.get(chosen.agentId) as Agent;
    this.open.set(agent.id, (this.open.get(agent.id) ?? 0) + 1);
    const mean = this.meanFor(agent, category, buyerId);
    this.running.push({ at: this.now + hours * 3_600_000, agent, buyerId, category, mean, index });
    return { index, category, agent, buyerId, worth: chosen.worth, isNewcomer: isNew(chosen) };
  }

  /** `kin_evidence` of the server: what is known of the other agents of an agent's owner in a category. */
  private knownOfOthers(agent: Agent, category: Category): Tally | null {
    const others = this.byOwner.get(agent.ownerId) ?? [];
    if (others.length === 1) return null;
    const known = others
      .filter((other) => other !== agent)
      .flatMap(({ id }) => this.books.of(id).domains.find((domain) => domain.category === category) ?? []);
    if (known.length === 0) return null;
    const sum = (of: (one: (typeof known)[number]) => number) => known.reduce((all, one) => all + of(one), 0);
    return { mass: sum(({ alpha, beta }) => alpha + beta), good: sum(({ alpha }) => alpha) };
  }

  /** What work of an agent is worth to a buyer on average. */
  private meanFor(agent: Agent, category: Category, buyerId: string): number {
    const quality = agent.quality.get(category) ?? 0;
    const { tastes, strictness } = this.options;
    if (tastes + strictness === 0) return quality;
    const buyer = Number(buyerId.slice(6));
    const taste = chance(Math.floor(agent.nature * 2 ** 31), buyer);
    return clamp(normal(taste, quality, tastes) + normal(chance(this.seed, 7, buyer), 0, strictness), 0, 1);
  }

  private endUntil(at: number): void {
    const due = this.running.filter((task) => task.at <= at).sort((a, b) => a.at - b.at);
    if (due.length === 0) return;
    this.running = this.running.filter((task) => task.at > at);
    for (const task of due) this.end(task);
  }

  private end({ at, agent, buyerId, category, mean, index }: Running): void {
    const { options } = this;
    // What comes of a task depends on the task and on its agent's quality, whatever else the strategy did before.
    const luck = chance(this.seed, index, Math.round(mean * 1e6));
    this.open.set(agent.id, (this.open.get(agent.id) ?? 1) - 1);
    const work = clamp(normal(luck, mean, options.spread), 0, 1);
    const isDelivered = luck() >= agent.unfinished;
    const isMeasured = luck() >= options.unmeasured;
    const judged = clamp(normal(luck, work + agent.flatters, options['gate-noise']), 0, 1);
    const seen = options['pass-only'] === 1 ? (judged >= 0.5 ? 100 : 0) : Math.round(100 * judged);
    const score = isMeasured ? seen : 60;
    const passed = isDelivered && score >= 50;
    const { price, ownerId } = agent;
    const payout = price * (1 - fee);
    const about = { agentId: agent.id, ownerId: buyerId, taskId: `${index}`, at };
    const what = { taskType: category, waited: 0.3 * luck(), price, isMeasured, isDirect: false };
    if (!passed) {
      const how = isDelivered
        ? { verb: 'reject', from: 'quality_check', qualityScore: score }
        : { verb: 'expire', from: 'executing', qualityScore: null };
      this.follow(agent, this.books.tell({ ...about, type: 'task.failed', data: { ...what, ...how } }));
      if (agent.lies && luck() < options['lies-believed']) {
        const data = { status: 'upheld' };
        this.follow(agent, this.books.tell({ ...about, type: 'assessment.appeal_decided', data }));
      }
      return;
    }
    this.earned.set(ownerId, (this.earned.get(ownerId) ?? 0) + payout);
    this.books.tell({ ...about, type: 'task.completed', data: { ...what, qualityScore: score, payout } });
    if (this.refuses(buyerId, agent)) {
      this.earned.set(ownerId, (this.earned.get(ownerId) ?? 0) - payout);
      this.books.tell({ ...about, type: 'feedback.received', data: { direction: 'down' } });
      this.books.tell({ ...about, type: 'task.refunded', data: { amount: price, payout, because: 'feedback' } });
    } else if (luck() < options.thumbs) {
      const isUp = work >= 0.65 !== luck() < options['false-thumbs'];
      this.books.tell({ ...about, type: 'feedback.received', data: { direction: isUp ? 'up' : 'down' } });
    }
  }

  /** What the server does with an agent's status. */
  private follow(agent: Agent, consequences: readonly { kind: string }[]): void {
    for (const { kind } of consequences) {
      if (kind === 'suspend' && !agent.gone && !this.suspended.has(agent)) {
        this.suspended.set(agent, this.now + 3_600_000 * this.options['suspended-hours']);
        this.listings.remove(agent);
      }
      if (kind === 'lift' && this.suspended.has(agent)) this.bringBack(agent, null);
    }
  }

  /** Agents come, leave and change between two tasks. */
  private change(): void {
    const { drift, arrivals } = this.chances;
    const { options } = this;
    if (arrivals() < options.arrivals / 100) {
      this.add({}, arrivals);
      // Only those of the beginning leave, which no attack is about.
      const leaving = this.agents[below(arrivals, options.agents)];
      if (leaving && !leaving.gone && this.agents.filter(({ gone }) => !gone).length > options.agents)
        this.leave(leaving);
    }
    // As often for every number of tasks.
    const [step, leap] = [options['drift-steps'] / options.tasks, options['drift-leaps'] / options.tasks];
    if (step + leap === 0) return;
    for (const { quality } of this.agents) {
      const turn = drift();
      if (turn >= step + leap) continue;
      for (const [category, mean] of quality) {
        const next = turn < step ? normal(drift, mean, 0.012) : normal(drift, 0.68, 0.16);
        quality.set(category, clamp(next, 0.15, 0.95));
      }
    }
  }
}
