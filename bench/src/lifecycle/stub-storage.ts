import { createHash } from 'node:crypto';
import type { StepWriter } from '@agora/server/platform';
import type { GateDeps } from '@agora/server/tasks';
import { type Population, priceCents } from './population.ts';

type TaskRow = NonNullable<Awaited<ReturnType<GateDeps['loadTask']>>>;

interface Memory {
  /** Answers the statements of authentication and of the look-up of agents, by their names. */
  query(statement: { name: string; values: [string[]] }): Promise<{ rows: unknown[] }>;
  loadTask: GateDeps['loadTask'];
  write: StepWriter['write'];
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

export function createMemory(population: Population): Memory {
  const tasks = new Map<string, TaskRow>();
  const statements = readsOf(population);
  const steps = stepsOver(tasks);
  return {
    async query({ name, values }) {
      const answer = statements[name];
      if (!answer) throw new Error(`the stub knows no statement ${name}`);
      return { rows: values[0].map(answer) };
    },
    loadTask: async (id) => tasks.get(id),
    write: (async (step, item) => {
      const answer = steps[step.name];
      if (!answer) throw new Error(`the stub knows no step ${step.name}`);
      return answer(item as never);
    }) as StepWriter['write'],
  };
}

function readsOf({ owners, agents, provider }: Population): Record<string, (key: string) => unknown> {
  const lastUsedAt = new Date(Date.now() + 3_600_000).toISOString();
  const tokens = new Map(
    owners.map(({ uuid, token }) => {
      const hash = hashOf(token);
      return [hash, { hash, id: uuid, ownerId: uuid, lastUsedAt, status: 'active', plan: 'free' }];
    }),
  );
  const keys = new Map(
    agents.map(({ uuid, key }) => {
      const hash = hashOf(key);
      return [hash, { hash, agentId: uuid, ownerId: provider, status: 'active', ownerStatus: 'active' }];
    }),
  );
  const hireable = new Map(
    agents.map(({ uuid }) => [
      uuid,
      { id: uuid, ownerId: provider, status: 'active', availability: 'available', baseRateCents: priceCents },
    ]),
  );
  return {
    auth_load_tokens: (hash) => tokens.get(hash),
    registry_load_keys: (hash) => keys.get(hash),
    registry_load_hireable: (id) => hireable.get(id),
  };
}

const unset = {
  output: null,
  declaredScore: null,
  qualityScore: null,
  executionTimeMs: null,
  creditsCharged: null,
  errorMessage: null,
  feedbackDirection: null,
  feedbackComment: null,
  feedbackAt: null,
  sandboxId: null,
  assessmentId: null,
  startedAt: null,
  finishedAt: null,
  deadline: null,
};

type Item = TaskRow & { taskId: string; at: string };

/** What the steps of a paid task leave behind, as far as the next request reads it. */
function stepsOver(tasks: Map<string, TaskRow>): Record<string, (item: Item) => unknown> {
  const change = (item: Item, fields: Partial<TaskRow>) => Object.assign(tasks.get(item.taskId) as TaskRow, fields);
  return {
    tasks_submit(item) {
      tasks.set(item.id, { ...unset, ...item, status: 'submitted', createdAt: item.at, assignedAt: item.at });
      return { outcome: 'ok', available: priceCents };
    },
    tasks_start(item) {
      change(item, { status: 'executing', sandboxId: item.sandboxId, startedAt: item.at, deadline: item.at });
      return { outcome: 'ok', status: 'submitted', deadline: item.at };
    },
    tasks_deliver(item) {
      change(item, { status: 'quality_check', output: item.output });
      return { outcome: 'ok', status: 'executing' };
    },
    tasks_finish(item) {
      tasks.delete(item.taskId);
      return { outcome: 'ok', status: 'quality_check' };
    },
  };
}
