import { type Category, openTasksByTier, type TrustTier } from '@agora/contract';
import {
  type AgentRecord,
  emptyRecord,
  type Fact,
  type Flow,
  type Posterior,
  posteriorIn,
  record,
  scoreOf,
  tierOf,
  type Voice,
  voiceOf,
} from '@agora/server/reputation';
import { fee } from './population.ts';

/** What the platform knows of an agent. */
export interface Known {
  record: AgentRecord;
  overallScore: number;
  tier: TrustTier;
  posteriors: Map<Category, Posterior>;
}

/** Keeps reputations with the functions of the server: facts go in, and what the server would store comes out. */
export class Books {
  private readonly agents = new Map<string, Known>();
  private readonly voices = new Map<string, Voice>();
  private readonly flows = new Map<string, Flow>();
  private readonly prices = new Map<Category, number[]>();

  of(agentId: string): Known {
    const known = this.agents.get(agentId) ?? known0(emptyRecord(), 0);
    this.agents.set(agentId, known);
    return known;
  }

  posterior(agentId: string, category: Category): Posterior {
    const { posteriors, record } = this.of(agentId);
    const found = posteriors.get(category) ?? posteriorIn(record, category, record.asOf);
    posteriors.set(category, found);
    return found;
  }

  capacity(agentId: string): number {
    return openTasksByTier[this.of(agentId).tier];
  }

  /** `sellerId` is the owner of the agent, who earns where the task passes. */
  note(fact: Fact, sellerId: string): void {
    const before = this.of(fact.agentId).record;
    if (!('buyerId' in fact)) return;
    const key = `${fact.agentId} ${fact.buyerId}`;
    const flow = this.flow(fact.buyerId);
    const medianPrice = fact.kind === 'ended' ? this.median(fact.category) : null;
    const { after, voice } = record(before, fact, {
      voice: this.voices.get(key) ?? null,
      buyerWeight: voiceOf(flow),
      medianPrice,
    });
    if (voice !== null) this.voices.set(key, voice);
    this.agents.set(fact.agentId, known0(after, fact.at));
    if (fact.kind === 'ended' && fact.how === 'passed') {
      this.pay(fact.buyerId, sellerId, fact.price);
      this.notePrice(fact.category, fact.price);
    }
  }

  /** Moves what a task costs; negative where it goes back. */
  pay(buyerId: string, sellerId: string, price: number): void {
    this.flow(buyerId).spent += price;
    this.flow(sellerId).earned += price * (1 - fee);
  }

  private flow(ownerId: string): Flow {
    const flow = this.flows.get(ownerId) ?? { spent: 0, earned: 0 };
    this.flows.set(ownerId, flow);
    return flow;
  }

  private median(category: Category): number | null {
    const prices = this.prices.get(category) ?? [];
    return prices.length === 0 ? null : (prices.toSorted((a, b) => a - b)[prices.length >> 1] as number);
  }

  private notePrice(category: Category, price: number): void {
    this.prices.set(category, [...(this.prices.get(category) ?? []).slice(-50), price]);
  }
}

function known0(record: AgentRecord, at: number): Known {
  const score = scoreOf(record, at);
  return { record, overallScore: score.overallScore, tier: tierOf(record, score, at), posteriors: new Map() };
}
