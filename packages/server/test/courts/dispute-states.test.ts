import {
  type DisputeStatus,
  type DisputeVerb,
  disputeStatuses,
  disputeTransitions,
  toUuid,
  dispute as verdict,
} from '@agora-market/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { disputedTask, settle } from '../../src/disputes/settle.ts';
import { lockDispute } from '../../src/disputes/sql.ts';
import { transaction } from '../../src/platform/index.ts';
import { dispute, type Pair, refusalOf } from '../api/scene.ts';
import { answered, courtServer, fresh } from './scene.ts';

/** Every status × verb × who says it, held to the contract's table. */

const server = courtServer();
let pair: Pair;
let stranger: Pair;
beforeEach(async () => {
  pair = await fresh(server);
  stranger = await fresh(server);
});

async function disputeIn(status: DisputeStatus): Promise<string> {
  if (status === 'filed') return (await dispute(server, pair)).id;
  const { id } = await answered(server, pair);
  if (status === 'resolved') await server.operator().courts.resolveDispute(id, { outcome: 'dismissed', note: 'No' });
  return id;
}

const callers = () => ({
  buyer: pair.buyer.agora,
  'agent, the seller': pair.agent.agora,
  "the agent's owner, the seller": pair.seller.agora,
  stranger: stranger.buyer.agora,
  'strange agent': stranger.agent.agora,
});
type CallerName = keyof ReturnType<typeof callers>;
const partyOf = (name: CallerName) => (name === 'buyer' ? 'buyer' : name.endsWith('seller') ? 'seller' : 'none');

const statusOf = async (id: string) => (await pair.buyer.agora.courts.getDispute(id)).status;
const spoken = { respond: 'respondToDispute', supplement: 'supplementDispute' } as const;

function wanted(verb: DisputeVerb, status: DisputeStatus, party: Parameters<typeof verdict>[2]): [string, string] {
  const found = verdict(verb, status, party);
  if (found.ok) return ['no refusal', found.to];
  return [found.code === 'NOT_A_PARTY' ? '403 NOT_A_PARTY' : '409 ALREADY_DECIDED', status];
}

describe.each(disputeStatuses)('a dispute that is %s', (status) => {
  test.each(['respond', 'supplement'] as const)('takes a %s of whom the table says', async (verb) => {
    for (const name of Object.keys(callers()) as CallerName[]) {
      // A buyer has few disputes open at once.
      pair = await fresh(server);
      const id = await disputeIn(status);
      const body = verb === 'respond' ? { response: 'x' } : { statement: 'x' };
      const outcome = await refusalOf(callers()[name].courts[spoken[verb]](id, body as never));
      expect([name, outcome, await statusOf(id)]).toEqual([name, ...wanted(verb, status, partyOf(name))]);
    }
  });

  test('takes the decision of the operator, and of nobody else', async () => {
    const id = await disputeIn(status);
    const body = { outcome: 'dismissed', note: 'No' } as const;
    for (const { ownerToken } of [{ ownerToken: pair.buyer.token }, { ownerToken: pair.seller.token }]) {
      const guessed = server.client({ operatorToken: ownerToken });
      expect(await refusalOf(guessed.courts.resolveDispute(id, body))).toBe('401 INVALID_OPERATOR_TOKEN');
    }
    const outcome = await refusalOf(server.operator().courts.resolveDispute(id, body));
    expect([outcome, await statusOf(id)]).toEqual(wanted('resolve', status, 'operator'));
  });

  const verbs = Object.keys(disputeTransitions) as DisputeVerb[];
  test.each(
    verbs.filter((verb) => disputeTransitions[verb].by === 'platform' && disputeTransitions[verb].to === 'resolved'),
  )('is ended by the platform with %s where the table says so', async (verb) => {
    const id = await disputeIn(status);
    const ruling = { outcome: 'split', share: 50, decidedBy: 'operator_silent', note: null } as const;
    const ending = transaction(server.pool, 'ledger', async (tx) => {
      const found = await lockDispute(tx, toUuid('dispute', id) as string);
      if (found)
        await settle(
          tx,
          { found, task: await disputedTask(tx, found) },
          verb,
          ruling,
          server.clock.now(),
          server.config,
        );
    });
    const found = verdict(verb, status, 'platform');
    if (found.ok) await ending;
    else await expect(ending).rejects.toThrow(`cannot ${verb}`);
    expect(await statusOf(id)).toBe(found.ok ? found.to : status);
  });
});
