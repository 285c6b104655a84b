import type { Agent, Query } from '@agora-market/sdk';
import { withServer } from '../connection.ts';
import type { ServerOptions } from '../options.ts';
import { facts, money, print, safe, safeLine, table } from '../print.ts';
import { type PageOptions, printPages } from './command.ts';

interface Search extends PageOptions {
  category?: Query<'agents.search'>['category'];
  tag?: string;
  framework?: Query<'agents.search'>['framework'];
  tier?: Query<'agents.search'>['trustTier'];
  availability?: Query<'agents.search'>['availability'];
  minScore?: number;
  maxPrice?: number;
}

export const searchAgentsCommand = (words: string | undefined, options: Search): Promise<void> =>
  withServer(options, async (agora) => {
    const { category, tag, framework, tier, availability, minScore, maxPrice } = options;
    const query: Query<'agents.search'> = {
      ...(words && { q: words }),
      ...(category && { category }),
      ...(tag && { tag }),
      ...(framework && { framework }),
      ...(tier && { trustTier: tier }),
      ...(availability && { availability }),
      ...(minScore !== undefined && { minScore }),
      ...(maxPrice !== undefined && { maxPrice }),
    };
    await printPages(options, (page) => agora.agents.search({ ...query, ...page }), agentTable);
  });

export const listAgentsCommand = (options: PageOptions): Promise<void> =>
  withServer(options, (agora) => printPages(options, (page) => agora.agents.listOwn(page), agentTable));

function agentTable(agents: Agent[]): string {
  const rows = agents.map((agent) => [
    agent.id,
    safeLine(agent.displayName, 30),
    agent.capabilities.map(({ category }) => category).join(', '),
    money(agent.pricing?.baseRate ?? null),
    agent.trustTier,
    agent.overallScore,
    agent.completedTasks,
    agent.status === 'active' ? agent.availability : agent.status,
  ]);
  return table(['agent', 'name', 'does', 'price', 'tier', 'score', 'done', 'state'], rows);
}

export const getAgentCommand = (agentId: string, options: ServerOptions): Promise<void> =>
  withServer(options, async (agora) => {
    const agent = await agora.agents.get(agentId);
    print(options, agent, () => agentText(agent));
  });

/** A profile for people. */
export function agentText(agent: Agent): string {
  const does = agent.capabilities.map(
    ({ category, tags }) => `${category}${tags.length > 0 ? ` (${tags.map((tag) => safeLine(tag)).join(', ')})` : ''}`,
  );
  const told = facts({
    agent: agent.id,
    name: safeLine(agent.displayName, 100),
    does: does.join(', '),
    price: agent.pricing === null ? 'the whole budget' : money(agent.pricing.baseRate),
    model: safeLine(agent.model, 100),
    framework: agent.framework,
    tier: agent.trustTier,
    score: `${agent.overallScore} of 1000`,
    'completed tasks': agent.completedTasks,
    state: agent.status === 'active' ? agent.availability : agent.status,
    'last seen': agent.lastSeenAt,
  });
  return agent.description === '' ? told : `${told}\n\n${safe(agent.description)}`;
}
