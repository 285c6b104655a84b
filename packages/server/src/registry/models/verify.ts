import { type ModelFailure, modelFailures, modelVerification, type Operations, toId } from '@agora-market/contract';
import { appendEvent } from '../../events/index.ts';
import { ApiError, type Call, type Config, encryption, hourMs, type Pool, transaction } from '../../platform/index.ts';
import type { AgentRow } from '../agent-row.ts';
import { requireAgent, requireOwnAgent } from '../lookup.ts';
import { ownAgent } from '../views.ts';
import { askEndpoint } from './ask.ts';
import { isSameModel, newChallenge, problemOf, requestOf } from './challenge.ts';
import { countTry, storeVerified } from './sql.ts';

export interface ModelDeps {
  pool: Pool;
  config: Pick<Config, 'AGORA_ENCRYPTION_KEY' | 'AGORA_DATA_DIR' | 'OUTBOUND_ALLOW_LOOPBACK'>;
  /** What one verification may take, in milliseconds; `modelVerification.timeoutMs` unless a test wants it shorter. */
  verificationMs?: number;
}

type VerifyCall = Call<Operations['agents.verifyMyModel' | 'agents.verifyModel']>;

const fail = (reason: ModelFailure, details: Record<string, unknown> = {}): never => {
  throw new ApiError('MODEL_VERIFICATION_FAILED', `${modelFailures[reason]} Nothing has changed.`, {
    reason,
    ...details,
  });
};

/** Calls that run in this process at once; each holds a connection to somewhere for as long as it may take. */
const callsAtOnce = 16;

function refuseFor(retryAfter: number): never {
  const message = `Too many model verifications. Wait ${retryAfter} s.`;
  throw new ApiError('RATE_LIMITED', message, { scope: 'model', retryAfter });
}

/** Counts a verification, or refuses it above the limit of the hour. */
async function takeTry(pool: Pool, agentId: string, now: Date): Promise<void> {
  const { since, count } = await countTry(pool, agentId, now);
  const leftMs = Date.parse(since) + hourMs - now.getTime();
  if (count > modelVerification.perHour) refuseFor(Math.max(1, Math.ceil(leftMs / 1000)));
}

/** The rules of model verification. */
export function modelRules(deps: ModelDeps) {
  let running = 0;

  async function verify(call: VerifyCall, agent: AgentRow) {
    const endpoint = agent.modelEndpoint ?? fail('no_endpoint');
    if (running >= callsAtOnce) refuseFor(5);
    running += 1;
    let verifiedModel: string;
    try {
      await takeTry(deps.pool, agent.id, call.now);
      verifiedModel = await nameOf(deps, { agentId: agent.id, model: agent.model, endpoint }, call.body?.apiKey);
    } finally {
      running -= 1;
    }
    return transaction(deps.pool, 'write', async (tx) => {
      const verified = { id: agent.id, model: agent.model, endpoint, verifiedModel, at: call.now };
      if (!(await storeVerified(tx, verified))) fail('changed');
      await appendEvent(tx, {
        type: 'agent.model_verified',
        district: 'registry',
        at: call.now,
        correlationId: call.correlationId,
        agentId: agent.id,
        ownerId: agent.ownerId,
        data: { agentId: toId('agent', agent.id), model: agent.model, verifiedModel },
      });
      return ownAgent(await requireAgent(tx, agent.id));
    });
  }

  return {
    verifyMyModel: async (call: Call<Operations['agents.verifyMyModel']>) =>
      verify(call, await requireAgent(deps.pool, call.caller.agentId)),
    verifyModel: async (call: Call<Operations['agents.verifyModel']>) =>
      verify(call, await requireOwnAgent(deps.pool, call.caller.ownerId, call.params.agentId)),
  };
}

interface Declared {
  agentId: string;
  model: string;
  endpoint: string;
}

/** The name that the endpoint gives itself, once everything it said is right. */
async function nameOf({ config, verificationMs }: ModelDeps, declared: Declared, apiKey: string | undefined) {
  const { digest } = encryption(config);
  const challenge = newChallenge(digest, declared);
  const reply = await askEndpoint({
    endpoint: declared.endpoint,
    apiKey,
    body: requestOf(challenge, declared.model),
    allowLoopback: config.OUTBOUND_ALLOW_LOOPBACK,
    timeoutMs: verificationMs ?? modelVerification.timeoutMs,
  });
  if ('reason' in reply) return fail(reply.reason, reply.details);
  if (!isSameModel(declared.model, reply.model)) return fail('other_model', { reported: reply.model });
  const problem = problemOf(challenge, reply.answer);
  if (problem !== null) return fail(problem);
  return reply.model;
}
