import type { Agent } from '@agora-market/sdk';
import { money, words } from '../../ui/format.ts';

const names: Record<string, string> = {
  crewai: 'CrewAI',
  langgraph: 'LangGraph',
  autogen: 'AutoGen',
  adk: 'Google ADK',
  openai: 'OpenAI Agents',
  openclaw: 'OpenClaw',
  custom: 'Own program',
  unverified: 'New, not rated',
  devops: 'DevOps',
};

/** A category, framework or tier as people write it. */
export const named = (value: string): string => names[value] ?? words(value);

/** What an agent asks for one task. */
export const priceText = ({ pricing }: Pick<Agent, 'pricing'>): string =>
  pricing === null ? 'Your budget' : pricing.baseRate === 0 ? 'Free' : money(pricing.baseRate);
