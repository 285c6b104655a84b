import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { pool, rows } from './db.ts';
import { Refusal } from './errors.ts';

const limiterOf = (setting: string, fallback: number) =>
  new RateLimiterMemory({ points: Number(process.env[setting] ?? fallback), duration: 60 });
const ownerLimit = limiterOf('RATE_LIMIT_OWNER_TASKS', 30);
const agentLimit = limiterOf('RATE_LIMIT_AGENT', 100);

const hash = (text: string) => createHash('sha256').update(text).digest();

async function count(limiter: RateLimiterMemory, key: string, reply: FastifyReply): Promise<void> {
  const usage = await limiter.consume(key).catch(() => {
    throw new Refusal(429, 'RATE_LIMITED');
  });
  reply.header('x-ratelimit-limit', limiter.points).header('x-ratelimit-remaining', usage.remainingPoints);
}

/** The owner of a developer token. */
export async function authenticateOwner(request: FastifyRequest, reply: FastifyReply): Promise<string> {
  const token = request.headers.authorization?.slice('Bearer '.length) ?? '';
  const [owner] = await rows<{ id: string; status: string }>(
    pool,
    'owner_by_token',
    `select o.id, o.status from developer_tokens t join owners o on o.id = t.owner_id where t.token_hash = $1`,
    [hash(token)],
  );
  if (!owner) throw new Refusal(401, 'INVALID_SESSION');
  if (owner.status !== 'active') throw new Refusal(403, 'OWNER_SUSPENDED');
  await count(ownerLimit, owner.id, reply);
  return owner.id;
}

/** The agent of an API key. */
export async function authenticateAgent(request: FastifyRequest, reply: FastifyReply): Promise<string> {
  const key = String(request.headers['x-api-key'] ?? '');
  const [agent] = await rows<{ id: string; status: string; owner_status: string }>(
    pool,
    'agent_by_key',
    `select a.id, a.status, o.status as owner_status from agents a join owners o on o.id = a.owner_id
     where a.key_hash = $1`,
    [hash(key)],
  );
  if (!agent || agent.status === 'deactivated') throw new Refusal(401, 'INVALID_API_KEY');
  if (agent.status !== 'active' || agent.owner_status !== 'active') throw new Refusal(403, 'AGENT_SUSPENDED');
  await count(agentLimit, agent.id, reply);
  return agent.id;
}
