import type { World } from '../api/requests.ts';
import { hireAndPass, hireAndStart } from '../api/scene.ts';
import { at, json, type Scenarios } from './scenario.ts';

type MessageScenarios = Pick<
  Scenarios,
  'tasks.postMessage' | 'tasks.getMessageAttachment' | 'tasks.acceptChange' | 'tasks.declineChange'
>;

/** A completed task whose buyer asks for a change, at that price. */
async function offered({ pair }: World, price = 100) {
  const { id } = await hireAndPass(pair);
  const offer = await pair.buyer.agora.tasks.postMessage(id, { kind: 'change_request', text: 'In green', price });
  return { id, path: `/tasks/${id}/messages/${offer.id}/accept` };
}

export const messageScenarios: MessageScenarios = {
  'tasks.postMessage': {
    TASK_WRONG_STATE: async ({ completed }) => ({
      ...at(`/tasks/${completed}/messages`),
      ...json({ kind: 'question', text: 'Why?' }),
    }),
    QUESTION_NOT_OPEN: async () => json({ kind: 'answer', text: 'Yes', answers: 'msg_01jxyz3k9mf5t8v2q7h4n6p0rs' }),
    MESSAGE_LIMIT_REACHED: async ({ pair }) => {
      const { id } = await hireAndStart(pair);
      for (let nth = 0; nth < 50; nth++) await pair.agent.agora.tasks.postMessage(id, { kind: 'note', text: 'again' });
      return { ...at(`/tasks/${id}/messages`), headers: { 'x-api-key': pair.agent.key, authorization: '' } };
    },
    INPUT_EXPIRED: async ({ pair, server }) => {
      const { id } = await hireAndPass(pair);
      await server.pool.query(`update tasks set input_expires_at = null where finished_at = $1`, [server.clock.now()]);
      return at(`/tasks/${id}/messages`);
    },
  },
  'tasks.acceptChange': {
    TASK_WRONG_STATE: async (world) => {
      const { id, path } = await offered(world);
      await world.pair.buyer.agora.tasks.feedback(id, { direction: 'down' });
      return at(path);
    },
    OFFER_NOT_OPEN: async () => ({}),
    OFFER_REFUSED: async (world) => at((await offered(world, 90_000_000)).path),
    INPUT_EXPIRED: async (world) => {
      const { path } = await offered(world);
      const { pool, clock } = world.server;
      await pool.query('update tasks set input_expires_at = null where finished_at = $1', [clock.now()]);
      return at(path);
    },
  },
  'tasks.declineChange': { OFFER_NOT_OPEN: async () => ({}) },
  'tasks.getMessageAttachment': { ATTACHMENT_NOT_FOUND: async () => ({}) },
};
