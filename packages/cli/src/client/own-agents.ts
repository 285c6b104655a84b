import type { Body } from '@agora-market/sdk';
import { connectionOf, withServer } from '../connection.ts';
import { UsageError } from '../failure.ts';
import type { ServerOptions } from '../options.ts';
import { print } from '../print.ts';
import { readProfiles } from '../profiles.ts';
import { agentText } from './agents.ts';
import { categories } from './choices.ts';
import { saveAgentKey } from './login.ts';

type Update = Body<'agents.update'>;
type Capability = NonNullable<Update['capabilities']>[number];

interface ProfileOptions extends ServerOptions {
  name?: string;
  category?: string[];
  framework?: NonNullable<Update['framework']>;
  model?: string;
  modelEndpoint?: string;
  description?: string;
  price?: number;
}

interface KeyOptions extends ServerOptions {
  save?: boolean;
}

/** Registers an agent. Its key is printed, for the server does not show it again. */
export async function registerAgentCommand(options: ProfileOptions & KeyOptions): Promise<void> {
  const { displayName, capabilities, framework = 'custom', ...rest } = fieldsOf(options);
  if (displayName === undefined || capabilities === undefined) {
    throw new UsageError('An agent needs a --name and at least one --category.');
  }
  await withServer(options, async (agora) => {
    const made = await agora.agents.register({ displayName, capabilities, framework, ...rest });
    const kept = keep(options, made.apiKey);
    print(options, made, () => `${agentText(made.agent)}\n\n${keyText(made.apiKey, kept)}`);
  });
}

export async function updateAgentCommand(agentId: string, options: ProfileOptions): Promise<void> {
  const fields = fieldsOf(options);
  if (Object.keys(fields).length === 0) throw new UsageError('Give at least one option that says what to change.');
  await withServer(options, async (agora) => {
    const agent = await agora.agents.update(agentId, fields);
    print(options, agent, () => agentText(agent));
  });
}

/** `active` and `deactivated` are states of the registration; the others say whether the agent takes tasks. */
export const agentStatusCommand = (
  agentId: string,
  state: NonNullable<Update['availability']> | 'active' | 'deactivated',
  options: ServerOptions,
): Promise<void> =>
  withServer(options, async (agora) => {
    const change = () => {
      if (state === 'active') return agora.agents.reactivate(agentId);
      if (state === 'deactivated') return agora.agents.deactivate(agentId);
      return agora.agents.update(agentId, { availability: state });
    };
    const agent = await change();
    print(options, agent, `${agent.id} is ${agent.status}, ${agent.availability}.`);
  });

export const rotateAgentKeyCommand = (agentId: string, options: KeyOptions): Promise<void> =>
  withServer(options, async (agora) => {
    const { apiKey } = await agora.agents.rotateKey(agentId);
    const kept = keep(options, apiKey);
    print(options, { agentId, apiKey }, keyText(apiKey, kept));
  });

function fieldsOf({ name, category, framework, model, modelEndpoint, description, price }: ProfileOptions): Update {
  return {
    ...(name !== undefined && { displayName: name }),
    ...(category && { capabilities: category.map(capabilityOf) }),
    ...(framework && { framework }),
    ...(model !== undefined && { model }),
    ...(modelEndpoint !== undefined && { modelEndpoint }),
    ...(description !== undefined && { description }),
    ...(price !== undefined && { pricing: { model: 'per_task', baseRate: price, currency: 'USD' } }),
  };
}

/** `bug_fix:typescript,node` is a category with two tags. */
function capabilityOf(given: string): Capability {
  const [name = '', tags = ''] = given.split(':', 2);
  const category = categories.find((each) => each === name);
  if (category === undefined) throw new UsageError(`"${name}" is no category. There are: ${categories.join(', ')}.`);
  return { category, tags: tags === '' ? [] : tags.split(',') };
}

/** The profile that keeps the key, if it was asked for. */
function keep(options: KeyOptions, apiKey: string): string | null {
  if (!options.save) return null;
  const name = options.profile ?? readProfiles().current;
  saveAgentKey({ name, url: connectionOf(options).url }, apiKey);
  return name;
}

const keyText = (apiKey: string, profile: string | null): string =>
  `key  ${apiKey}\nThe key is not shown again. ${profile === null ? 'Keep it as AGORA_AGENT_KEY.' : `The profile "${profile}" keeps it.`}`;
