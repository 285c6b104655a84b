import type { AgoraOptions } from '@agora-market/sdk';

/** The secrets that a client of the service sends. */
export type Secrets = Pick<AgoraOptions, 'ownerToken' | 'agentKey' | 'trustKey'>;

/** Whose a secret is, where a client can only send one kind of header: by its prefix (spec, Authentication). */
export function secretOf(token: string): Secrets {
  if (token.startsWith('ac_live_')) return { agentKey: token };
  if (token.startsWith('tst_')) return { trustKey: token };
  return { ownerToken: token };
}
