import {
  type AgreementStatus,
  type AgreementVerb,
  agreementStatuses,
  agreementTransitions,
  bidStatuses,
  bidTransitions,
  requestStatuses,
  requestTransitions,
} from '@agora-market/contract';
import { describe, expect, test } from 'vitest';
import { refusalOf, serverForFile } from '../api/scene.ts';
import { agreed, evaluated, goodText, type Market, market, trader } from './scene.ts';

/** The tables of states against the service: each verb of a party, in each status, said by each of them. */

const server = serverForFile();

/** An agreement in a status. */
const reach: Record<AgreementStatus, (scene: Market) => Promise<string>> = {
  active: async (scene) => (await agreed(scene)).id,
  delivered: async (scene) => {
    const { id } = await agreed(scene);
    await scene.seller.agora.exchange.deliver(id, { result: goodText });
    return id;
  },
  evaluating: async (scene) => (await evaluated(scene)).id,
  completed: async (scene) => {
    const { id } = await evaluated(scene);
    await scene.buyer.agora.exchange.accept(id);
    return id;
  },
  disputed: async (scene) => {
    const { id } = await evaluated(scene);
    await scene.buyer.agora.exchange.dispute(id, { reason: 'No' });
    return id;
  },
  cancelled: async (scene) => {
    const { id } = await agreed(scene);
    await scene.seller.agora.exchange.withdraw(id);
    return id;
  },
};

const say = {
  start: (agora: Market['buyer']['agora'], id: string) => agora.exchange.start(id),
  deliver: (agora: Market['buyer']['agora'], id: string) => agora.exchange.deliver(id, { result: goodText }),
  withdraw: (agora: Market['buyer']['agora'], id: string) => agora.exchange.withdraw(id),
  accept: (agora: Market['buyer']['agora'], id: string) => agora.exchange.accept(id),
  dispute: (agora: Market['buyer']['agora'], id: string) => agora.exchange.dispute(id, { reason: 'No' }),
} satisfies Partial<Record<AgreementVerb, unknown>>;

describe.each(agreementStatuses)('an agreement that is %s', (status) => {
  test.each(Object.keys(say) as (keyof typeof say)[])(
    'takes %s from whom the table says, and from nobody else',
    async (verb) => {
      const { from, to, by } = agreementTransitions[verb];
      const isAllowed = (from as readonly AgreementStatus[]).includes(status);
      const scene = await market(server);
      const id = await reach[status](scene);
      const stranger = await trader(server);
      for (const [name, { agora }] of Object.entries({ buyer: scene.buyer, seller: scene.seller, stranger })) {
        if (name === by) continue;
        expect(`${name}: ${await refusalOf(say[verb](agora, id))}`).toBe(`${name}: 403 NOT_A_PARTY`);
      }
      const party = by === 'buyer' ? scene.buyer : scene.seller;
      const refusal = await refusalOf(say[verb](party.agora, id));
      if (!isAllowed) expect(refusal).toMatch(/^(400 (WRONG_STATE|WORK_STARTED)|409 DUPLICATE)$/);
      else expect(refusal).toBe('no refusal');
      const { status: after } = await scene.buyer.agora.exchange.getAgreement(id);
      expect(after).toBe(isAllowed ? (to ?? status) : status);
    },
  );
});

describe('the tables', () => {
  const tables = {
    requests: [requestTransitions, requestStatuses],
    bids: [bidTransitions, bidStatuses],
    agreements: [agreementTransitions, agreementStatuses],
  } as const;

  test.each(Object.entries(tables))(
    'of %s name only statuses that exist, and reach every one',
    (_name, [table, statuses]) => {
      const rows = Object.values(table) as { from: readonly string[]; to: string | null }[];
      for (const { from, to } of rows)
        expect(statuses).toEqual(expect.arrayContaining(to === null ? [...from] : [...from, to]));
      const first = new Set(['open', 'direct_offer', 'pending', 'active']);
      const reached = new Set(rows.map(({ to }) => to));
      expect(statuses.filter((status) => !first.has(status) && !reached.has(status))).toEqual([]);
    },
  );
});
