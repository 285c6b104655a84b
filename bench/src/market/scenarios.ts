import { type Category, trustTiers } from '@agora/contract';
import { qualityRateOf } from '@agora/server/reputation';
import { pick } from './chance.ts';
import type { Options } from './options.ts';
import { type Agent, categories, newAgent, newOwner, worthOf } from './population.ts';
import type { StrategyName } from './strategies.ts';
import { type Drift, type Taken, World } from './world.ts';

/** Figures of one run, by name. NaN where a run had nothing to measure. */
export type Figures = Record<string, number>;

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** How good the work is that buyers get after the warm-up, and how much of it newcomers do. */
export function quality(options: Options, seed: number, strategy: StrategyName, drift: Drift): Figures {
  const all: Taken[] = [];
  new World(options, seed, strategy, drift).run({ taken: (taken) => all.push(taken) });
  const counted = all.filter(({ index }) => index >= options['warm-up']);
  const figures: Figures = {
    worth: mean(counted.map(({ worth }) => worth)),
    newcomers: mean(counted.map(({ isNewcomer }) => (isNewcomer ? 1 : 0))),
    unserved: 1 - counted.length / (options.tasks - options['warm-up']),
  };
  const tenth = Math.ceil(options.tasks / 10);
  for (let part = 0; part < 10; part++) {
    const some = all.filter(({ index }) => Math.floor(index / tenth) === part);
    figures[`worth${part}`] = mean(some.map(({ worth }) => worth));
  }
  return figures;
}

/** The category of the run of events that a scenario follows; another one for each seed. */
const stage = (seed: number): Category => categories[seed % categories.length] as Category;

/** Share of an agent in the last tasks of a category, while it is told of each. */
function trail(length: number) {
  const last: boolean[] = [];
  return {
    note: (isOwn: boolean) => {
      last.push(isOwn);
      if (last.length > length) last.shift();
    },
    share: () => last.filter(Boolean).length / Math.max(1, last.length),
    isFull: () => last.length === length,
  };
}

/** A newcomer of high quality, followed from its first day until it has its fair share: one part of as many as there are. */
export function newcomer(given: Options, seed: number): Figures {
  const category = stage(seed);
  // Three times as long, so that one that is slow is slow in the figures and not left out of them.
  const options = { ...given, tasks: 3 * given.tasks, days: 3 * given.days };
  const world = new World(options, seed, 'as built');
  const random = world.random;
  const last = trail(100);
  let agent: Agent | undefined;
  let [own, of, reachedOwn, reachedOf, firstOf] = [0, 0, Number.NaN, Number.NaN, Number.NaN];
  world.run({
    before: (index) => {
      if (index !== options['warm-up']) return;
      agent = world.add(newAgent(random, options, { category, quality: options['newcomer-quality'] }));
    },
    taken: (taken) => {
      if (!agent || taken.category !== category) return;
      const isOwn = taken.agent === agent;
      of += 1;
      if (isOwn) own += 1;
      if (isOwn && own === 1) firstOf = of;
      last.note(isOwn);
      const fair = 1 / world.agents.filter(({ gone, quality }) => !gone && quality.has(category)).length;
      if (Number.isNaN(reachedOwn) && last.share() >= fair && own >= 3) [reachedOwn, reachedOf] = [own, of];
    },
  });
  return { reachedOwn, reachedOf, firstOf, share: own / of, shareAtEnd: last.share() };
}

/** The agent that had most of a category's work becomes worse. */
export function goneBad(options: Options, seed: number): Figures {
  const category = stage(seed);
  const world = new World(options, seed, 'as built');
  const at = options['warm-up'] + Math.floor((options.tasks - options['warm-up']) / 4);
  const last = trail(100);
  const recent: Agent[] = [];
  const share = (agent: Agent | undefined) => recent.filter((one) => one === agent).length / recent.length;
  let bad: Agent | undefined;
  let [before, own, of, lostOwn] = [0, 0, 0, Number.NaN];
  world.run({
    before: (index) => {
      if (index !== at) return;
      const byShare = [...new Set(recent)].filter(({ gone }) => !gone).sort((a, b) => share(b) - share(a));
      bad = byShare[0];
      before = share(bad);
      bad?.quality.set(category, options['bad-quality']);
    },
    taken: ({ agent, category: where }) => {
      if (where !== category) return;
      if (!bad) {
        recent.push(agent);
        if (recent.length > 200) recent.shift();
        return;
      }
      of += 1;
      if (agent === bad) own += 1;
      last.note(agent === bad);
      if (Number.isNaN(lostOwn) && of >= 50 && last.share() <= before / 2) lostOwn = own;
    },
  });
  return { before, lostOwn, after: last.share() };
}

/** Identities that rate each other, and the same ones without that. */
export function ring(options: Options, seed: number, quality: number | null): Figures {
  const scores = [false, true].map((isRing) => {
    const world = new World(options, seed, 'as built');
    const random = world.random;
    const members = Array.from({ length: options['ring-size'] }, () =>
      newAgent(random, options, { category: stage(seed), quality: quality ?? 0.5 }),
    );
    if (quality !== null) for (const member of members) world.add(member);
    const pairs = members.flatMap((agent) =>
      members.filter((other) => other !== agent).map((other) => ({ agent, buyerId: other.ownerId })),
    );
    const each = Math.ceil((pairs.length * options['ring-tasks']) / options.tasks);
    let next = 0;
    world.run({
      before: () => {
        if (!isRing) return;
        for (let i = 0; i < each && next < pairs.length * options['ring-tasks']; i++, next++) {
          const { agent, buyerId } = pairs[next % pairs.length] as (typeof pairs)[number];
          world.buy(agent, buyerId, { category: stage(seed), price: options['ring-price'], score: 100, thumb: 'up' });
        }
      },
    });
    return members.map(({ id }) => world.books.of(id));
  });
  const [honest = [], ringed = []] = scores;
  const gains = ringed.map(({ overallScore }, i) => overallScore - (honest[i]?.overallScore ?? 0));
  const high = ringed.filter(({ tier }, i) => isHigh(tier) && !isHigh(honest[i]?.tier ?? tier)).length;
  return {
    honest: mean(honest.map(({ overallScore }) => overallScore)),
    ringed: mean(ringed.map(({ overallScore }) => overallScore)),
    gain: mean(gains),
    mostGain: Math.max(...gains),
    aboveEstablished: high,
  };
}

const isHigh = (tier: string): boolean => tier === 'trusted' || tier === 'elite';

/**
 * What bad agents earn under one name, and under new names: with `after` a number, a new owner and agent takes the place
 * of one after so many tasks.
 */
export function whitewash(options: Options, seed: number, quality: number, after: number | null): Figures {
  const category = stage(seed);
  const world = new World(options, seed, 'as built');
  const random = world.random;
  const fresh = () => world.add(newAgent(random, options, { category, quality }));
  const washers = Array.from({ length: options['wash-agents'] }, () => ({ agent: fresh(), tasks: 0, earned: 0 }));
  let names = washers.length;
  world.run({
    taken: ({ agent, index }) => {
      const washer = washers.find((one) => one.agent === agent);
      if (!washer) return;
      washer.tasks += 1;
      if (index >= options['warm-up']) washer.earned += worthOf(agent, category, options.spread) * agent.price;
      if (after === null || washer.tasks < after) return;
      agent.gone = true;
      names += 1;
      Object.assign(washer, { agent: fresh(), tasks: 0 });
    },
  });
  return { earned: mean(washers.map(({ earned }) => earned)), names: names / washers.length };
}

/** Owners hire the best agent of a category for next to nothing and turn their thumbs down. */
export function slander(options: Options, seed: number): Figures {
  const shares = [false, true].map((isSlander) => {
    const category = stage(seed);
    const world = new World(options, seed, 'as built');
    const owners = Array.from({ length: options['slander-owners'] }, newOwner);
    const recent: Agent[] = [];
    let victim: Agent | undefined;
    let [own, of, bought] = [0, 0, 0];
    world.run({
      before: (index) => {
        if (index === options['warm-up']) {
          const by = (agent: Agent) => recent.filter((one) => one === agent).length;
          victim = [...new Set(recent)].filter(({ gone }) => !gone).sort((a, b) => by(b) - by(a))[0];
        }
        if (!isSlander || !victim || bought >= options['slander-owners'] * options['slander-tasks']) return;
        bought += 1;
        const price = options['slander-price'];
        world.buy(victim, pick(world.random, owners), { category, price, score: 80, thumb: 'down' });
      },
      taken: ({ agent, category: where, index }) => {
        if (where !== category) return;
        if (index < options['warm-up']) recent.push(agent);
        else of += 1;
        if (agent === victim) own += 1;
      },
    });
    if (!victim) throw new Error('Nobody worked before the end of the warm-up. Set another --warm-up.');
    const { overallScore: score, tier, record } = world.books.of(victim.id);
    return { share: own / of, score, tier: trustTiers.indexOf(tier), rate: qualityRateOf(record) };
  });
  const [without, under] = shares as [(typeof shares)[number], (typeof shares)[number]];
  return {
    without: without.share,
    under: under.share,
    lostScore: without.score - under.score,
    lostRate: 100 * (without.rate - under.rate),
    lostTiers: without.tier - under.tier,
  };
}

/** An agent that asks next to nothing until it is known, and then three times the usual price. */
export function baiting(options: Options, seed: number): Figures {
  const earned = [false, true].map((isBait) => {
    const world = new World(options, seed, 'as built');
    const category = stage(seed);
    const agent = world.add(newAgent(world.random, options, { category, quality: options['bait-quality'] }));
    if (isBait) agent.price = options['bait-price'];
    let tasks = 0;
    world.run({
      taken: (taken) => {
        if (taken.agent !== agent) return;
        tasks += 1;
        if (isBait && tasks === options['bait-tasks']) agent.price = 3 * options.price;
      },
    });
    return world.earned.get(agent.ownerId) ?? 0;
  });
  return { honest: earned[0] ?? 0, baiting: earned[1] ?? 0 };
}
