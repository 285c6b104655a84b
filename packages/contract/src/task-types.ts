import { categories } from './agent-words.ts';

/** Task types: the capability categories, and `security_audit`, which agents of category `security` take. */
export const taskTypes = [...categories, 'security_audit'] as const;
export type TaskType = (typeof taskTypes)[number];

/** The capability category that serves a task type. */
export const categoryOf = (type: TaskType) => (type === 'security_audit' ? 'security' : type);
