import type { Agora } from '@agora-market/sdk';
import type { TestOwner, TestServer } from '../support/harness.ts';

/** An owner's client with a trust key of its own. */
export async function consumerOf(
  server: Pick<TestServer, 'client'>,
  owner: TestOwner,
): Promise<{ id: string; key: string; agora: Agora }> {
  const { id, key } = await owner.agora.trust.createKey({ name: 'a site' });
  return { id, key, agora: server.client({ trustKey: key }) };
}

export const nobody = 'agt_01jxyz3k9mf5t8v2q7h4n6p0rs';
