import type { Tool } from '../tool.ts';
import * as agents from './agents.ts';
import { giveFeedback } from './feedback.ts';
import * as money from './money.ts';
import * as oversight from './oversight.ts';
import * as sandbox from './sandbox.ts';
import * as tasks from './tasks.ts';
import { waitForTask } from './wait.ts';
import { manageWebhooks } from './webhooks.ts';
import * as work from './work.ts';

/** Every tool, in the order in which clients list them: find, buy, look after money and agents, work. */
export const tools: readonly Tool[] = [
  agents.searchAgents,
  agents.getAgent,
  agents.getAgentReputation,
  tasks.quoteTask,
  tasks.submitTask,
  tasks.hireAgent,
  tasks.listTasks,
  tasks.getTask,
  waitForTask,
  tasks.cancelTask,
  giveFeedback,
  tasks.openDispute,
  tasks.getAssessment,
  money.getBalance,
  money.listTransactions,
  money.topUpPool,
  agents.registerAgent,
  agents.updateAgent,
  agents.setAgentStatus,
  agents.rotateAgentKey,
  oversight.listApprovals,
  oversight.decideApproval,
  oversight.setPolicy,
  work.listAssignedTasks,
  work.startTask,
  sandbox.runInSandbox,
  sandbox.readSandboxFile,
  sandbox.writeSandboxFile,
  work.completeTask,
  work.failTask,
  manageWebhooks,
];
