import { defineStep, sqlFile } from '../../platform/index.ts';
import { sqlFrom, sqlTo } from './states.ts';

export interface StartItem {
  taskId: string;
  agentId: string;
  /** The agent's name for the sandbox: the provisioned id, or an alias where none was provisioned. */
  sandboxId: string;
  at: string;
}

export interface StartOutcome {
  outcome: 'ok' | 'not_party' | 'wrong_state' | 'input_expired' | 'sandbox_mismatch';
  /** Status the task had. */
  status: string;
  /** ISO 8601; by when the task must be delivered. */
  deadline: string | null;
}

/** The assigned agent commits to the task. It must deliver before the input is erased, for the gate needs it. */
export const startStep = defineStep<StartItem, StartOutcome>({
  name: 'tasks_start',
  key: (item) => item.taskId,
  locks: ({ taskId }) => ({ tasks: [taskId] }),
  topics: (item, { outcome }) => (outcome === 'ok' ? [`task:${item.taskId}`] : []),
  sql: sqlFile(import.meta.url, 'start.sql', { from: sqlFrom('start'), to: sqlTo('start') }),
});
