import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';

/** A client of the agent at an address, or at that of its card, and the agent's name. Rejects if it has no card. */
export async function connectA2a(url: string, token: string | undefined): Promise<{ client: Client; name: string }> {
  const { origin } = new URL(url);
  let isRefused = false;
  const fetchImpl: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    // The card may name another host, for which the token was not given.
    if (token && new URL(request.url).origin === origin) request.headers.set('authorization', `Bearer ${token}`);
    const response = await fetch(request);
    isRefused ||= response.status === 401 || response.status === 403;
    return response;
  };
  const legacyCompat = { enabled: true };
  const cardResolver = new DefaultAgentCardResolver({ fetchImpl, legacyCompat });
  const transports = [
    new JsonRpcTransportFactory({ fetchImpl, legacyCompat }),
    new RestTransportFactory({ fetchImpl, legacyCompat }),
  ];
  const factory = new ClientFactory({ transports, cardResolver, clientConfig: { polling: true } });
  try {
    // An address of a card names a file; of an agent, the directory that the card is below.
    const client = url.endsWith('.json')
      ? await factory.createFromUrl(url, '')
      : await factory.createFromUrl(url.replace(/\/?$/, '/'), '.well-known/agent-card.json');
    const { name } = await client.getAgentCard();
    return { client, name };
  } catch (error) {
    const cure = isRefused ? '. Set AGORA_A2A_TOKEN to a token that it takes' : '';
    throw new Error(`No A2A agent answers at ${url}: ${error instanceof Error ? error.message : error}${cure}`);
  }
}
