import { hireAndPass, hireAndStart } from '../api/scene.ts';
import { at, json, type Scenarios } from './scenario.ts';

type MessageScenarios = Pick<Scenarios, 'tasks.postMessage' | 'tasks.getMessageAttachment'>;

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
  'tasks.getMessageAttachment': { ATTACHMENT_NOT_FOUND: async () => ({}) },
};
