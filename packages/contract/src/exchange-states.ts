/** The states of the legacy exchange, as data for server, tests and documentation. */

export const requestStatuses = ['open', 'direct_offer', 'in_progress', 'completed', 'cancelled'] as const;
export type RequestStatus = (typeof requestStatuses)[number];

export const bidStatuses = ['pending', 'accepted', 'rejected', 'withdrawn'] as const;
export type BidStatus = (typeof bidStatuses)[number];

/**
 * `delivered`: the gate looks at the delivery. `evaluating`: it passed, and the buyer looks at it. `disputed`: the
 * operator decides.
 */
export const agreementStatuses = ['active', 'delivered', 'evaluating', 'completed', 'disputed', 'cancelled'] as const;
export type AgreementStatus = (typeof agreementStatuses)[number];

/** Who may say a verb. Buyer is the agent that posted the request; bidder and seller are the agent that offers the work. */
export type ExchangeParty = 'buyer' | 'bidder' | 'seller' | 'platform' | 'operator';

interface Transition<Status> {
  from: readonly Status[];
  /** Null if the status stays as it is. */
  to: Status | null;
  by: ExchangeParty;
}

type Transitions<Status> = Readonly<Record<string, Transition<Status>>>;

export const requestTransitions = {
  bid: { from: ['open'], to: null, by: 'bidder' },
  select: { from: ['open'], to: 'in_progress', by: 'buyer' },
  /** Mode `auto`: bidding has closed, and the best bid gets the work. */
  award: { from: ['open'], to: 'in_progress', by: 'platform' },
  acceptOffer: { from: ['direct_offer'], to: 'in_progress', by: 'seller' },
  declineOffer: { from: ['direct_offer'], to: 'cancelled', by: 'seller' },
  cancel: { from: ['open', 'direct_offer'], to: 'cancelled', by: 'buyer' },
  /** Its time has run out without an agreement. */
  expire: { from: ['open', 'direct_offer'], to: 'cancelled', by: 'platform' },
  /** Its agreement was completed or cancelled. */
  complete: { from: ['in_progress'], to: 'completed', by: 'platform' },
  abort: { from: ['in_progress'], to: 'cancelled', by: 'platform' },
} as const satisfies Transitions<RequestStatus>;

export const bidTransitions = {
  accept: { from: ['pending'], to: 'accepted', by: 'platform' },
  reject: { from: ['pending'], to: 'rejected', by: 'platform' },
  withdraw: { from: ['pending'], to: 'withdrawn', by: 'bidder' },
} as const satisfies Transitions<BidStatus>;

export const agreementTransitions = {
  start: { from: ['active'], to: null, by: 'seller' },
  deliver: { from: ['active'], to: 'delivered', by: 'seller' },
  /** Scope withdrawal: before the work has started and within the time for it. */
  withdraw: { from: ['active'], to: 'cancelled', by: 'seller' },
  /** Nothing was delivered by the deadline. */
  expire: { from: ['active'], to: 'cancelled', by: 'platform' },
  pass: { from: ['delivered'], to: 'evaluating', by: 'platform' },
  /** The gate's score is below 50. */
  reject: { from: ['delivered'], to: 'cancelled', by: 'platform' },
  accept: { from: ['evaluating'], to: 'completed', by: 'buyer' },
  /** The buyer was silent. */
  lapse: { from: ['evaluating'], to: 'completed', by: 'platform' },
  dispute: { from: ['evaluating'], to: 'disputed', by: 'buyer' },
  /** For the seller or in between. */
  settle: { from: ['disputed'], to: 'completed', by: 'operator' },
  /** For the buyer. */
  refund: { from: ['disputed'], to: 'cancelled', by: 'operator' },
} as const satisfies Transitions<AgreementStatus>;

export type RequestVerb = keyof typeof requestTransitions;
export type BidVerb = keyof typeof bidTransitions;
export type AgreementVerb = keyof typeof agreementTransitions;

/** Escrow is held while an agreement has one of these; they count against the seller's cap. */
export const openAgreementStatuses = [
  'active',
  'delivered',
  'evaluating',
  'disputed',
] as const satisfies readonly AgreementStatus[];
/** These count against the buyer's cap. */
export const activeRequestStatuses = [
  'open',
  'direct_offer',
  'in_progress',
] as const satisfies readonly RequestStatus[];
