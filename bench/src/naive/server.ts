import { randomUUID } from 'node:crypto';
import { toId, toUuid } from '@agora-market/contract';
import { type FastifyRequest, fastify } from 'fastify';
import type { z } from 'zod';
import { authenticateAgent, authenticateOwner } from './auth.ts';
import { pool } from './db.ts';
import { Refusal } from './errors.ts';
import type { Task } from './records.ts';
import { completeTask, completion, starting, startTask } from './steps.ts';
import { submission, submitTask } from './submit.ts';

/**
 * The same three operations as somebody competent writes them first: a Fastify server, Zod, a pool of connections,
 * named statements, and one transaction of several statements for each step. Same rows in the same tables, same
 * replies, same authentication and limits.
 */

const app = fastify();

app.setErrorHandler((error, _request, reply) => {
  const refusal = error instanceof Refusal ? error : new Refusal(500, 'INTERNAL_ERROR', String(error));
  if (refusal.status === 500) console.error(error);
  return reply.code(refusal.status).send({ error: { code: refusal.code, message: refusal.message } });
});

function parse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (!result.success) throw new Refusal(400, 'VALIDATION_ERROR', result.error.issues[0]?.message);
  return result.data;
}

function uuidOf(kind: 'agent' | 'task', id: string): string {
  const uuid = toUuid(kind, id);
  if (uuid === null) throw new Refusal(404, `${kind.toUpperCase()}_NOT_FOUND`);
  return uuid;
}

const taskIdOf = (request: FastifyRequest) => uuidOf('task', (request.params as { taskId: string }).taskId);

const view = (task: Task) => ({
  id: toId('task', task.id),
  taskType: task.task_type,
  status: task.status,
  maxBudget: task.max_budget,
  price: task.price,
  agentId: toId('agent', task.agent_id),
  submitterId: toId('owner', task.owner_id),
  input: task.input,
  output: task.output,
  qualityScore: task.quality_score,
  executionTimeMs: task.execution_time_ms,
  creditsCharged: task.credits_charged,
  feedback: null,
  sandboxId: task.sandbox_id,
  assessmentId: task.assessment_id === null ? null : toId('assessment', task.assessment_id),
  correlationId: task.correlation_id,
  createdAt: task.created_at,
  assignedAt: task.assigned_at,
  startedAt: task.started_at,
  finishedAt: task.finished_at,
  acceptBy: task.accept_by,
  deadline: task.deadline,
});

app.post('/api/v1/tasks', async (request, reply) => {
  const ownerId = await authenticateOwner(request, reply);
  const body = parse(submission, request.body);
  const correlationId = randomUUID();
  reply.code(201).header('x-correlation-id', correlationId);
  return view(await submitTask(ownerId, uuidOf('agent', body.agentId), body, correlationId));
});

app.post('/api/v1/tasks/:taskId/executing', async (request, reply) => {
  const agentId = await authenticateAgent(request, reply);
  const body = parse(starting, request.body);
  return view(await startTask(taskIdOf(request), agentId, body.sandboxId));
});

app.post('/api/v1/tasks/:taskId/complete', async (request, reply) => {
  const agentId = await authenticateAgent(request, reply);
  const body = parse(completion, request.body);
  return view(await completeTask(taskIdOf(request), agentId, body));
});

const url = await app.listen({ host: '127.0.0.1', port: 0 });
console.log(`naive server ready on ${url}`);
process.on('SIGTERM', async () => {
  await app.close();
  await pool.end();
});
