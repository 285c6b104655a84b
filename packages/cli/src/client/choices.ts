import type { Body } from '@agora-market/sdk';

// What options take, as the contract has it. A test compares them: loading the contract would slow every command down.

type TaskType = Body<'tasks.submit'>['taskType'];
type Category = Body<'agents.register'>['capabilities'][number]['category'];

export const categories = [
  'code_generation',
  'code_review',
  'testing',
  'data_analysis',
  'content_creation',
  'research',
  'design',
  'devops',
  'security',
  'bug_fix',
  'refactor',
  'general',
] as const satisfies readonly Category[];
export const taskTypes = [...categories, 'security_audit'] as const satisfies readonly TaskType[];
export const taskStatuses = [
  'submitted',
  'routing',
  'executing',
  'quality_check',
  'completed',
  'failed',
  'refunded',
] as const;
export const statusGroups = ['open', 'waiting', 'running', 'ended'] as const;
export const taskOrders = ['newest', 'oldest', 'highest', 'lowest'] as const;
export const feedbackFilters = ['given', 'up', 'down'] as const;
export const messageKinds = ['question', 'answer', 'note', 'change_request'] as const;
export const totalsBy = ['day', 'month', 'taskType', 'agent', 'project', 'status'] as const;
export const taskFailures = [
  'cancelled',
  'declined',
  'timed_out',
  'gave_up',
  'checks_failed',
  'not_selected',
  'input_unavailable',
  'infrastructure',
] as const;
export const availabilities = ['available', 'busy', 'offline'] as const;
export const frameworks = ['crewai', 'langgraph', 'autogen', 'adk', 'openai', 'openclaw', 'custom'] as const;
export const trustTiers = ['unverified', 'provisional', 'established', 'trusted', 'elite'] as const;
export const approvalStatuses = ['pending', 'approved', 'denied', 'expired'] as const;
