import { agentsByPlan, agentsMadePerPlace, type Category, trustTiers } from '@agora-market/contract';
import { qualityRateOf } from '@agora-market/server/reputation';
import { routingWeights } from '@agora-market/server/routing';
import { below, shuffled } from './chance.ts';
import type { Options } from './options.ts';
import { type Agent, categories, fee, type Traits, worthOf } from './population.ts';
import { mean } from './statistics.ts';
import type { StrategyName } from './strategies.ts';
import { type Taken, World } from './world.ts';

/** Figures of one run, by name. NaN where a run had nothing to measure. */
export type Figures = Record<string, number>;

/** How good the work is that buyers get after the warm-up, and how much of it newcomers do. */
export function quality(options: Options, seed: number, strategy: StrategyName): Figures {
  const all: Taken[] = [];
  new World(options, seed, strategy).run({ taken: (taken) => all.push(taken) });
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
  };
}

/** Who did most of the last tasks of a category, while it is told of each. */
function leader(length: number) {
  const last: Agent[] = [];
  const share = (agent: Agent) => last.filter((one) => one === agent).length / last.length;
  return {
    note: (agent: Agent) => {
      last.push(agent);
      if (last.length > length) last.shift();
    },
    share,
    first: (): Agent | undefined =>
      [...new Set(last)].filter(({ gone }) => !gone).sort((a, b) => share(b) - share(a))[0],
  };
}

/** A newcomer of high quality, followed from its first day until it has its fair share: one part of as many as there are. */
export function newcomer(given: Options, seed: number): Figures {
  const category = stage(seed);
  // Three times as long, so that one that is slow is slow in the figures and not left out of them.
  const options = { ...given, tasks: 3 * given.tasks, days: 3 * given.days };
  const world = new World(options, seed, 'as built');
  const last = trail(100);
  let agent: Agent | undefined;
  let [own, of, reachedOwn, reachedOf, firstOf] = [0, 0, Number.NaN, Number.NaN, Number.NaN];
  world.run({
    before: (index) => {
      if (index === options['warm-up']) agent = world.add({ category, quality: options['newcomer-quality'] });
    },
    taken: (taken) => {
      if (!agent || taken.category !== category) return;
      const isOwn = taken.agent === agent;
      of += 1;
      if (isOwn) own += 1;
      if (isOwn && own === 1) firstOf = of;
      last.note(isOwn);
      if (!Number.isNaN(reachedOwn) || own < 3) return;
      const fair = 1 / world.agents.filter(({ gone, quality }) => !gone && quality.has(category)).length;
      if (last.share() >= fair) [reachedOwn, reachedOf] = [own, of];
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
  const recent = leader(200);
  let bad: Agent | undefined;
  let [before, own, of, lostOwn] = [0, 0, 0, Number.NaN];
  world.run({
    before: (index) => {
      if (index !== at) return;
      bad = recent.first();
      if (bad) before = recent.share(bad);
      bad?.quality.set(category, options['bad-quality']);
    },
    taken: ({ agent, category: where }) => {
      if (where !== category) return;
      if (!bad) return recent.note(agent);
      of += 1;
      if (agent === bad) own += 1;
      last.note(agent === bad);
      if (Number.isNaN(lostOwn) && of >= 50 && last.share() <= before / 2) lostOwn = own;
    },
  });
  return { before, lostOwn, after: last.share() };
}

export interface Ring {
  size: number;
  price: number;
  /** Of their honest work, 0–1; null where they do none. */
  quality: number | null;
}

/** Identities that rate each other, and the same ones without that. */
export function ring(options: Options, seed: number, { size, price, quality }: Ring): Figures {
  const scores = [false, true].map((isRing) => {
    const world = new World(options, seed, 'as built');
    const category = stage(seed);
    const members = Array.from({ length: size }, () => world.add({ category, quality: quality ?? 0.5 }));
    // Those without honest work take no task but each other's.
    if (quality === null) for (const member of members) world.leave(member);
    const pairs = members.flatMap((agent) =>
      members.filter((other) => other !== agent).map((other) => ({ agent, buyerId: other.ownerId })),
    );
    const all = pairs.length * options['ring-tasks'];
    let next = 0;
    world.run({
      before: (index) => {
        if (!isRing) return;
        for (; next < (all * (index + 1)) / options.tasks; next++) {
          const { agent, buyerId } = pairs[next % pairs.length] as (typeof pairs)[number];
          world.buy(agent, buyerId, { category, price, score: 100, thumb: 'up' });
        }
      },
    });
    return members.map(({ id }) => world.books.of(id));
  });
  const [honest = [], ringed = []] = scores;
  const gains = ringed.map(({ score }, i) => score.overallScore - (honest[i]?.score.overallScore ?? 0));
  const high = ringed.filter(({ tier }, i) => isHigh(tier) && !isHigh(honest[i]?.tier ?? tier)).length;
  return {
    honest: mean(honest.map(({ score }) => score.overallScore)),
    ringed: mean(ringed.map(({ score }) => score.overallScore)),
    gain: mean(gains),
    mostGain: Math.max(...gains),
    aboveEstablished: high,
  };
}

const isHigh = (tier: string): boolean => tier === 'trusted' || tier === 'elite';

/** How an agent comes back: as another agent of its owner, or of a new owner without a card or with one of its own. */
export type NewName = 'another agent' | 'a new account' | 'a new card';

/** How many names an owner can give its agents without paying for a plan. */
const freeAgents = agentsByPlan.free * agentsMadePerPlace;

/**
 * What bad agents earn under one name, and under new names: with `after` a number, a new owner and agent takes the place
 * of one after so many tasks.
 */
export function whitewash(
  options: Options,
  seed: number,
  quality: number,
  { after, as }: { after: number | null; as: NewName },
): Figures {
  const category = stage(seed);
  const world = new World(options, seed, 'as built');
  const traits: Traits = { category, quality };
  const fresh = ({ ownerId }: Agent) =>
    world.add(as === 'another agent' ? { ...traits, ownerId } : { ...traits, isVerified: as === 'a new card' });
  // The first names are verified in any case: what a new one brings is compared with a usual one.
  const washers = Array.from({ length: options['wash-agents'] }, () => ({
    agent: world.add(traits),
    tasks: 0,
    earned: 0,
    names: 1,
  }));
  world.run({
    taken: ({ agent, index, worth }) => {
      const washer = washers.find((one) => one.agent === agent);
      if (!washer) return;
      washer.tasks += 1;
      if (index >= options['warm-up']) washer.earned += worth * agent.price * (1 - fee);
      if (after === null || washer.tasks < after) return;
      if (as === 'another agent' && washer.names === freeAgents) return;
      world.leave(agent);
      Object.assign(washer, { agent: fresh(agent), tasks: 0, names: washer.names + 1 });
    },
  });
  return { earned: mean(washers.map(({ earned }) => earned)), names: mean(washers.map(({ names }) => names)) };
}

/** The answer of a question if newcomers compete for so many of 1,000 tasks. */
function admitting<T>(promising: number, ask: () => T): T {
  const usual = routingWeights.perMille.promising;
  routingWeights.perMille.promising = promising;
  try {
    return ask();
  } finally {
    routingWeights.perMille.promising = usual;
  }
}

/** What all work is worth if newcomers compete for so many of 1,000 tasks. */
export const admitted = (options: Options, seed: number, promising: number): Figures =>
  admitting(promising, () => quality(options, seed, 'as built'));

/** What a middling agent earns then under one name, and under a new one after each task with a payment instrument of its own. */
export const renewed = (options: Options, seed: number, promising: number): Figures =>
  admitting(promising, () => {
    const earned = (after: number | null) =>
      whitewash(options, seed, options['wash-middling'], { after, as: 'a new card' }).earned as number;
    return { renewed: earned(1), stayed: earned(null) };
  });

/** The best agent of a category with and without those who would harm it. */
function harmed(
  options: Options,
  seed: number,
  harm: (world: World, victim: Agent, category: Category) => void,
): Figures {
  const [without, under] = [false, true].map((isHarmed) => {
    const category = stage(seed);
    const world = new World(options, seed, 'as built');
    const recent = leader(options['warm-up']);
    let victim: Agent | undefined;
    let [own, of] = [0, 0];
    world.run({
      before: (index) => {
        if (index === options['warm-up']) victim = recent.first();
        if (isHarmed && victim) harm(world, victim, category);
      },
      taken: ({ agent, category: where, index }) => {
        if (where !== category) return;
        if (index < options['warm-up']) return recent.note(agent);
        of += 1;
        if (agent === victim) own += 1;
      },
    });
    if (!victim) throw new Error('Nobody worked before the end of the warm-up. Set another --warm-up.');
    const { score, tier, record } = world.books.of(victim.id);
    return {
      share: own / of,
      score: score.overallScore,
      tier: trustTiers.indexOf(tier),
      rate: qualityRateOf(record),
    };
  }) as [
    Figures & { share: number; score: number; tier: number; rate: number },
    { share: number; score: number; tier: number; rate: number },
  ];
  return {
    without: without.share,
    under: under.share,
    lostScore: without.score - under.score,
    lostRate: 100 * (without.rate - under.rate),
    lostTiers: without.tier - under.tier,
  };
}

/** Owners hire the best agent of a category for next to nothing and turn their thumbs down. */
export function slander(options: Options, seed: number): Figures {
  let bought = 0;
  return harmed(options, seed, (world, victim, category) => {
    if (bought >= options['slander-owners'] * options['slander-tasks']) return;
    bought += 1;
    const owner = `slanderer ${below(world.random, options['slander-owners'])}`;
    world.buy(victim, owner, { category, price: options['slander-price'], score: 80, thumb: 'down' });
  });
}

/** Some of the real buyers take their money back for whatever the best agent does for them, and for nobody else. */
export const refusal = (options: Options, seed: number): Figures =>
  harmed(options, seed, (world, victim) => {
    const refusers = new Set(world.buyers.slice(0, Math.round(options.refusers * world.buyers.length)));
    world.refuses = (buyerId, agent) => agent === victim && refusers.has(buyerId);
  });

/** An agent that asks next to nothing until it is known, and then three times the usual price. */
export function baiting(options: Options, seed: number): Figures {
  const earned = [false, true].map((isBait) => {
    const world = new World(options, seed, 'as built');
    const category = stage(seed);
    const agent = world.add({ category, quality: options['bait-quality'] });
    if (isBait) world.reprice(agent, options['bait-price']);
    let tasks = 0;
    world.run({
      taken: (taken) => {
        if (taken.agent !== agent) return;
        tasks += 1;
        if (isBait && tasks === options['bait-tasks']) world.reprice(agent, 3 * options.price);
      },
    });
    return world.earned.get(agent.ownerId) ?? 0;
  });
  return { honest: earned[0] ?? 0, baiting: earned[1] ?? 0 };
}

/** One agent has all the work before better ones come, all at once. */
export function incumbent(given: Options, seed: number, quality: number): Figures {
  const options = { ...given, agents: 0, arrivals: 0 };
  const category = stage(seed);
  const world = new World(options, seed, 'as built');
  const traits = (quality: number): Traits => ({ category, quality, unfinished: 0 });
  const known = world.add(traits(quality));
  const worth: number[] = [];
  let own = 0;
  world.run({
    before: (index) => {
      if (index !== Math.floor(options['warm-up'] / 2)) return;
      for (let nth = 0; nth < options['incumbent-newcomers']; nth++) world.add(traits(options['incumbent-rivals']));
    },
    taken: (taken) => {
      if (taken.index < options['warm-up']) return;
      worth.push(taken.worth);
      if (taken.agent === known) own += 1;
    },
  });
  const best = worthOf({ unfinished: 0 }, options['incumbent-rivals'], options.spread);
  return { worth: mean(worth), best, share: own / worth.length };
}

/** An agent is paid by accomplices who never get their money back: fresh money buys it a name. */
export function oneWay(options: Options, seed: number): Figures {
  const each = options['accomplice-tasks'];
  const price = options['accomplice-price'];
  const earned = [false, true].map((isPaid) => {
    const world = new World(options, seed, 'as built');
    const category = stage(seed);
    const agent = world.add({ category, quality: options['accomplice-quality'] });
    const all = shuffled(
      world.random,
      Array.from({ length: options.accomplices * each }, (_, nth) => `accomplice ${nth % options.accomplices}`),
    );
    let next = 0;
    world.run({
      before: (index) => {
        // Before anything is counted, so that what it brings is there for the whole time.
        for (; isPaid && next < (all.length * (index + 1)) / options['warm-up'] && next < all.length; next++) {
          world.buy(agent, all[next] as string, { category, price, score: 100, thumb: 'up' });
        }
      },
    });
    return world.earned.get(agent.ownerId) ?? 0;
  });
  const [honest = 0, paid = 0] = earned;
  return { honest, gain: paid - honest, fees: options.accomplices * each * price * fee };
}

/** Many identities without a payment instrument come to a category in which honest newcomers wait for their first work. */
export function freeIdentities(options: Options, seed: number): Figures {
  const shares = [0, options['free-identities']].map((identities) => {
    const world = new World(options, seed, 'as built');
    const category = stage(seed);
    let honest = new Set<Agent>();
    let [own, free, of] = [0, 0, 0];
    world.run({
      before: (index) => {
        if (index !== options['warm-up']) return;
        honest = new Set(Array.from({ length: 5 }, () => world.add({ category, quality: 0.8 })));
        for (let nth = 0; nth < identities; nth++) world.add({ category, quality: 0.5, isVerified: false });
      },
      taken: ({ agent, category: where, index }) => {
        if (where !== category || index < options['warm-up']) return;
        of += 1;
        if (honest.has(agent)) own += 1;
        if (!agent.isVerified) free += 1;
      },
    });
    return { honest: own / of, free: free / of };
  });
  const [without, under] = shares as [{ honest: number; free: number }, { honest: number; free: number }];
  return { without: without.honest, under: under.honest, free: under.free };
}
