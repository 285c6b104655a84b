import { toUuid } from '@agora-market/contract';
import type { World } from '../api/requests.ts';
import { day, dispute, hireAndPass, hireAndReject, makePair, minute } from '../api/scene.ts';
import { at, bearer, json, type Scenarios } from './scenario.ts';

type DisputeScenarios = Pick<Scenarios, 'tasks.dispute' | Extract<keyof Scenarios, `courts.${string}`>>;

const nobody = 'dsp_01jxyz3k9mf5t8v2q7h4n6p0rs';
const unknown = (verb: string) => async () => at(`/courts/disputes/${nobody}${verb}`);

/** A pair of its own, for a buyer has few disputes open at once. */
async function disputed({ server }: World) {
  const pair = await makePair(server);
  return { pair, ...(await dispute(server, pair)) };
}

async function resolved(world: World) {
  const filed = await disputed(world);
  await world.server.operator().courts.resolveDispute(filed.id, { outcome: 'dismissed', note: 'Nothing to it' });
  return filed;
}

const decided = (verb: string, whose: 'buyer' | 'seller') => async (world: World) => {
  const { id, pair } = await resolved(world);
  return { ...at(`/courts/disputes/${id}/${verb}`), ...bearer(pair[whose]) };
};

/** A dispute in which a side has said all that it can say. */
async function exhausted(world: World, side: 'buyer' | 'seller') {
  const { id, pair } = await disputed(world);
  const { courts } = pair[side].agora;
  const more = { evidence: [], response: 'more', statement: 'more' };
  for (let count = side === 'buyer' ? 1 : 0; count < 10; count++) {
    if (side === 'buyer') await courts.supplementDispute(id, { statement: more.statement });
    else await courts.respondToDispute(id, { response: more.response });
  }
  const verb = side === 'buyer' ? 'evidence' : 'respond';
  return { ...at(`/courts/disputes/${id}/${verb}`), ...bearer(pair[side]) };
}

const proof = { checks: [{ name: 'it holds', command: 'true' }] };

/** A statement with a proof about a task whose input was erased. */
const unproven = (verb: string, whose: 'buyer' | 'seller', words: object) => async (world: World) => {
  const { id, taskId, pair } = await disputed(world);
  await world.server.pool.query('update tasks set input_expires_at = null where id = $1', [toUuid('task', taskId)]);
  return { ...at(`/courts/disputes/${id}/${verb}`), ...bearer(pair[whose]), ...json({ ...words, proof }) };
};

const assessmentAt = (id: string | null) => at(`/courts/assessments/${id}/appeal`);

/** A pair of its own, for three failures suspend an agent; the request is the seller's. */
async function failed({ server }: World, input?: Record<string, unknown>) {
  const pair = await makePair(server);
  const { assessmentId } = await hireAndReject(pair, input && { input });
  return { pair, assessmentId, request: { ...assessmentAt(assessmentId), ...bearer(pair.seller) } };
}

export const disputeScenarios: DisputeScenarios = {
  'tasks.dispute': {
    TASK_WRONG_STATE: async ({ pair }) => at(`/tasks/${(await hireAndPass(pair)).id}/dispute`),
    DUPLICATE: async (world) => {
      const { taskId, pair } = await disputed(world);
      return { ...at(`/tasks/${taskId}/dispute`), ...bearer(pair.buyer) };
    },
    DISPUTE_LIMIT_REACHED: async (world) => {
      const { pair } = await disputed(world);
      for (let more = 0; more < 2; more++) await dispute(world.server, pair);
      const { id } = await hireAndPass(pair);
      world.server.clock.advance(10 * minute + 1);
      return { ...at(`/tasks/${id}/dispute`), ...bearer(pair.buyer) };
    },
    DISPUTE_DEADLINE_PASSED: async ({ server, pair }) => {
      const { id } = await hireAndPass(pair);
      // Two weeks would end the sessions of the world's parties.
      await server.pool.query(
        `update tasks set finished_at = finished_at - interval '14 days 1 millisecond' where id = $1`,
        [toUuid('task', id)],
      );
      return at(`/tasks/${id}/dispute`);
    },
    INPUT_EXPIRED: async ({ server, pair }) => {
      const { id } = await hireAndPass(pair);
      server.clock.advance(10 * minute + 1);
      await server.pool.query('update tasks set input_expires_at = null where id = $1', [toUuid('task', id)]);
      return { ...at(`/tasks/${id}/dispute`), ...json({ reason: 'It fails', proof }) };
    },
  },
  'courts.getDispute': { DISPUTE_NOT_FOUND: unknown('') },
  'courts.docketEntry': { DISPUTE_NOT_FOUND: async () => at(`/courts/docket/${nobody}`) },
  'courts.disputedWork': { DISPUTE_NOT_FOUND: unknown('/work') },
  'courts.docketWork': { DISPUTE_NOT_FOUND: async () => at(`/courts/docket/${nobody}/work`) },
  'courts.respondToDispute': {
    DISPUTE_NOT_FOUND: unknown('/respond'),
    ALREADY_DECIDED: decided('respond', 'seller'),
    DISPUTE_DEADLINE_PASSED: async (world) => {
      const { id, pair } = await disputed(world);
      world.server.clock.advance(3 * day + 1);
      return { ...at(`/courts/disputes/${id}/respond`), ...bearer(pair.seller) };
    },
    WRONG_STATE: (world) => exhausted(world, 'seller'),
    INPUT_EXPIRED: unproven('respond', 'seller', { response: 'It is one' }),
  },
  'courts.supplementDispute': {
    DISPUTE_NOT_FOUND: unknown('/evidence'),
    ALREADY_DECIDED: decided('evidence', 'buyer'),
    WRONG_STATE: (world) => exhausted(world, 'buyer'),
    INPUT_EXPIRED: unproven('evidence', 'buyer', { statement: 'It is none' }),
  },
  'courts.resolveDispute': {
    DISPUTE_NOT_FOUND: unknown('/resolve'),
    ALREADY_DECIDED: async (world) => at(`/courts/disputes/${(await resolved(world)).id}/resolve`),
  },
  'courts.sampleAssessments': {
    AGENT_NOT_FOUND: async () => at('/agents/agt_01jxyz3k9mf5t8v2q7h4n6p0rs/assessments'),
  },
  'courts.appealAssessment': {
    TASK_WRONG_STATE: async ({ assessmentId, pair }) => ({ ...assessmentAt(assessmentId), ...bearer(pair.seller) }),
    DUPLICATE: async (world) => {
      const { pair, assessmentId, request } = await failed(world);
      await pair.seller.agora.courts.appealAssessment(assessmentId as string);
      return request;
    },
    DISPUTE_DEADLINE_PASSED: async (world) => {
      const { request } = await failed(world);
      world.server.clock.advance(day + 1);
      return request;
    },
    INPUT_EXPIRED: async (world) => {
      const { request } = await failed(world);
      await world.server.pool.query(`update tasks set input_expires_at = null where status = 'failed'`);
      return { ...request, ...json({}) };
    },
  },
};
