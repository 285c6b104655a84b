import type { Category } from '@agora/contract';
import { routingWeights } from '@agora/server/routing';
import { Books } from './books.ts';
import { below, type Chance, chance, clamp, normal, pick } from './chance.ts';
import type { Options } from './options.ts';
import { type Agent, categories, fee, newAgent, newOwner, worthOf } from './population.ts';
import { type Option, type StrategyName, strategies } from './strategies.ts';

export type Drift = 'none' | 'slow' | 'sudden';

/** What happened to one task. */
export interface Taken {
  /** Number of the task in the run. */
  index: number;
  category: Category;
  agent: Agent;
  /** What the task is worth on average, given its agent (0–1). */
  worth: number;
  /** The agent was a newcomer to the category. */
  isNewcomer: boolean;
  /** How many agents could have taken it. */
  among: number;
}

interface Running {
  at: number;
  agent: Agent;
  buyerId: string;
  category: Category;
  quality: number;
  index: number;
}

const dayMs = 86_400_000;
/** Evidence below which the server calls an agent a newcomer to a category; counted for every strategy alike. */
const isNew = (option: Option): boolean => option.evidence.mass < routingWeights.newcomerEvidence;

/** One market: agents with hidden quality, buyers, and a strategy that brings them together. A seed fixes it all. */
export class World {
  readonly books = new Books();
  readonly agents: Agent[] = [];
  readonly random: Chance;
  /** Cents that each owner has earned. */
  readonly earned = new Map<string, number>();
  now = 0;
  private readonly buyers: string[];
  private readonly chances: Record<'drift' | 'tasks' | 'choice' | 'arrivals', Chance>;
  private readonly open = new Map<string, number>();
  private running: Running[] = [];

  private readonly options: Options;
  private readonly strategy: StrategyName;
  private readonly drift: Drift;

  constructor(options: Options, seed: number, strategy: StrategyName, drift: Drift = 'none') {
    this.options = options;
    this.strategy = strategy;
    this.drift = drift;
    // One stream for each purpose: two strategies meet the same agents, tasks and drifts.
    this.random = chance(seed, 1);
    this.chances = {
      drift: chance(seed, 2),
      tasks: chance(seed, 3),
      choice: chance(seed, 4),
      arrivals: chance(seed, 5),
    };
    this.agents = Array.from({ length: options.agents }, () => newAgent(this.random, options));
    this.buyers = Array.from({ length: options.buyers }, newOwner);
  }

  /** Runs to the end of the tasks. `before` may change the world, `taken` is told of each task. */
  run(tell: { before?: (index: number) => void; taken?: (taken: Taken) => void }): void {
    const stepMs = (this.options.days * dayMs) / this.options.tasks;
    for (let index = 0; index < this.options.tasks; index++) {
      this.now += stepMs;
      this.endUntil(this.now);
      this.change();
      tell.before?.(index);
      const taken = this.place(index);
      if (taken) tell.taken?.(taken);
    }
    this.endUntil(Number.POSITIVE_INFINITY);
  }

  /** An agent comes. */
  add(agent: Agent): Agent {
    this.agents.push(agent);
    return agent;
  }

  /** A task that ends at once, bought directly: what attackers do. `score` is the gate's. */
  buy(agent: Agent, buyerId: string, task: { category: Category; price: number; score: number; thumb: 'up' | 'down' }) {
    const { category, price, score, thumb } = task;
    const about = { taskId: `direct-${Math.floor(this.random() * 2 ** 52)}`, agentId: agent.id, buyerId, at: this.now };
    this.books.note(
      { ...about, kind: 'ended', category, how: 'passed', quality: score, price, waited: 0 },
      agent.ownerId,
    );
    if (thumb === 'up') this.books.note({ ...about, kind: 'revised', as: 'up' }, agent.ownerId);
    else {
      // Thumbs down within ten minutes: the price goes back.
      this.books.note({ ...about, kind: 'revised', as: 'down' }, agent.ownerId);
      this.books.pay(buyerId, agent.ownerId, -price);
      this.books.note({ ...about, kind: 'revised', as: 'refunded' }, agent.ownerId);
    }
  }

  private place(index: number): Taken | undefined {
    const { tasks, choice } = this.chances;
    const category = pick(tasks, categories);
    const buyerId = pick(tasks, this.buyers);
    const budget = Math.round(this.options.price * (1 + 2 * tasks()));
    const options = this.optionsFor(category, buyerId, budget);
    const found = strategies[this.strategy](options, budget, choice);
    const agent = found && this.agents.find(({ id }) => id === found.agentId);
    if (!found || !agent) return undefined;
    const hours = 0.3 + 2 * tasks();
    this.open.set(agent.id, (this.open.get(agent.id) ?? 0) + 1);
    const quality = agent.quality.get(category) ?? 0;
    this.running.push({ at: this.now + hours * 3_600_000, agent, buyerId, category, quality, index });
    return { index, category, agent, worth: found.worth, isNewcomer: isNew(found), among: options.length };
  }

  private optionsFor(category: Category, buyerId: string, budget: number): Option[] {
    return this.agents.flatMap((agent): Option[] => {
      if (agent.gone || !agent.quality.has(category) || agent.price > budget || agent.ownerId === buyerId) return [];
      const openTasks = this.open.get(agent.id) ?? 0;
      const capacity = this.books.capacity(agent.id);
      if (openTasks >= capacity) return [];
      return [
        {
          agentId: agent.id,
          ownerId: agent.ownerId,
          posterior: this.books.posterior(agent.id, category),
          evidence: this.books.of(agent.id).record.evidence.domains[category] ?? { mass: 0, good: 0 },
          price: agent.price,
          openTasks,
          capacity,
          matchingTags: 0,
          siblings: 1,
          inLottery: true,
          worth: worthOf(agent, category, this.options.spread),
        },
      ];
    });
  }

  private endUntil(at: number): void {
    const due = this.running.filter((task) => task.at <= at).sort((a, b) => a.at - b.at);
    if (due.length === 0) return;
    this.running = this.running.filter((task) => task.at > at);
    for (const task of due) this.end(task);
  }

  private end({ at, agent, buyerId, category, quality, index }: Running): void {
    // What comes of a task depends on the task and on its agent's quality, whatever else the strategy did before.
    const luck = chance(index, Math.round(quality * 1e6));
    this.open.set(agent.id, (this.open.get(agent.id) ?? 1) - 1);
    const score = Math.round(100 * clamp(normal(luck, quality, this.options.spread), 0, 1));
    const isDelivered = luck() >= agent.unfinished;
    const how = !isDelivered ? 'failed' : score >= 50 ? 'passed' : 'rejected';
    const about = { taskId: `${index}`, agentId: agent.id, buyerId, at };
    const { price, ownerId } = agent;
    const passed = how === 'passed';
    this.books.note(
      { ...about, kind: 'ended', category, how, quality: isDelivered ? score : null, price, waited: 0.3 * luck() },
      ownerId,
    );
    if (passed) this.earned.set(ownerId, (this.earned.get(ownerId) ?? 0) + price * (1 - fee));
    if (passed && luck() < 0.3) {
      this.books.note({ ...about, kind: 'revised', as: score >= 65 ? 'up' : 'down' }, ownerId);
    }
    if (!passed && agent.lies && luck() < this.options['lies-believed']) {
      this.books.note({ ...about, kind: 'revised', as: 'struck' }, ownerId);
    }
  }

  /** Agents come, leave and change between two tasks. */
  private change(): void {
    const { drift, arrivals } = this.chances;
    if (arrivals() < this.options.arrivals / 100) {
      this.agents.push(newAgent(arrivals, this.options));
      // Only those of the beginning leave, which no attack is about.
      const leaving = this.agents[below(arrivals, this.options.agents)];
      if (leaving && !leaving.gone && this.agents.filter(({ gone }) => !gone).length > this.options.agents) {
        leaving.gone = true;
      }
    }
    if (this.drift === 'none') return;
    // As often for every number of tasks: in a run each agent takes 60 small steps, or one leap with chance 0.3.
    const each = (this.drift === 'slow' ? 60 : 0.3) / this.options.tasks;
    for (const { quality } of this.agents) {
      if (drift() >= each) continue;
      for (const [category, mean] of quality) {
        const next = this.drift === 'slow' ? normal(drift, mean, 0.012) : normal(drift, 0.68, 0.16);
        quality.set(category, clamp(next, 0.15, 0.95));
      }
    }
  }
}
