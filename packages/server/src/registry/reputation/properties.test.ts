import { trustTiers } from '@agora-market/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyLog, freshState, parties, readerSees } from '../../../test/support/reputation-log.ts';
import { entriesOf } from './entries.ts';
import { combine, dimensions, type Evidence, emptyEvidence, type Tally } from './evidence.ts';
import type { Ended, Fact, Revised } from './fact.ts';
import { fold } from './fold.ts';
import { type AgentRecord, emptyRecord, record } from './record.ts';
import { deviationOf, domainPosterior, domainsOf, meanOf, scoreOf } from './score.ts';
import { tierOf } from './tier.ts';
import { evidenceOf, refusalsOf, type Voice } from './voice.ts';
import { weights } from './weights.ts';

/** What holds for every log, whatever stands in it. */

const dayMs = 86_400_000;
const start = Date.parse('2026-01-10T09:00:00.000Z');

const tiny = 1e-9;
const isWhole = (value: number, most: number) => Number.isInteger(value) && value >= 0 && value <= most;

/** What of a record is out of range at a time; nothing if all is in order. */
function faultsOf(known: AgentRecord, at: number): string[] {
  const score = scoreOf(known, at);
  const { completed, failed, refunded, thumbsUp, thumbsDown, failuresInARow, evidence } = known;
  const tallies = [...dimensions.map((each) => evidence[each]), ...Object.values(evidence.domains)];
  const checks: Record<string, boolean> = {
    score: isWhole(score.overallScore, 1000),
    dimensions: Object.values(score.dimensions).every((each) => isWhole(each, 1000)),
    confidence: isWhole(score.confidence, 100),
    'lower bound': isWhole(score.lowerBound, score.overallScore),
    outcome: score.outcome.alpha > 0 && score.outcome.beta > 0 && Number.isFinite(score.outcome.alpha),
    counts: [completed, failed, refunded, thumbsUp, thumbsDown].every((each) => isWhole(each, 1e6)),
    refusals: known.refusals >= 0 && known.contested >= 0,
    tallies: tallies.every(({ mass, good }) => good >= 0 && good <= mass && Number.isFinite(mass)),
    domains: domainsOf(known, at).every((each) => isWhole(each.score, 1000) && isWhole(each.confidence, 100)),
    failures:
      failuresInARow.length <= 40 && new Set(failuresInARow.map(({ task }) => task)).size === failuresInARow.length,
    tier: trustTiers.includes(tierOf(known, score, at)),
  };
  return Object.keys(checks).filter((name) => !checks[name]);
}

test('values are in range, whatever is logged and however long ago', () => {
  fc.assert(
    fc.property(anyLog(), fc.integer({ min: 0, max: 5_000 }), (log, days) => {
      const state = freshState(parties.agents);
      for (const event of readerSees(log)) for (const entry of entriesOf(event)) fold(state, entry, 'c');
      for (const { record: known } of state.agents.values()) {
        expect([...faultsOf(known, known.asOf), ...faultsOf(known, known.asOf + days * dayMs)]).toEqual([]);
      }
      for (const { spent, earned } of state.flows.values()) expect(spent >= 0 && earned >= 0).toBe(true);
    }),
  );
});

/** A fact of one agent, by one of a few buyers whose voices stay what they are. */
interface Said {
  fact: Fact;
  buyer: number;
}

const buyerWeights = [0.01, 0.3, 0.7, 1];
const medianPrice = 400;

const ended = fc.record({
  buyer: fc.nat(3),
  afterMs: fc.nat(20 * dayMs),
  how: fc.constantFrom('passed', 'passed', 'rejected', 'failed'),
  answerable: fc.constantFrom(undefined, 'buyer'),
  quality: fc.nat(100),
  price: fc.nat(5_000),
  category: fc.constantFrom('testing', 'design'),
});
const revised = fc.record({
  buyer: fc.nat(3),
  afterMs: fc.nat(dayMs),
  as: fc.constantFrom('up', 'down', 'refunded', 'shared'),
  taskId: fc.nat(30).map(String),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
});
const blamed = fc.record({ afterMs: fc.nat(dayMs), kind: fc.constantFrom('unanswered', 'dispute_lost') });

/** What one agent's buyers say, in order; task numbers are places in the list. */
const anySaid: fc.Arbitrary<Said[]> = fc
  .array(
    fc.oneof({ weight: 3, arbitrary: ended }, { weight: 2, arbitrary: revised }, { weight: 1, arbitrary: blamed }),
    {
      minLength: 1,
      maxLength: 30,
      size: 'max',
    },
  )
  .map((all) => {
    let at = start;
    return all.map((each, nth): Said => {
      at += each.afterMs;
      const about = { agentId: 'agent', at };
      if ('kind' in each) return { buyer: 0, fact: { ...about, kind: each.kind } as Fact };
      const buyerId = String(each.buyer);
      if ('as' in each) {
        const { as, taskId, share } = each;
        return { buyer: each.buyer, fact: { ...about, kind: 'revised', buyerId, taskId, as, share } as Revised };
      }
      const { how, answerable, quality, price, category } = each as typeof ended extends fc.Arbitrary<infer Drawn>
        ? Drawn
        : never;
      const fact = {
        ...about,
        kind: 'ended',
        buyerId,
        taskId: `${nth}`,
        how,
        quality,
        price,
        category,
        waited: 0.5,
        ...(how === 'rejected' && { answerable }),
      };
      return { buyer: each.buyer, fact: fact as Ended };
    });
  });

function tell(all: readonly Said[]): { known: AgentRecord; voices: Map<number, Voice> } {
  let known = emptyRecord();
  const voices = new Map<number, Voice>();
  for (const { fact, buyer } of all) {
    const buyerWeight = buyerWeights[buyer] as number;
    const { after, voice } = record(known, fact, { voice: voices.get(buyer) ?? null, buyerWeight, medianPrice });
    known = after;
    if (voice && 'buyerId' in fact) voices.set(buyer, voice);
  }
  return { known, voices };
}

/** The dimensions and categories in which one agent has less good evidence, or more bad, than another. */
const worseIn = (one: Evidence, than: Evidence): string[] => {
  const flat = ({ domains, ...rest }: Evidence): Record<string, Tally> => ({ ...rest, ...domains });
  const others = Object.entries(flat(than));
  return others
    .filter(([name, { mass, good }]) => {
      const own = flat(one)[name] ?? { mass: 0, good: 0 };
      return own.good < good - tiny || own.mass - own.good > mass - good + tiny;
    })
    .map(([name]) => name);
};

/** The same fact with a better outcome; null for one that cannot be better, and `none` if it is better left out. */
function better(fact: Fact, quality: number): Fact | 'none' | null {
  if (fact.kind === 'ended') return { ...fact, how: 'passed', quality: Math.max(quality, fact.quality ?? 0) };
  if (fact.kind !== 'revised') return 'none';
  if (fact.as === 'down') return { ...fact, as: 'up' };
  // Without its refund a thumb down is a disinterested word, which weighs more.
  return fact.as === 'up' || fact.as === 'refunded' ? null : 'none';
}

describe('the score is monotone:', () => {
  test('a better outcome lowers no dimension and no category, whatever comes before and after', () => {
    fc.assert(
      fc.property(anySaid, fc.nat(29), fc.nat(100), (all, place, quality) => {
        const nth = place % all.length;
        const { fact, buyer } = all[nth] as Said;
        const bettered = better(fact, quality);
        fc.pre(bettered !== null);
        const replaced = bettered === 'none' ? all.toSpliced(nth, 1) : all.with(nth, { fact: bettered, buyer });
        const [before, after] = [tell(all).known, tell(replaced).known];
        const at = Math.max(before.asOf, after.asOf);
        // Left out, the last fact takes its time with it.
        const { evidence } = tell([...replaced, { buyer: 0, fact: { kind: 'forgiven', agentId: 'agent', at } }]).known;
        expect(worseIn(evidence, before.evidence)).toEqual([]);
        expect(scoreOf(after, at).overallScore).toBeGreaterThanOrEqual(scoreOf(before, at).overallScore);
      }),
      { numRuns: 300 },
    );
  });

  test('more evidence of the same mean narrows what is known, of the agent and in each category', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const mass = fc.double({ min: 0, max: 500, noNaN: true });
    fc.assert(
      fc.property(share, mass, mass, (mean, some, more) => {
        const known = (total: number): AgentRecord => ({
          ...emptyRecord(),
          evidence: { ...emptyEvidence(), outcome: { mass: total, good: total * mean } },
        });
        const [less, more_] = [scoreOf(known(some), 0), scoreOf(known(some + more), 0)];
        expect(deviationOf(more_.outcome)).toBeLessThanOrEqual(deviationOf(less.outcome) + tiny);
        expect(more_.confidence).toBeGreaterThanOrEqual(less.confidence);
        const inCategory = (total: number) => deviationOf(domainPosterior({ mass: total, good: total * mean }, mean));
        fc.pre(mean > 0 && mean < 1);
        expect(inCategory(some + more)).toBeLessThanOrEqual(inCategory(some) + tiny);
        expect(meanOf(domainPosterior({ mass: more, good: more * mean }, mean))).toBeCloseTo(mean, 9);
      }),
    );
  });
});

test('an appeal that is upheld leaves the evidence as if the failure had not been', () => {
  fc.assert(
    fc.property(anySaid, ended, (all, last) => {
      const { known, voices } = tell(all);
      const at = known.asOf + last.afterMs;
      const about = { agentId: 'agent', buyerId: String(last.buyer), taskId: 'appealed', at };
      const failure: Ended = {
        ...about,
        kind: 'ended',
        how: 'rejected',
        quality: 10,
        price: last.price,
        category: 'testing',
        waited: 0.5,
      };
      const said = (fact: Fact): Said => ({ fact, buyer: last.buyer });
      // The oldest of a buyer's last outcomes goes when a new one comes, and stays away.
      fc.pre((voices.get(last.buyer)?.heard.length ?? 0) < weights.outcomesOfBuyer);
      const { known: after } = tell([...all, said(failure), said({ ...about, kind: 'revised', as: 'struck' })]);
      const { known: without } = tell([...all, said({ kind: 'forgiven', agentId: 'agent', at })]);
      expect([worseIn(after.evidence, without.evidence), worseIn(without.evidence, after.evidence)]).toEqual([[], []]);
      expect(after).toMatchObject({ failed: known.failed, failuresInARow: known.failuresInARow.slice(-39) });
    }),
  );
});

test('what is kept of an agent is the sum of what its buyers say', () => {
  fc.assert(
    fc.property(
      anySaid.map((all) => all.filter(({ fact }) => 'buyerId' in fact)),
      (all) => {
        const { known, voices } = tell(all);
        const sum = [...voices.values()].reduce(
          (evidence, voice) => combine(evidence, evidenceOf(voice, known.asOf), 1),
          emptyEvidence(),
        );
        expect([worseIn(known.evidence, sum), worseIn(sum, known.evidence)]).toEqual([[], []]);
        const refusals = [...voices.values()].reduce((all, voice) => all + refusalsOf(voice), 0);
        expect(known.refusals).toBeCloseTo(refusals, 9);
      },
    ),
  );
});
