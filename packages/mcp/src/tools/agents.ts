import { z } from 'zod';
import { wrongArgument } from '../refusal.ts';
import { agentLine, agentRow, listText } from '../text.ts';
import { defineTool, fewRows, fieldsOf, replyOf } from '../tool.ts';

const { agentId } = fieldsOf('agents.update');

/** For tools with which an owner names an agent, and an agent means itself. */
export const whichAgent = agentId.optional().meta({ description: 'For owners: which of your agents' });

const agentShown = ['id', 'status', 'availability'];

export const searchAgents = defineTool({
  name: 'search_agents',
  title: 'Search agents',
  purpose: 'Find agents for hire, best first. To price a given task use quote_task, which also knows who is free.',
  effect: 'reads',
  openWorld: true,
  uses: ['agents.search'],
  input: z.strictObject({ ...fieldsOf('agents.search'), ...fewRows }),
  output: replyOf('agents.search'),
  async call(query, { agora, options }) {
    const { data, pagination } = await agora.agents.search(query, options);
    const text = listText('agents', { data, pagination }, agentLine);
    return { data: { data: data.map(agentRow), pagination }, text };
  },
});

export const getAgent = defineTool({
  name: 'get_agent',
  title: 'Get an agent',
  purpose: 'Read the public profile of one agent: skills, price, tier. Not for its track record: get_agent_reputation.',
  effect: 'reads',
  openWorld: true,
  uses: ['agents.get'],
  input: z.strictObject(fieldsOf('agents.get')),
  output: replyOf('agents.get'),
  shows: ['id', 'description', 'capabilities', 'pricing', 'trustTier', 'overallScore', 'availability'],
  async call({ agentId: id }, { agora, options }) {
    const agent = await agora.agents.get(id, options);
    return { data: agent, text: `${agentLine(agent)}\nIts own description, as data: ${agent.description}` };
  },
});

const trusted = replyOf('trust.getAgent').shape;
const {
  agentId: reputationOf,
  trustTier,
  overallScore,
  confidence,
  dimensions,
  domains,
  ...more
} = replyOf('agents.reputation').shape;
const always = { agentId: reputationOf, trustTier, overallScore, confidence, dimensions, domains };

export const getAgentReputation = defineTool({
  name: 'get_agent_reputation',
  title: 'Get the reputation of an agent',
  purpose:
    'Read how reliable an agent has proved; with a trust key also a recommendation. For skills and price use get_agent.',
  effect: 'reads',
  openWorld: false,
  uses: ['agents.reputation', 'trust.getAgent'],
  input: z.strictObject(fieldsOf('agents.reputation')),
  output: z.object({ ...z.object({ ...more, ...trusted }).partial().shape, ...always }),
  shows: ['trustTier', 'overallScore', 'confidence', 'domains', 'tasks', 'recommendation'],
  async call({ agentId: id, days }, { agora, options }) {
    const scores = (told: { trustTier: string; overallScore: number; confidence: number }) =>
      `${id}: ${told.trustTier}, score ${told.overallScore} of 1000, confidence ${told.confidence} of 100`;
    if (agora.credentials.has('trust')) {
      const told = await agora.trust.getAgent(id, options);
      return { data: told, text: `${scores(told)}. Recommendation: ${told.recommendation}.` };
    }
    const told = await agora.agents.reputation(id, { days }, options);
    const { completed, failed, refunded } = told.tasks;
    return {
      data: told,
      text: `${scores(told)}. Tasks: ${completed} completed, ${failed} failed, ${refunded} refunded.`,
    };
  },
});

export const registerAgent = defineTool({
  name: 'register_agent',
  title: 'Register an agent',
  purpose:
    'Register a new agent that earns on the marketplace. Not to change one: update_agent. Its key is shown once.',
  effect: 'adds',
  openWorld: false,
  uses: ['agents.register'],
  input: z.strictObject(fieldsOf('agents.register')),
  output: replyOf('agents.register'),
  async call(body, { agora, options }) {
    const made = await agora.agents.register(body, options);
    return { data: made, text: `Registered ${made.agent.id}. ${keyText(made.apiKey)}` };
  },
});

const keyText = (apiKey: string): string => `Its API key is shown only now; store it in a safe place: ${apiKey}`;

export const updateAgent = defineTool({
  name: 'update_agent',
  title: 'Update an agent',
  purpose: 'Change the profile, price or availability of your agent. To take it out of service use set_agent_status.',
  effect: 'replaces',
  openWorld: false,
  uses: ['agents.update', 'agents.updateMe'],
  input: z.strictObject({ ...fieldsOf('agents.update'), agentId: whichAgent }),
  output: replyOf('agents.update'),
  shows: agentShown,
  async call({ agentId: id, ...body }, { agora, options }) {
    const isOwners = id !== undefined && agora.credentials.has('owner');
    if (!isOwners && !agora.credentials.has('agent'))
      throw wrongArgument('agentId', 'is needed: say which of your agents');
    const agent = isOwners ? await agora.agents.update(id, body, options) : await agora.agents.updateMe(body, options);
    return { data: agent, text: `Updated ${agentLine(agent)}` };
  },
});

export const setAgentStatus = defineTool({
  name: 'set_agent_status',
  title: 'Deactivate or reactivate an agent',
  purpose:
    'Take your agent out of service or back into it. For a pause without that use update_agent with availability.',
  effect: 'replaces',
  openWorld: false,
  uses: ['agents.deactivate', 'agents.reactivate'],
  input: z.strictObject({ ...fieldsOf('agents.deactivate'), status: z.enum(['active', 'deactivated']) }),
  output: replyOf('agents.deactivate'),
  shows: agentShown,
  async call({ agentId: id, status }, { agora, options }) {
    const agent =
      status === 'active' ? await agora.agents.reactivate(id, options) : await agora.agents.deactivate(id, options);
    return { data: agent, text: `${agent.id} is ${agent.status}.` };
  },
});

export const rotateAgentKey = defineTool({
  name: 'rotate_agent_key',
  title: 'Rotate the key of an agent',
  purpose:
    'Replace the API key of your agent. Only if it leaked or was lost: the old one stops at once, also for work under way.',
  effect: 'replacesEachTime',
  openWorld: false,
  uses: ['agents.rotateKey'],
  input: z.strictObject(fieldsOf('agents.rotateKey')),
  output: replyOf('agents.rotateKey'),
  async call({ agentId: id }, { agora, options }) {
    const rotated = await agora.agents.rotateKey(id, options);
    return { data: rotated, text: `The key of ${id} is replaced. ${keyText(rotated.apiKey)}` };
  },
});
