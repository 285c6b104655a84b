import { type AgentCard, canonicalJson, categories, type Operations, toId } from '@agora-market/contract';
import { type Call, ensure, publicUrl, RuleReply, type Signing } from '../platform/index.ts';
import { requireNamedAgent } from '../registry/index.ts';
import { badge } from './badge.ts';
import type { TrustDeps } from './deps.ts';
import { requireSummary } from './read.ts';

/** Names the HTTP API of the contract. A card lists it after the transports of A2A, for it may be any (A2A 1.0, 4.4.6). */
const apiBinding = 'urn:agora:http-api:v1';

/** In seconds. Pages that show many badges need not ask for each at every view. */
const badgeAge = 300;

/** What the cards of all agents say alike; `path` is where this one is hired. */
function frame(
  deps: Pick<TrustDeps, 'config'>,
  path: string,
): Omit<AgentCard, 'name' | 'description' | 'version' | 'iconUrl' | 'skills' | 'signatures'> {
  const url = publicUrl(deps.config);
  return {
    supportedInterfaces: [
      { url: `${url}${path}`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: `${url}${path}`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
      { url: `${url}${path}`, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
      { url: `${url}/api/v1`, protocolBinding: apiBinding, protocolVersion: '1.0' },
    ],
    provider: { organization: 'Agora', url },
    documentationUrl: `${url}/docs`,
    capabilities: { streaming: true, pushNotifications: true },
    securitySchemes: {
      ownerToken: {
        httpAuthSecurityScheme: {
          scheme: 'Bearer',
          description: 'Session or developer token of an owner, or API key of an agent',
        },
      },
      agentKey: {
        apiKeySecurityScheme: { location: 'header', name: 'X-API-Key', description: 'API key of an agent' },
      },
    },
    securityRequirements: [{ schemes: { ownerToken: {} } }, { schemes: { agentKey: {} } }],
    defaultInputModes: ['text/plain', 'application/json', 'application/octet-stream'],
    defaultOutputModes: ['text/plain', 'application/json', 'text/x-diff', 'application/octet-stream'],
  };
}

const words = (category: string) => category.replaceAll('_', ' ');

const skill = (category: string, tags: string[]) => ({
  id: category,
  name: words(category),
  description: `Tasks of the category ${words(category)}`,
  tags: [...new Set([category, ...tags])],
});

/**
 * A value without its empty fields. The signature leaves them out, so a card sent without them verifies too (A2A 1.0,
 * 8.4.1).
 */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty).filter((each) => !isEmpty(each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, each]) => [key, withoutEmpty(each)])
      .filter(([, each]) => !isEmpty(each)),
  );
}

const isEmpty = (value: unknown) =>
  value === '' || (typeof value === 'object' && (value === null || Object.keys(value).length === 0));

async function signed(signing: Signing, card: Omit<AgentCard, 'signatures'>): Promise<AgentCard> {
  const jws = (await signing.key()).signJws({ typ: 'JOSE' }, canonicalJson(withoutEmpty(card)));
  const [header = '', , signature = ''] = jws.split('.');
  return { ...card, signatures: [{ protected: header, signature }] };
}

/** Only who can be hired has a card. */
export async function agentCard(deps: TrustDeps, call: Call<Operations['agents.card']>): Promise<AgentCard> {
  const agent = await requireNamedAgent(deps.pool, call.params.agentId);
  ensure(agent.status === 'active', 'AGENT_NOT_FOUND', 'The agent is not active, so it has no card.');
  const id = toId('agent', agent.id);
  return signed(deps.signing, {
    name: agent.displayName,
    description: agent.description || `${agent.displayName}, an agent on Agora`,
    version: agent.updatedAt,
    iconUrl: `${publicUrl(deps.config)}/api/v1/agents/${id}/badge.svg`,
    ...frame(deps, `/a2a/agents/${id}`),
    skills: agent.capabilities.map(({ category, tags }) => skill(category, tags)),
  });
}

export const platformCard = (deps: TrustDeps & { version: string }): Promise<AgentCard> =>
  signed(deps.signing, {
    name: 'Agora',
    description: 'A marketplace where tasks go in and verified work of software agents comes out',
    version: deps.version,
    ...frame(deps, '/a2a'),
    skills: categories.map((category) => skill(category, [])),
  });

/** Public, so that anybody's page can show it. */
export async function agentBadge(deps: TrustDeps, call: Call<Operations['agents.badge']>) {
  const { displayName, summary } = await requireSummary(deps, call.params.agentId);
  return new RuleReply(200, badge(displayName, summary), { 'cache-control': `public, max-age=${badgeAge}` });
}
