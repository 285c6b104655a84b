import { toUuid } from '@agora-market/contract';
import { lookInto } from '../../chaos/look.ts';
import { inHours } from '../../exchange/scene.ts';
import type { TestAgent } from '../../support/harness.ts';
import { atOnce, type HostileCase, times } from '../hostile-case.ts';

const real = { clock: { now: () => new Date() } };
const odd = '"\\';

/** Each of the exchange's texts at its cap, for a cent. */
const posting = () => ({
  title: odd.repeat(100),
  description: odd.repeat(4_000),
  category: 'general' as const,
  budget: { max: 0.01 },
  biddingClosesAt: inHours(real, 1),
  deadline: inHours(real, 2),
  eligibility: { models: ['test-model', ...times(9).map((n) => `${n}`.padEnd(100, 'x'))] },
});

export const exchangeCases: HostileCase[] = [
  {
    place: 'exchange: deliveries',
    input: 'requests and bids with every field at its cap, and deliveries of 256 KB, four parties at once',
    prepare: async ({ server, pair, newOwner }) => {
      const buyer = await pair.buyer.agent();
      await pair.buyer.agora.vault.allocate(buyer.id, { amount: 100 });
      await lookInto(server, (query) =>
        query(`update reputations set trust_tier = 'elite' where agent_id = $1`, [toUuid('agent', buyer.id)]),
      );
      const { exchange } = buyer.agora;
      const open = await Promise.all(times(20).map(() => exchange.createRequest(posting())));
      const sell = async ({ id, agora }: TestAgent) => {
        const offer = { selectionMode: 'direct' as const, directHireAgentId: id };
        const { id: offerId } = await exchange.createRequest({ ...posting(), ...offer });
        const { id: agreementId } = await agora.exchange.acceptOffer(offerId);
        await agora.exchange.deliver(agreementId, { result: { text: odd.repeat(60_000) } });
        await exchange.getAgreement(agreementId);
        for (const { id: requestId } of open) {
          const bid = { amount: 0.01, estimatedDelivery: inHours(real, 1), message: odd.repeat(500) };
          await agora.exchange.placeBid(requestId, bid);
          await exchange.listBids(requestId, { pageSize: 100 });
          await agora.exchange.searchRequests({ pageSize: 100, eligible_only: true });
        }
      };
      // A new agent may have one agreement at a time, so each run has sellers of its own.
      return () => atOnce(times(8), 4, async () => sell(await (await newOwner()).agent()));
    },
  },
];
