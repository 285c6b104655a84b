import { refundTopUp } from '../../src/vault/payments/refunds.ts';
import { recent, some } from './chance.ts';
import type { SimulatedProcessor } from './processor.ts';
import {
  type Action,
  type AskedRefund,
  attempt,
  chargesOf,
  newRepeatable,
  type Rule,
  repeatOrMake,
  type Universe,
  type World,
} from './world.ts';

/** The refund of a top-up, as the route asks the rule for it. */
const rule = ((deps, { params, body, claim }: { params: object; body: object; claim: object }) =>
  refundTopUp(deps, { ...params, ...body, claim } as Parameters<typeof refundTopUp>[1])) as Rule<never>;

/** Mostly of what was charged not long ago, and now and then of what was not charged or never written. */
function newRefund(world: World, holder: string): AskedRefund {
  const { random } = world;
  const ofOwner = chargesOf(world).filter(({ ownerId }) => ownerId === holder);
  const charge = recent(
    world,
    ofOwner.filter(({ status }) => status === 'succeeded'),
  );
  const asked = random.yes(0.1) ? some(world, world.topUps) : undefined;
  const cents = charge?.amountCents ?? 1_000;
  const amount = random.of([undefined, undefined, Math.ceil(cents / random.of([2, 3, 10])), 1, cents, cents + 1]);
  const made = newRepeatable(world, holder, 0);
  return { ...made, amount, topUpId: asked?.intentId ?? charge?.intentId ?? made.intentId };
}

/** What may be refused, and when what the processor did shows that it was right to. */
const refusals: Record<string, (processor: SimulatedProcessor, asked: AskedRefund) => boolean> = {
  TOP_UP_NOT_FOUND: ({ charges }, { topUpId }) => charges.get(topUpId)?.status !== 'succeeded',
  TOP_UP_NOT_PAID: () => true,
  REFUND_IN_PROGRESS: () => true,
  REFUND_EXCEEDS_TOP_UP: () => true,
  INSUFFICIENT_BALANCE: () => true,
  WRONG_STATE: () => true,
  PROCESSOR_ERROR: () => true,
  REFUND_REFUSED: ({ refunds }, { intentId }) =>
    refunds.has(intentId) && refunds.get(intentId)?.reversal?.state !== 'standing',
};

/** The operator gives back; what he is told must be so. */
async function askForRefund(universe: Universe, world: World): Promise<void> {
  const { processor } = universe;
  const asked = repeatOrMake(world, world.refunds, () => newRefund(world, world.random.of(world.owners)));
  const { holder, intentId, topUpId, amount, claim } = asked;
  processor.foresee(holder, intentId);
  const body = { amount, reason: 'asked for', by: 'operator' };
  const answer = await attempt(universe, world, rule, { params: { topUpId }, body, claim }, 'external');
  const about = `the refund ${intentId} of ${topUpId}`;
  if (answer.ended === 'refused' && !refusals[answer.code]?.(processor, asked)) {
    throw new Error(`${about} was refused with ${answer.code}`);
  }
  if (answer.ended !== 'answered') return;
  const { status, amount: given } = answer.reply as { status: string; amount: number };
  const made = processor.refunds.get(intentId)?.reversal;
  if (made?.amountCents !== given)
    throw new Error(`${about} was said to give ${given} back and is ${made?.amountCents}`);
  if (status === 'succeeded' && !made.ours?.isDecided) throw new Error(`${about} was said to work, and is not decided`);
}

/** The bank of a card takes a refund that was pending, or sends it back; also one that it has taken already. */
function decideRefund({ processor }: Universe, world: World): void {
  const made = world.refunds.map(({ intentId }) => processor.refunds.get(intentId)).filter((each) => each?.reversal);
  const refund = recent(world, made);
  if (refund?.reversal?.state !== 'standing') return;
  const isDecided = refund.reversal.ours?.isDecided === true;
  if (world.random.yes(0.3)) processor.undo(refund.charge, refund.reversal);
  else if (!isDecided) processor.takeRefund(refund);
}

/** Refunds of top-ups: the operator asks for them, and banks decide on them. */
export const refundActions: Record<string, Action> = { refundTopUp: askForRefund, decideRefund };
