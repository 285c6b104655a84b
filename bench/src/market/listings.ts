import { type Category, openTasksByTier } from '@agora-market/contract';
import type { Tally, Tastes } from '@agora-market/server/reputation';
import {
  type Candidate,
  candidateOf,
  type Found,
  looks,
  mostCandidates,
  type Reach,
} from '@agora-market/server/routing';
import type { Stored } from './books.ts';
import type { Agent } from './population.ts';

interface Listing {
  agent: Agent;
  band: number;
  score: number;
  alpha: number | null;
  beta: number | null;
  mean: number;
  lot: number;
  capacity: number;
}

/** What is known besides the listings. */
interface Known {
  openTasks: (agentId: string) => number;
  newcomersTo: (category: Category) => Tally;
  tastesIn: (category: Category) => Tastes;
  /** What a buyer itself had from an agent. */
  own: (agentId: string, buyerId: string, category: Category) => Tally;
  /** What is known of the other agents of an agent's owner. */
  kin: (agent: Agent, category: Category) => Tally | null;
}

interface Wanted {
  category: Category;
  buyerId: string;
  budget: number;
  /** Weight of evidence from which on an agent is no newcomer. */
  knownFrom: number;
  /** Where the lottery begins to look. */
  lot: number;
}

const bandOf = (price: number): number => (price <= 0 ? 0 : Math.floor(Math.log2(price)) + 1);

/** The first place whose value is not below the one that is looked for, in a list in order. */
function placeOf<T>(list: readonly T[], isBefore: (one: T) => boolean): number {
  let [from, to] = [0, list.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (isBefore(list[middle] as T)) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The table `agent_listings` and its function `agent_candidates`, in memory: the same looks find the same agents. */
export class Listings {
  private readonly byAgent = new Map<string, Map<Category, Listing>>();
  /** In the order of their lots. */
  private readonly lots = new Map<Category, Listing[]>();
  /** By band of prices, best first. */
  private readonly bands = new Map<Category, Map<number, Listing[]>>();
  private readonly known: Known;

  constructor(known: Known) {
    this.known = known;
  }

  add(agent: Agent, lot: () => number): void {
    for (const category of agent.quality.keys()) {
      const listing = {
        ...{ agent, band: bandOf(agent.price), score: -1, alpha: null, beta: null, mean: 0.5, lot: lot() },
        capacity: openTasksByTier.unverified,
      };
      this.byAgent.set(agent.id, (this.byAgent.get(agent.id) ?? new Map()).set(category, listing));
      this.insert(category, listing);
      // Others have no part in the lottery.
      if (!agent.isVerified) continue;
      const lots = this.lots.get(category) ?? [];
      this.lots.set(category, lots);
      lots.splice(
        placeOf(lots, (one) => one.lot < listing.lot),
        0,
        listing,
      );
    }
  }

  remove(agent: Agent): void {
    for (const [category, listing] of this.byAgent.get(agent.id) ?? []) {
      this.takeOut(category, listing);
      const lots = this.lots.get(category) ?? [];
      if (agent.isVerified) lots.splice(lots.indexOf(listing), 1);
    }
    this.byAgent.delete(agent.id);
  }

  /** Puts an agent that asks another price into its place, as its reputation has it. */
  store(agentId: string, { tier, mean, domains }: Stored): void {
    const listings = this.byAgent.get(agentId);
    if (listings === undefined) return;
    for (const [category, listing] of listings) {
      const domain = domains.find((one) => one.category === category);
      Object.assign(listing, { mean, capacity: openTasksByTier[tier] });
      if (!domain) continue;
      const { score, alpha, beta } = domain;
      if (score !== listing.score) {
        this.takeOut(category, listing);
        listing.score = score;
        this.insert(category, listing);
      }
      Object.assign(listing, { alpha, beta });
    }
  }

  reprice(agent: Agent): void {
    for (const [category, listing] of this.byAgent.get(agent.id) ?? []) {
      this.takeOut(category, listing);
      listing.band = bandOf(agent.price);
      this.insert(category, listing);
    }
  }

  candidates(wanted: Wanted): Candidate[] {
    const looking = looks(wanted.knownFrom);
    let next = looking.next();
    while (!next.done) next = looking.next(this.look(wanted, next.value));
    return next.value;
  }

  private look({ category, buyerId, budget, lot }: Wanted, { best, drawn, least }: Reach): Candidate[] {
    const met = new Map<Listing, boolean>();
    for (const [band, listings] of this.bands.get(category) ?? []) {
      if (band > bandOf(budget)) continue;
      for (const listing of listings.slice(0, best)) if (listing.score >= least) met.set(listing, false);
    }
    const lots = this.lots.get(category) ?? [];
    const from = placeOf(lots, (one) => one.lot < lot);
    for (let nth = 0; nth < Math.min(drawn, lots.length); nth++) {
      met.set(lots[(from + nth) % lots.length] as Listing, true);
    }
    const comesFirst = (isDrawn: boolean) => Number(isDrawn && drawn <= mostCandidates);
    return [...met]
      .filter(([{ agent, capacity }]) => {
        return agent.ownerId !== buyerId && agent.price <= budget && this.known.openTasks(agent.id) < capacity;
      })
      .sort((a, b) => comesFirst(b[1]) - comesFirst(a[1]) || b[0].score - a[0].score)
      .slice(0, mostCandidates)
      .map(([listing, isDrawn]) => candidateOf(this.found(listing, { category, buyerId }, isDrawn)));
  }

  private found(
    { agent, alpha, beta, mean, capacity }: Listing,
    { category, buyerId }: Pick<Wanted, 'category' | 'buyerId'>,
    isDrawn: boolean,
  ): Found {
    const { openTasks, newcomersTo, tastesIn, own, kin } = this.known;
    return {
      ...{ id: agent.id, ownerId: agent.ownerId, baseRateCents: agent.price, capacity, matchingTags: 0 },
      ...{ openTasks: openTasks(agent.id), mean, siblings: 1, inLottery: isDrawn, isVerified: agent.isVerified },
      ...{ alpha, beta, kin: kin(agent, category), newcomers: newcomersTo(category) },
      ...{ own: own(agent.id, buyerId, category), tastes: tastesIn(category) },
    };
  }

  private insert(category: Category, listing: Listing): void {
    const bands = this.bands.get(category) ?? new Map<number, Listing[]>();
    this.bands.set(category, bands);
    const listings = bands.get(listing.band) ?? [];
    bands.set(listing.band, listings);
    listings.splice(
      placeOf(listings, ({ score }) => score >= listing.score),
      0,
      listing,
    );
  }

  private takeOut(category: Category, listing: Listing): void {
    const listings = this.bands.get(category)?.get(listing.band) ?? [];
    const from = placeOf(listings, ({ score }) => score > listing.score);
    listings.splice(listings.indexOf(listing, from), 1);
  }
}
