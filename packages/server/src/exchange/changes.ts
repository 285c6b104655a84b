import { exchangeRules, type Operations, toUuid } from '@agora-market/contract';
import {
  type AgentCaller,
  ApiError,
  type Call,
  type Config,
  ensure,
  type OwnerCaller,
  type Pool,
  type Tx,
} from '../platform/index.ts';
import { type AgreementRow, agreementById, lockAgreement, moveAgreement, withdrawalsSince } from './agreement-sql.ts';
import { insertDeliverable } from './deliverable-sql.ts';
import { logAgreement } from './log.ts';
import { notify } from './notifications.ts';
import { endAgreement } from './settle.ts';
import { agreementView } from './view.ts';

type Settings = Pick<Config, 'EARNINGS_HOLD_MS'>;
type Parties = Pick<AgreementRow, 'buyerAgentId' | 'buyerOwnerId' | 'sellerAgentId' | 'sellerOwnerId'>;

const later = (at: Date, ms: number) => new Date(at.getTime() + ms);

/** The side of a caller; an agent's owner is on the agent's side. */
export function sideOf(parties: Parties, caller: AgentCaller | OwnerCaller): 'buyer' | 'seller' | 'none' {
  const { buyer, seller, id } =
    caller.kind === 'agent'
      ? { buyer: parties.buyerAgentId, seller: parties.sellerAgentId, id: caller.agentId }
      : { buyer: parties.buyerOwnerId, seller: parties.sellerOwnerId, id: caller.ownerId };
  if (id === buyer) return 'buyer';
  return id === seller ? 'seller' : 'none';
}

export async function getAgreement(pool: Pool, { caller, params }: Call<Operations['exchange.getAgreement']>) {
  const id = toUuid('agreement', params.agreementId);
  const found = id === null ? null : await agreementById(pool, id);
  ensure(found, 'AGREEMENT_NOT_FOUND');
  ensure(sideOf(found, caller) !== 'none', 'NOT_A_PARTY', 'Only buyer and seller can read an agreement.');
  return agreementView(found);
}

/** The agreement of an id in a path, locked. */
async function locked(tx: Tx, agreementId: string): Promise<AgreementRow> {
  const id = toUuid('agreement', agreementId);
  const found = id === null ? null : await lockAgreement(tx, id);
  ensure(found, 'AGREEMENT_NOT_FOUND');
  return found;
}

type Change = Call<
  Operations['exchange.start' | 'exchange.deliver' | 'exchange.accept' | 'exchange.withdraw' | 'exchange.dispute']
>;

/** The locked agreement, if the caller is this side of it and has read its last version. */
async function agreementFor(side: 'buyer' | 'seller', { tx, caller, params, body }: Change): Promise<AgreementRow> {
  const found = await locked(tx, params.agreementId);
  ensure(sideOf(found, caller) === side, 'NOT_A_PARTY', `Only the ${side} of this agreement can do that.`);
  const { version } = found;
  ensure(body?.version === undefined || body.version === version, 'VERSION_CONFLICT', undefined, { version });
  return found;
}

const wrongState = ({ status }: AgreementRow) => new ApiError('WRONG_STATE', `The agreement is ${status}.`, { status });

const reread = async (tx: Tx, { id }: AgreementRow) => agreementView((await agreementById(tx, id)) as AgreementRow);

const about = ({ requestId, id }: AgreementRow) => ({ requestId, agreementId: id });

/** The seller says that the work has started. Saying it twice changes nothing. */
export async function startWork(call: Call<Operations['exchange.start']>) {
  const { tx, now } = call;
  const found = await agreementFor('seller', call);
  if (found.status === 'active' && found.startedAt !== null) return agreementView(found);
  const moved = await moveAgreement(tx, found.id, 'start', { dueAt: new Date(found.deadline), startedAt: now });
  if (!moved) throw wrongState(found);
  await logAgreement(tx, found, { type: 'agreement.started', at: now });
  await notify(tx, [{ agentId: found.buyerAgentId, type: 'work_started', about: about(found) }], now);
  return reread(tx, found);
}

/** Stores the delivery; the gate is due at once. */
export async function deliver(call: Call<Operations['exchange.deliver']>) {
  const { tx, body, now } = call;
  const found = await agreementFor('seller', call);
  ensure(found.deliveredAt === null, 'DUPLICATE', 'The work was delivered already. It can be delivered once.');
  ensure(found.status === 'active', 'WRONG_STATE', `The agreement is ${found.status}.`, { status: found.status });
  const { deadline } = found;
  ensure(now <= new Date(deadline), 'WRONG_STATE', `The deadline ${deadline} has passed.`, { deadline });
  const moved = await moveAgreement(tx, found.id, 'deliver', { dueAt: now, deliveredAt: now });
  if (!moved) throw wrongState(found);
  const { result, metadata, type = typeof result === 'string' ? 'text' : 'structured_data' } = body;
  await insertDeliverable(tx, { agreementId: found.id, type, result, metadata, at: now });
  await logAgreement(tx, found, { type: 'agreement.delivered', at: now }, { type });
  await notify(tx, [{ agentId: found.buyerAgentId, type: 'work_delivered', about: about(found) }], now);
  return reread(tx, found);
}

export async function accept(config: Settings, call: Call<Operations['exchange.accept']>) {
  const { tx, now } = call;
  const found = await agreementFor('buyer', call);
  if (found.status !== 'evaluating') throw wrongState(found);
  await endAgreement(tx, config, found, { verb: 'accept', because: 'accepted', refundCents: 0 }, now);
  return reread(tx, found);
}

/** Scope withdrawal. It costs reputation only if the seller withdraws from too many agreements. */
export async function withdraw(config: Settings, call: Call<Operations['exchange.withdraw']>) {
  const { tx, now } = call;
  const found = await agreementFor('seller', call);
  ensure(found.startedAt === null && found.deliveredAt === null, 'WORK_STARTED');
  if (found.status !== 'active') throw wrongState(found);
  const { withdrawBy } = found;
  ensure(now <= new Date(withdrawBy), 'WITHDRAWAL_DEADLINE_PASSED', undefined, { withdrawBy });
  const since = later(now, -exchangeRules.withdrawalWindowMs);
  const { made, withdrawn } = await withdrawalsSince(tx, found.sellerAgentId, since);
  const penalty = isTooMany(made, withdrawn + 1);
  await endAgreement(
    tx,
    config,
    found,
    { verb: 'withdraw', because: 'withdrawn', refundCents: found.price, penalty },
    now,
  );
  return reread(tx, found);
}

/** Whether the share of withdrawals costs reputation. */
const isTooMany = (made: number, withdrawn: number): boolean =>
  withdrawn * 100 > made * exchangeRules.withdrawalPercent;

/** The buyer does not accept; the operator decides, or time does. */
export async function openDispute(call: Call<Operations['exchange.dispute']>) {
  const { tx, body, now } = call;
  const found = await agreementFor('buyer', call);
  const decideBy = later(now, exchangeRules.decideMs);
  const { reason: disputeReason } = body;
  if (!(await moveAgreement(tx, found.id, 'dispute', { dueAt: decideBy, decideBy, disputeReason })))
    throw wrongState(found);
  await logAgreement(tx, found, { type: 'agreement.disputed', at: now });
  await notify(tx, [{ agentId: found.sellerAgentId, type: 'agreement_disputed', about: about(found) }], now);
  return reread(tx, found);
}

/** The operator decides. For the buyer the whole price goes back, for a split its share, otherwise nothing. */
export async function resolve(config: Settings, call: Call<Operations['exchange.resolve']>) {
  const { tx, body, params, now } = call;
  const found = await locked(tx, params.agreementId);
  if (found.status !== 'disputed') throw wrongState(found);
  const { outcome, share = 0, note } = body;
  const isBuyers = outcome === 'buyer_wins';
  const refundCents = isBuyers ? found.price : Math.floor((found.price * share) / 100);
  const verb = isBuyers ? 'refund' : 'settle';
  await endAgreement(tx, config, found, { verb, because: 'dispute', refundCents, note }, now);
  return reread(tx, found);
}
