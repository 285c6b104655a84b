import { attestationSeconds, type Operations, type TrustSummary, toUuid } from '@agora-market/contract';
import { type Call, ensure, publicUrl } from '../platform/index.ts';
import type { TrustDeps } from './deps.ts';
import type { NamedSummary } from './summary.ts';

/** The summary of the agent that an id names, with its name. */
export async function requireSummary(deps: Pick<TrustDeps, 'loadSummary'>, agentId: string): Promise<NamedSummary> {
  const uuid = toUuid('agent', agentId);
  const found = uuid === null ? undefined : await deps.loadSummary(uuid);
  ensure(found, 'AGENT_NOT_FOUND');
  return found;
}

export async function readAgent(deps: TrustDeps, call: Call<Operations['trust.getAgent']>): Promise<TrustSummary> {
  await deps.quota.spend(call.caller, 1);
  return (await requireSummary(deps, call.params.agentId)).summary;
}

const unknown = { code: 'AGENT_NOT_FOUND' as const, message: 'No such agent.' };

export async function readAgents(deps: TrustDeps, call: Call<Operations['trust.getAgents']>) {
  const { ids } = call.query;
  await deps.quota.spend(call.caller, ids.length);
  const data = await Promise.all(
    ids.map(async (agentId) => {
      const uuid = toUuid('agent', agentId);
      const summary = (uuid === null ? undefined : await deps.loadSummary(uuid))?.summary ?? null;
      return { agentId, summary, error: summary === null ? unknown : null };
    }),
  );
  return { data };
}

/** The type in the header keeps the token from being taken for another kind (RFC 8725, 3.11). */
const attestationType = 'trust-attestation+jwt';

/** The present summary of an agent, signed, so that it can be shown to others who do not ask this server. */
export async function attest(deps: TrustDeps, call: Call<Operations['trust.attestation']>): Promise<string> {
  await deps.quota.spend(call.caller, 1);
  const { summary } = await requireSummary(deps, call.params.agentId);
  const iat = Math.floor(call.now.getTime() / 1000);
  const claims = {
    iss: publicUrl(deps.config),
    sub: summary.agentId,
    iat,
    exp: iat + attestationSeconds,
    trust: summary,
  };
  return (await deps.signing.key()).signJws({ typ: attestationType }, JSON.stringify(claims));
}
