import type { Category, TrustTier } from '@agora-market/contract';
import {
  type AgentRecord,
  type Consequence,
  domainsOf,
  emptyRecord,
  emptyState,
  entriesOf,
  fold,
  meanOf,
  noTastes,
  ownWork,
  retier,
  type Score,
  type Standing,
  scoreOf,
  type Tally,
  type Tastes,
  type Told,
  voiceKey,
} from '@agora-market/server/reputation';

/** What the server would store of an agent. */
export interface Stored {
  score: Score;
  tier: TrustTier;
  record: AgentRecord;
  domains: { category: Category; score: number; alpha: number; beta: number }[];
  /** Its mean over all categories. */
  mean: number;
}

/**
 * Reputations in memory, by the functions of the server: events go in, and what its reader would store comes out.
 * `changed` hears of each agent whose stored values change.
 */
export class Books {
  private readonly state = emptyState(0);
  private readonly changed: (agentId: string, stored: Stored) => void;

  constructor(changed: (agentId: string, stored: Stored) => void = () => undefined) {
    this.changed = changed;
  }

  add(agentId: string, ownerId: string): void {
    this.state.agents.set(agentId, { ownerId, record: emptyRecord(), tier: 'unverified' });
  }

  /** Enters an event, and gives what follows from it. */
  tell(event: Omit<Told, 'at'> & { at: number }): Consequence[] {
    const told = entriesOf({ ...event, at: new Date(event.at).toISOString() });
    const consequences = told.flatMap((entry) => fold(this.state, entry, ''));
    for (const agentId of this.state.changed.agents) this.store(agentId);
    for (const changed of Object.values(this.state.changed)) changed.clear();
    return consequences;
  }

  /** A day ends: all evidence ages, and tiers with it. */
  midnight(at: number): void {
    this.state.closedUntil = at;
    for (const [agentId, standing] of this.state.agents) {
      if (standing.record.asOf === 0) continue;
      retier(agentId, standing, Math.max(at, standing.record.asOf), '');
      this.store(agentId, at);
    }
  }

  /** What a buyer itself had from an agent in a category. */
  own(agentId: string, buyerId: string, category: Category, at: number): Tally {
    return ownWork(this.state.voices.get(voiceKey(agentId, buyerId)) ?? null, category, at);
  }

  tastesIn(category: Category): Tastes {
    return this.state.tastes.get(category) ?? noTastes();
  }

  /** What was seen of newcomers to a category. */
  newcomersTo(category: Category): Tally {
    return this.state.newcomers.get(category) ?? { mass: 0, good: 0 };
  }

  of(agentId: string): Stored {
    const standing = this.state.agents.get(agentId) as Standing;
    return storedOf(standing, standing.record.asOf);
  }

  private store(agentId: string, at = 0): void {
    const standing = this.state.agents.get(agentId) as Standing;
    this.changed(agentId, storedOf(standing, Math.max(at, standing.record.asOf)));
  }
}

function storedOf({ record, tier }: Standing, at: number): Stored {
  const score = scoreOf(record, at);
  const domains = domainsOf(record, at).map(({ category, score, posterior }) => ({ category, score, ...posterior }));
  return { score, tier, record, domains, mean: meanOf(score.outcome) };
}
