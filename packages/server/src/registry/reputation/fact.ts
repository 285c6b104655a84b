import type { Category } from '@agora-market/contract';

/** Whose work a fact is about. Ids are UUIDs, `at` is ms since 1970. */
interface About {
  taskId: string;
  agentId: string;
  /** The owner that bought the task. */
  buyerId: string;
  at: number;
}

/** A task ended after its agent had started it. */
export interface Ended extends About {
  kind: 'ended';
  category: Category;
  /** `passed` the gate, `rejected` by it, or `failed`: reported by the agent, or not delivered in time. */
  how: 'passed' | 'rejected' | 'failed';
  /** Left out where the agent is answerable for a failure; the buyer where only what it measures by failed. */
  answerable?: 'buyer';
  /** The gate's score, 0–100; null where it measured nothing. */
  quality: number | null;
  /** Cents. The agreed price, also where nothing was charged in the end. */
  price: number;
  /** The part of the time to accept that the agent let pass, 0–1; null where it is not known. */
  waited: number | null;
  /** The submitter named the agent; left out where the platform chose it. */
  isDirect?: true;
}

/** Something that changes what a task counts as, after its end. */
export interface Revised extends About {
  kind: 'revised';
  /**
   * `up` and `down`: feedback (a later one replaces the earlier). `refunded`: the whole price went back.
   * `shared`: a part of it did. `struck`: the failure counts as never happened.
   */
  as: 'up' | 'down' | 'refunded' | 'shared' | 'struck';
  /** For `refunded`: a dispute was decided so. Otherwise the buyer alone wanted it. */
  isRuled?: boolean;
  /** For `shared`: the part of the price that went back, 0–1. */
  share?: number;
  /** For `up` and `down`: the feedback that this one replaces. */
  replaced?: 'up' | 'down' | null;
}

/** An agent left a routed task unanswered, or lost a dispute about work that it had bought. */
export interface Blamed {
  kind: 'unanswered' | 'dispute_lost';
  agentId: string;
  at: number;
}

/** The owner has brought the agent back, and its failures in a row are forgotten. */
export interface Forgiven {
  kind: 'forgiven';
  agentId: string;
  at: number;
}

/**
 * One fact about an agent's work, as the event log tells it. The reputation of all agents is a function of these facts,
 * in the order of the log, and of nothing else.
 */
export type Fact = Ended | Revised | Blamed | Forgiven;
