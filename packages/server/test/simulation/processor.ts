import type { Clock } from '../../src/platform/index.ts';
import type { Charge, ChargeRequest, Refund, Reversal } from '../../src/vault/payments/pay-in.ts';
import type { Payout, PayoutRequest } from '../../src/vault/payments/pay-out.ts';
import type {
  ChargeRecord,
  PaymentProcessor,
  PayoutRecord,
  ProcessorEvent,
  ReversalRecord,
} from '../../src/vault/payments/payment-processor.ts';
import { fate } from './chance.ts';
import {
  chargeOf,
  leftOf,
  type News,
  ownerOf,
  type Patron,
  payoutOf,
  refundOf,
  type SimulatedCharge,
  type SimulatedPayout,
  type SimulatedRefund,
  type SimulatedReversal,
} from './processor-books.ts';

type RefundRequest = Parameters<PaymentProcessor['refund']>[0];

const unused = async (): Promise<never> => {
  throw new Error('the simulation does not ask the processor for this');
};

/**
 * A processor that declines, hesitates, is out of reach and changes its mind; its requests and answers get lost or come
 * late. What becomes of a request depends on the seed of its world and on the how manieth intent of its owner it is
 * about, and so on nothing that other worlds do.
 */
export class SimulatedProcessor implements PaymentProcessor {
  readonly name = 'simulated';
  readonly charges = new Map<string, SimulatedCharge>();
  readonly payouts = new Map<string, SimulatedPayout>();
  readonly refunds = new Map<string, SimulatedRefund>();
  /** Payouts that were made twice: the second ones. */
  readonly slips: PayoutRecord[] = [];
  private readonly patrons = new Map<string, Patron>();
  private readonly intents = new Map<string, { patron: Patron; ordinal: number }>();
  private readonly counts = new Map<string, number>();
  /** Every request arrives, and so does every answer. */
  isCalm = false;

  private readonly clock: Clock;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  enrol(patron: Patron): void {
    this.patrons.set(patron.ownerId, patron);
  }

  /** An intent of the owner is about to be written; it is the next in the order that decides on its luck. */
  foresee(ownerId: string, intentId: string): { patron: Patron; ordinal: number } {
    const known = this.intents.get(intentId);
    if (known) return known;
    const patron = this.patronOf(ownerId);
    const made = { patron, ordinal: this.count(`intents of ${ownerId}`) };
    this.intents.set(intentId, made);
    return made;
  }

  /** Whom an id is about: an owner's, or an intent's. */
  patronOf(id: string): Patron {
    const found = this.intents.get(id)?.patron ?? this.patrons.get(id);
    if (!found) throw new Error(`nobody is known by ${id}`);
    return found;
  }

  isKnown = (id: string): boolean => this.intents.has(id) || this.patrons.has(id);

  decideCharge(charge: SimulatedCharge, status: 'succeeded' | 'declined'): void {
    charge.status = status;
    const { intentId } = charge;
    this.tell(intentId, { type: 'charge.decided', intentId, charge: chargeOf(charge) });
  }

  decidePayout(payout: SimulatedPayout, status: 'paid' | 'failed'): void {
    payout.status = status;
    this.tellPayout(payout);
  }

  /** Pays once more what was paid, and tells nobody: only its books say so. */
  slip(payout: SimulatedPayout): void {
    payout.isDoubled = true;
    const { intentId, accountRef, amountCents } = payout;
    const ref = `po_${intentId}_again`;
    this.slips.push({ ref, intentId, accountRef, amountCents, status: 'paid', at: this.clock.now() });
  }

  /** What somebody else makes go back: the cardholder's bank, or the operator in the dashboard. */
  reverse(charge: SimulatedCharge, kind: Reversal['kind'], amountCents: number): void {
    this.addReversal(charge, { kind, amountCents, state: 'standing' });
  }

  undo(charge: SimulatedCharge, reversal: Reversal): void {
    reversal.state = 'undone';
    if (reversal.ours) reversal.ours.isDecided = true;
    this.tellReversal(charge);
  }

  /** The bank of the card takes a refund that was pending. */
  takeRefund({ charge, reversal }: SimulatedRefund): void {
    if (reversal?.ours) reversal.ours.isDecided = true;
    this.tellReversal(charge);
  }

  async charge(request: ChargeRequest): Promise<Charge> {
    this.foresee(ownerOf(request.customerRef), request.intentId);
    return this.carry(request.intentId, 'charge', () => this.makeCharge(request));
  }

  async lookUpCharge({ intentId, customerRef }: Parameters<PaymentProcessor['lookUpCharge']>[0]) {
    this.foresee(ownerOf(customerRef as string), intentId);
    return this.carry(intentId, 'look up', () => {
      const known = this.charges.get(intentId);
      return known ? chargeOf(known) : null;
    });
  }

  async readCharge({ chargeRef }: { chargeRef: string }) {
    const intentId = chargeRef.slice(3);
    const known = this.charges.get(intentId);
    if (!known) return null;
    return this.carry(intentId, 'read', () => ({
      intentId,
      paymentMethodId: known.paymentMethodId,
      charge: chargeOf(known),
      reversals: structuredClone(known.reversals),
    }));
  }

  async refund(request: RefundRequest): Promise<Refund> {
    this.foresee(this.refundedCharge(request).ownerId, request.refundId);
    return this.carry(request.refundId, 'refund', () => this.makeRefund(request));
  }

  async payOut(request: PayoutRequest): Promise<Payout> {
    return this.carry(request.intentId, 'pay out', () => this.makePayout(request));
  }

  async lookUpPayout({ intentId }: PayoutRequest): Promise<Payout | null> {
    return this.carry(intentId, 'look up', () => {
      const known = this.payouts.get(intentId);
      return known ? payoutOf(known) : null;
    });
  }

  accountStatus = async (accountRef: string) => ({
    accountRef,
    status: 'ready' as const,
    missing: [],
    fingerprint: accountRef,
  });
  verifyWebhook = ({ rawBody }: { rawBody: string }) => ({
    status: 'verified' as const,
    event: JSON.parse(rawBody) as ProcessorEvent,
  });
  setUpMethod = unused;
  openMethodPage = unused;
  saveMethod = unused;
  detachMethod = unused;
  createAccount = unused;
  onboardingLink = unused;

  async *listCharges(since: Date): AsyncGenerator<ChargeRecord> {
    for (const { intentId, ref, customerRef, amountCents, status, at } of this.charges.values()) {
      if (status === 'succeeded' && at >= since) yield { intentId, ref, customerRef, amountCents, at };
    }
  }

  async *listReversals(since: Date): AsyncGenerator<ReversalRecord> {
    for (const { ref: chargeRef, reversals } of this.charges.values()) {
      for (const reversal of reversals) if (reversal.at >= since) yield { ...reversal, chargeRef };
    }
  }

  async *listPayouts(since: Date): AsyncGenerator<PayoutRecord> {
    for (const { intentId, accountRef, amountCents, status, at } of this.payouts.values()) {
      if (at >= since) yield { ref: `po_${intentId}`, intentId, accountRef, amountCents, status, at };
    }
    for (const slip of this.slips) if (slip.at >= since) yield slip;
  }

  private count(key: string): number {
    const next = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, next);
    return next;
  }

  private draw(intentId: string, about: string): number {
    const { patron, ordinal } = this.foresee('', intentId);
    return fate(patron.seed, patron.nth, ordinal, about, this.count(intentId + about));
  }

  /** Several requests of one sweep come in any order; what they leave is kept by intent, so that it does not show. */
  private keep<T extends { order: string }>(list: T[], intentId: string, item: (order: string) => T): void {
    const { ordinal } = this.foresee('', intentId);
    list.push(item(`${String(ordinal).padStart(5)} ${String(this.count(`left by ${intentId}`)).padStart(3)}`));
    list.sort((a, b) => (a.order < b.order ? -1 : 1));
  }

  private tell(intentId: string, news: News): void {
    const { ownerId, events } = this.patronOf(intentId);
    this.keep(events, intentId, (order) => ({
      order,
      event: { ...news, id: `evt ${ownerId} ${order}` } as ProcessorEvent,
    }));
  }

  private tellPayout({ intentId, accountRef }: PayoutRequest): void {
    this.tell(intentId, { type: 'payout.changed', intentId, accountRef, payoutRef: `po_${intentId}` });
  }

  private tellReversal({ intentId, ref: chargeRef }: SimulatedCharge): void {
    this.tell(intentId, { type: 'charge.reversed', chargeRef });
  }

  /** A request that may be lost on its way, or arrive after the caller has given up; and so may its answer. */
  private carry<R>(intentId: string, about: string, work: () => R): R {
    const way = this.isCalm ? 1 : this.draw(intentId, about);
    if (way < 0.06) this.keep(this.patronOf(intentId).stray, intentId, (order) => ({ order, arrive: work }));
    if (way < 0.12) throw new Error('simulated processor: the request is lost');
    const answer = work();
    if (way < 0.2) throw new Error('simulated processor: the answer is lost');
    return answer;
  }

  private makeCharge(request: ChargeRequest): Charge {
    const { intentId } = request;
    const known = this.charges.get(intentId);
    if (known) return chargeOf(known);
    const { ownerId, charges } = this.patronOf(intentId);
    const luck = this.draw(intentId, 'decides');
    const status = luck < 0.15 ? 'declined' : luck < 0.3 ? 'pending' : 'succeeded';
    const at = this.clock.now();
    const made: SimulatedCharge = { ...request, ref: `pi_${intentId}`, ownerId, status, reversals: [], at };
    this.charges.set(intentId, made);
    charges.push(made);
    if (status !== 'pending') this.tell(intentId, { type: 'charge.decided', intentId, charge: chargeOf(made) });
    return chargeOf(made);
  }

  private refundedCharge({ chargeRef }: RefundRequest): SimulatedCharge {
    const charge = this.charges.get(chargeRef.slice(3));
    if (!charge) throw new Error(`a refund of ${chargeRef}, which was never charged`);
    return charge;
  }

  private addReversal(charge: SimulatedCharge, made: Omit<Reversal, 'ref'>): SimulatedReversal {
    const reversal = { ...made, ref: `re_${charge.intentId}_${charge.reversals.length}`, at: this.clock.now() };
    charge.reversals.push(reversal);
    this.tellReversal(charge);
    return reversal;
  }

  private makeRefund(request: RefundRequest): Refund {
    const { refundId, amountCents } = request;
    const known = this.refunds.get(refundId);
    if (known) return refundOf(known);
    const charge = this.refundedCharge(request);
    const luck = this.draw(refundId, 'decides');
    const state = luck < 0.2 ? 'undone' : 'standing';
    const ours = { refundId, isDecided: luck < 0.2 || luck >= 0.5 };
    const isRefused = luck < 0.1 || amountCents > leftOf(charge);
    const reversal = isRefused ? null : this.addReversal(charge, { kind: 'refund', amountCents, state, ours });
    const made: SimulatedRefund = { refundId, charge, reversal };
    this.refunds.set(refundId, made);
    return refundOf(made);
  }

  private makePayout(request: PayoutRequest): Payout {
    const known = this.payouts.get(request.intentId);
    if (known) return payoutOf(known);
    const luck = this.draw(request.intentId, 'decides');
    const status = luck < 0.1 ? 'failed' : luck < 0.5 ? 'in_transit' : 'paid';
    const made: SimulatedPayout = { ...request, status, at: this.clock.now() };
    this.payouts.set(request.intentId, made);
    this.tellPayout(made);
    return payoutOf(made);
  }
}
