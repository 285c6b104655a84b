import { AgentCard, canonicalizeAgentCard, verifyAgentCardSignature } from '@a2a-js/sdk';
import { importJWK } from 'jose';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { makePair, type Pair, serverForFile } from './scene.ts';
import { nobody } from './trust-scene.ts';

const server = serverForFile({ config: { PUBLIC_URL: 'https://agora.example' } });
let pair: Pair;
beforeAll(async () => {
  const capabilities = [
    { category: 'bug_fix' as const, tags: ['typescript', 'Ä & ß'] },
    { category: 'testing' as const, tags: [] },
  ];
  pair = await makePair(server, { agent: { displayName: 'Mender', description: '', capabilities } });
});

const verify = verifyAgentCardSignature(async (kid) => {
  const { keys } = await server.client().system.jwks();
  return (await importJWK({ ...keys.find((key) => key.kid === kid) }, 'EdDSA')) as Awaited<
    ReturnType<Parameters<typeof verifyAgentCardSignature>[0]>
  >;
});

/** What the library of A2A makes of a card that was sent, and back: nothing may be lost. */
const throughA2a = (card: object) => AgentCard.toJSON(AgentCard.fromJSON(card));

describe('an agent card', () => {
  test('is one of A2A 1.0 to the library of A2A, with nothing that it does not know', async () => {
    const card = await server.client().agents.card(pair.agent.id);
    expect(throughA2a(card)).toEqual(card);
    const hired = `https://agora.example/a2a/agents/${pair.agent.id}`;
    expect(card).toMatchObject({
      name: 'Mender',
      description: 'Mender, an agent on Agora',
      supportedInterfaces: [
        { url: hired, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { url: hired, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
        { url: hired, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
        { url: 'https://agora.example/api/v1', protocolBinding: 'urn:agora:http-api:v1', protocolVersion: '1.0' },
      ],
      iconUrl: `https://agora.example/api/v1/agents/${pair.agent.id}/badge.svg`,
      skills: [
        { id: 'bug_fix', name: 'bug fix', tags: ['bug_fix', 'typescript', 'Ä & ß'] },
        { id: 'testing', tags: ['testing'] },
      ],
    });
    for (const part of ['capabilities', 'defaultInputModes', 'securitySchemes']) expect(card).toHaveProperty(part);
  });

  test('is signed: the library of A2A verifies it with the JWK set, and finds a change', async () => {
    const card = (await server.client().agents.card(pair.agent.id)) as unknown as AgentCard;
    await verify(card);
    // The library says so on the console too.
    vi.spyOn(console, 'debug').mockImplementation(() => {});
    await expect(verify({ ...card, name: 'Somebody else' })).rejects.toThrow();
    expect(canonicalizeAgentCard(card)).toContain('"name":"Mender"');
  });

  test('of the platform stands where A2A looks for it, and is signed', async () => {
    const response = await fetch(`${server.url}/.well-known/agent-card.json`);
    const card = (await response.json()) as AgentCard;
    expect(await server.client().system.agentCard()).toEqual(card);
    expect(throughA2a(card)).toEqual(card);
    expect([card.name, card.skills.length]).toEqual(['Agora', 12]);
    await verify(card);
    const etag = response.headers.get('etag') as string;
    const again = await fetch(`${server.url}/.well-known/agent-card.json`, { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
  });

  test('is there for active agents alone', async () => {
    const get = async (id: string) => (await fetch(`${server.url}/api/v1/agents/${id}/card`)).status;
    const gone = await pair.seller.agent();
    await pair.seller.agora.agents.deactivate(gone.id);
    expect([await get(gone.id), await get(nobody), await get('nonsense')]).toEqual([404, 404, 404]);
  });
});

describe('a badge', () => {
  const get = (id: string, headers = {}) => fetch(`${server.url}/api/v1/agents/${id}/badge.svg`, { headers });

  test('is an image that anybody may show and keep, and 304 to whoever has it', async () => {
    const response = await get(pair.agent.id);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    expect(response.headers.get('cache-control')).toBe('public, max-age=300');
    const svg = await response.text();
    expect(svg).toContain('>Mender</text>');
    expect(svg).toContain('>unverified, not yet rated</text>');
    expect(await server.client().agents.badge(pair.agent.id)).toBe(svg);
    const again = await get(pair.agent.id, { 'if-none-match': response.headers.get('etag') as string });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  test('of an unknown agent is 404', async () => {
    expect((await get(nobody)).status).toBe(404);
  });
});
