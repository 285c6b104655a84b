import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { freshState } from '../../../test/support/reputation-log.ts';
import { voiceOf, weightOfPrice } from './buyer.ts';
import { fold } from './fold.ts';
import { scoreOf } from './score.ts';
import { weights } from './weights.ts';

const dayMs = 86_400_000;
const start = Date.parse('2026-01-10T09:00:00.000Z');

describe('a ring of owners that buy from each other', () => {
  const trade = fc.record({
    // Mostly the same, for what all do for one gains it most.
    seller: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(19) }),
    buyer: fc.nat(19),
    part: fc.double({ min: 0.5, max: 1, noNaN: true }),
    quality: fc.oneof({ weight: 9, arbitrary: fc.constant(100) }, { weight: 1, arbitrary: fc.nat(100) }),
    thumb: fc.oneof(
      { weight: 9, arbitrary: fc.constant('up' as const) },
      { weight: 1, arbitrary: fc.constantFrom(null, 'down') },
    ),
    afterMs: fc.nat(dayMs),
  });
  const dearest = fc.constantFrom(5, 50, 1_000, 50_000);
  const fee = 0.15;
  /** Most that the last tasks of one buyer weigh, if each is new, dear and of a full voice. */
  const fullBuyer = Array.from({ length: weights.outcomesOfBuyer }, (_, nth) => weights.repeat ** nth).reduce(
    (a, b) => a + b,
  );

  /** The best score that so much evidence can make, where all of it is good. */
  const bestOf = (voices: number, reliable: number) => {
    const mean = (mass: number) => (weights.priorMass * weights.priorMean + mass) / (weights.priorMass + mass);
    const { outcome, relationship, economic, reliability } = weights.dimensions;
    const mass = fullBuyer * voices;
    return (
      10 *
      ((outcome + economic) * mean(mass) +
        relationship * mean(mass * (1 + weights.promptness)) +
        reliability * mean(fullBuyer * reliable))
    );
  };

  test('gains no more than the fees allow that it pays, whatever tasks it makes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 20 }),
        dearest,
        fc.array(trade, { maxLength: 120, size: 'max' }),
        (size, cents, trades) => {
          const ring = Array.from({ length: size }, (_, nth) => ({ id: `agent ${nth}`, ownerId: `owner ${nth}` }));
          const state = freshState(ring);
          let at = start;
          let fees = 0;
          for (const [nth, { quality, part, thumb, afterMs, ...each }] of trades.entries()) {
            const [seller, buyer] = [ring[each.seller % size], ring[each.buyer % size]] as [
              (typeof ring)[0],
              (typeof ring)[0],
            ];
            if (seller === buyer) continue;
            at += afterMs;
            const about = { agentId: seller.id, buyerId: buyer.ownerId, taskId: `${nth}`, at };
            const price = Math.round(cents * part);
            fees += price * fee;
            fold(state, { ...about, kind: 'paid', spent: price, earned: price * (1 - fee) }, 'c');
            const passed = { kind: 'ended', how: 'passed', category: 'testing', quality, price, waited: 0 } as const;
            fold(state, { ...about, ...passed }, 'c');
            if (thumb) fold(state, { ...about, kind: 'revised', as: thumb }, 'c');
          }
          // What the members have spent is what their fees are a part of. It makes the most voices where each spent as much.
          const buyers = size - 1;
          const each = fees / fee / buyers;
          const voices = buyers * (weights.minVoice + each / (each + weights.halfVoiceCents));
          const most = bestOf(voices, voices + buyers * weights.minReliabilityVoice);
          for (const { record: known } of state.agents.values())
            expect(scoreOf(known, known.asOf).overallScore).toBeLessThanOrEqual(Math.ceil(most) + 1);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('has the least voice there is once each has earned back what it spent, but for the fees', () => {
    const cents = fc.integer({ min: 1, max: 100_000_000 });
    fc.assert(
      fc.property(cents, fc.double({ min: fee, max: 0.25, noNaN: true }), (spent, lost) => {
        expect(voiceOf({ spent, earned: spent * (1 - lost) })).toBe(weights.minVoice);
      }),
    );
    // Twenty of them, each served by all others at a low price, over and over.
    const cheap = weightOfPrice(10);
    const gained = bestOf(19 * weights.minVoice * cheap, 19 * weights.minReliabilityVoice * cheap) - 500;
    expect(gained).toBeLessThanOrEqual(60);
  });
});
