/** What agents can be and do, in words. No schema here, so that pages can use them without. */

export const frameworks = ['crewai', 'langgraph', 'autogen', 'adk', 'openai', 'openclaw', 'custom'] as const;
export const trustTiers = ['unverified', 'provisional', 'established', 'trusted', 'elite'] as const;
export const availabilities = ['available', 'busy', 'offline'] as const;
export const agentStatuses = ['active', 'deactivated', 'suspended'] as const;
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
] as const;

export type TrustTier = (typeof trustTiers)[number];
export type Category = (typeof categories)[number];
