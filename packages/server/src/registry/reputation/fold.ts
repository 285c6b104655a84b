import type { Category, TrustTier } from '@agora-market/contract';
import { type Deals, type Flow, noDeals, voiceOf, weightOfRefund, withDeal } from './buyer.ts';
import type { Bought, Entry } from './entries.ts';
import { emptyTally, emptyWork, observe, type Tally } from './evidence.ts';
import type { Ended, Fact, Revised } from './fact.ts';
import { countedFailures, doSuspend } from './failures.ts';
import { addPrice, medianOf, type Prices, pricesOf } from './prices.ts';
import { type AgentRecord, record } from './record.ts';
import { scoreOf } from './score.ts';
import { noTastes, ownWork, type Tastes, withPair } from './tastes.ts';
import { tierOf } from './tier.ts';
import { type Heard, outcomeWeight, type Voice } from './voice.ts';
import { weights } from './weights.ts';

export interface Standing {
  /** The agent's owner. */
  ownerId: string;
  record: AgentRecord;
  tier: TrustTier;
}

/** All that reputations are made of, as far as it was loaded, and what of it has changed since. */
export interface State {
  agents: Map<string, Standing>;
  /** As whom owners speak, where that is another than themselves (`principals.ts`). */
  principals: Map<string, string>;
  /** By `voiceKey`. */
  voices: Map<string, Voice>;
  /** By principal. */
  flows: Map<string, Flow>;
  /** By owner. */
  buyers: Map<string, Deals>;
  /** Of tasks that passed. */
  prices: Map<Category, Prices>;
  /** What was seen of the work of newcomers to a category. */
  newcomers: Map<Category, Tally>;
  /** How much the tastes of buyers in a category differ. */
  tastes: Map<Category, Tastes>;
  /** The midnight (ms) up to which days are closed. Later facts belong to a later day. */
  closedUntil: number;
  changed: {
    agents: Set<string>;
    voices: Set<string>;
    flows: Set<string>;
    buyers: Set<string>;
    prices: Set<Category>;
    newcomers: Set<Category>;
    tastes: Set<Category>;
  };
}

/** Before anything is loaded. */
export const emptyState = (closedUntil: number): State => ({
  agents: new Map(),
  principals: new Map(),
  voices: new Map(),
  flows: new Map(),
  buyers: new Map(),
  prices: new Map(),
  newcomers: new Map(),
  tastes: new Map(),
  closedUntil,
  changed: {
    agents: new Set(),
    voices: new Set(),
    flows: new Set(),
    buyers: new Set(),
    prices: new Set(),
    newcomers: new Set(),
    tastes: new Set(),
  },
});

/** What follows from a fact outside the reputation itself, and is told by an event. */
export interface Consequence {
  kind: 'tier' | 'suspend' | 'lift' | 'reinstate';
  agentId: string;
  ownerId: string;
  at: number;
  correlationId: string;
  /** For `tier`. */
  from?: TrustTier;
  to?: TrustTier;
  /** For `suspend`: failures in a row. */
  failures?: number;
}

/** UUIDs have no space. */
export const voiceKey = (agentId: string, buyerId: string): string => `${agentId} ${buyerId}`;

export const principalOf = ({ principals }: Pick<State, 'principals'>, ownerId: string): string =>
  principals.get(ownerId) ?? ownerId;

const buyerWeight = (state: State, buyerId: string): number =>
  voiceOf(state.flows.get(buyerId) ?? { spent: 0, earned: 0 });

/** Enters one entry of the log; its effect depends on the entries before it and on nothing else. */
export function fold(state: State, entry: Entry, correlationId: string): Consequence[] {
  const standing = state.agents.get(entry.agentId);
  if (standing === undefined) return [];
  if (entry.kind === 'paid') {
    const buyer = buyerIn(state, entry.buyerId);
    keepBuyer(state, entry.buyerId, { ...buyer, spent: Math.max(0, buyer.spent + entry.spent) });
    change(state, principalOf(state, entry.buyerId), entry.spent, 0);
    change(state, principalOf(state, standing.ownerId), 0, entry.earned);
    return [];
  }
  if (entry.kind === 'bought') {
    // What the own principal's agents do for a buyer costs it nothing, and says nothing of it.
    if (principalOf(state, entry.buyerId) === principalOf(state, standing.ownerId)) return [];
    if (entry.as === 'struck' && !wasContested(state, entry)) return [];
    keepBuyer(state, entry.buyerId, withDeal(buyerIn(state, entry.buyerId), entry.as));
    return [];
  }
  const fact = entry.at < state.closedUntil ? { ...entry, at: state.closedUntil } : entry;
  enter(state, standing, fact);
  return [
    ...retier(fact.agentId, standing, standing.record.asOf, correlationId),
    ...status(fact, standing, correlationId),
  ];
}

/** Whether nothing but the buyer's measures had failed a task. What is no longer heard of was most likely so. */
const wasContested = (state: State, { agentId, buyerId, taskId }: Bought): boolean => {
  const voice = state.voices.get(voiceKey(agentId, principalOf(state, buyerId)));
  return voice?.heard.find(({ task }) => task === taskId)?.refused !== 0;
};

const buyerIn = ({ buyers }: State, ownerId: string): Deals => buyers.get(ownerId) ?? noDeals();

function keepBuyer({ buyers, changed }: State, ownerId: string, record: Deals): void {
  buyers.set(ownerId, record);
  changed.buyers.add(ownerId);
}

function change({ flows, changed }: State, ownerId: string, spent: number, earned: number): void {
  const before = flows.get(ownerId) ?? { spent: 0, earned: 0 };
  // An old event that does not say how much was paid out must not leave less than nothing.
  flows.set(ownerId, { spent: Math.max(0, before.spent + spent), earned: Math.max(0, before.earned + earned) });
  changed.flows.add(ownerId);
}

function enter(state: State, standing: Standing, told: Fact): void {
  const { agentId } = told;
  const fact = 'buyerId' in told ? { ...told, buyerId: principalOf(state, told.buyerId) } : told;
  const key = 'buyerId' in fact ? voiceKey(agentId, fact.buyerId) : null;
  const weight = 'buyerId' in fact ? buyerWeight(state, fact.buyerId) : 0;
  const { after, voice } = record(standing.record, fact, {
    voice: key === null ? null : (state.voices.get(key) ?? null),
    isOwn: 'buyerId' in fact && fact.buyerId === principalOf(state, standing.ownerId),
    buyerWeight: weight,
    refundWeight: 'buyerId' in told ? weightOfRefund(buyerIn(state, told.buyerId)) : 0,
    medianPrice: fact.kind === 'ended' ? medianOf(pricesIn(state, fact.category)) : null,
  });
  if ('taskId' in fact && voice !== null) {
    const judged = newlyJudged(state, fact, voice);
    if (judged !== undefined) {
      learnNewcomers(state, standing.record, judged, voice);
      learnTastes(state, standing.record, judged, fact, voice);
    }
  }
  standing.record = after;
  state.changed.agents.add(agentId);
  if (key !== null && voice !== null) {
    state.voices.set(key, voice);
    state.changed.voices.add(key);
  }
  if (fact.kind === 'ended' && fact.how === 'passed' && weight >= weights.price.minVoice) {
    addPrice(pricesIn(state, fact.category), fact.price);
    state.changed.prices.add(fact.category);
  }
}

/** A delivery whose outcome this fact tells for the first time: its work is measured, or its buyer gives a thumb. */
function newlyJudged(
  { voices }: State,
  { agentId, buyerId, taskId }: Ended | Revised,
  voice: Voice,
): (Heard & { outcome: number }) | undefined {
  const isIt = ({ task }: Heard) => task === taskId;
  const heard = voice.heard.find(isIt);
  if (heard?.outcome == null || heard.isUndelivered) return undefined;
  if (voices.get(voiceKey(agentId, buyerId))?.heard.find(isIt)?.outcome != null) return undefined;
  return { ...heard, outcome: heard.outcome };
}

/** The first tasks of an agent in a category tell what to expect of other newcomers to it. */
function learnNewcomers(
  { newcomers, changed }: State,
  { evidence: { domains } }: AgentRecord,
  judged: Heard & { outcome: number },
  { weight }: Voice,
): void {
  const { evidence, remembered } = weights.newcomer;
  const { category, outcome } = judged;
  if ((domains[category]?.mass ?? 0) >= evidence) return;
  const { mass, good } = newcomers.get(category) ?? emptyTally();
  const tally = { mass: remembered * mass, good: remembered * good };
  observe(tally, outcomeWeight(judged, weight), outcome);
  newcomers.set(category, tally);
  changed.newcomers.add(category);
}

/**
 * A delivery, and the earlier ones that its buyer had from the agent, tell how much the tastes of buyers differ. What nothing but the
 * buyer's measures rejected costs the buyer nothing and is not heard.
 */
function learnTastes(
  { tastes, voices, changed }: State,
  { evidence: { domains }, asOf }: AgentRecord,
  judged: Heard & { outcome: number },
  { agentId, buyerId, taskId }: Ended | Revised,
  { weight }: Voice,
): void {
  const { category, outcome, refused } = judged;
  const before = voices.get(voiceKey(agentId, buyerId));
  const others = before && { ...before, heard: before.heard.filter((one) => one.task !== taskId && one.refused === 0) };
  const earlier = ownWork(others ?? null, category, asOf);
  const { mass, good, undelivered } = domains[category] ?? emptyWork();
  const delivered = mass - undelivered;
  if (refused > 0 || earlier.mass === 0 || delivered < weights.tastes.evidence) return;
  const seen = tastes.get(category) ?? noTastes();
  tastes.set(category, withPair(seen, outcomeWeight(judged, weight), outcome, earlier, good / delivered));
  changed.tastes.add(category);
}

function pricesIn({ prices }: State, category: Category): Prices {
  const known = prices.get(category);
  if (known) return known;
  const none = pricesOf([]);
  prices.set(category, none);
  return none;
}

/** Gives an agent the tier that its record earns at a time (ms). */
export function retier(agentId: string, standing: Standing, at: number, correlationId: string): Consequence[] {
  const from = standing.tier;
  const to = tierOf(standing.record, scoreOf(standing.record, at), at);
  if (to === from) return [];
  standing.tier = to;
  return [{ kind: 'tier', agentId, ownerId: standing.ownerId, at, correlationId, from, to }];
}

/** What a fact means for the agent's status, which is changed where the agent is in one that allows it. */
function status(fact: Fact, { ownerId, record }: Standing, correlationId: string): Consequence[] {
  const { agentId, at } = fact;
  const about = { agentId, ownerId, at, correlationId };
  const failures = record.failuresInARow;
  if (fact.kind === 'forgiven') return [{ kind: 'reinstate', ...about }];
  if (fact.kind === 'ended' && fact.how !== 'passed' && doSuspend(failures)) {
    return [{ kind: 'suspend', ...about, failures: countedFailures(failures) }];
  }
  if (fact.kind === 'revised' && fact.as === 'struck' && !doSuspend(failures)) {
    return [{ kind: 'lift', ...about }];
  }
  return [];
}
