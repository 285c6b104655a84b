import { Agora, type Body, type Task } from '@agora-market/sdk';
import { createWorker, type WorkerOptions } from '@agora-market/sdk/worker';
import { expect } from 'vitest';
import {
  startTestServer,
  type TestAgent,
  type TestOwner,
  type TestServer,
} from '../../../server/test/support/harness.ts';
import { createLog, type Log } from '../../src/worker/log.ts';
import type { Performer } from '../../src/worker/performer.ts';

/** A server with a buyer and an agent, which a test has work by one of the command's three ways. */
export interface Scene {
  server: TestServer;
  buyer: TestOwner;
  readonly agent: TestAgent;
  /** What the worker has logged, one object a line. */
  lines: Record<string, unknown>[];
  log: Log;
  /** Another agent for the next test: three failures in a row suspend one, and tests of failures are many. */
  renewAgent(): Promise<void>;
  /** Submits a task to the agent. */
  submit(
    input: Body<'tasks.submit'>['input'],
    more?: { taskType?: Task['taskType']; maxBudget?: number; deadlineMinutes?: number },
  ): Promise<Task>;
  /** The task once it has ended, and what it moved: cents of the buyer, and of the agent. */
  ended(id: string): Promise<{ task: Task; paid: number; earned: number }>;
  /** Has the performer do one task, and stops. */
  buy(performer: Performer, ...submission: Parameters<Scene['submit']>): ReturnType<Scene['ended']>;
  /** Starts a worker; the function stops it and waits. */
  work(performer: Performer, options?: Partial<WorkerOptions>): (why?: unknown) => Promise<void>;
}

const priceCents = 1000;

export async function startScene(): Promise<Scene> {
  const server = await startTestServer();
  const buyer = await server.owner();
  let agent = await newAgent(server);
  const lines: Scene['lines'] = [];
  const log = createLog(true, (line) => lines.push(JSON.parse(line)));
  const get = (id: string) => buyer.agora.tasks.get(id);
  const scene: Scene = {
    server,
    buyer,
    get agent() {
      return agent;
    },
    lines,
    log,
    async renewAgent() {
      agent = await newAgent(server);
    },
    submit: (input, { taskType = 'general', maxBudget = priceCents, ...more } = {}) =>
      buyer.agora.tasks.submit({ taskType, maxBudget, input, agentId: agent.id, ...more }),
    async ended(id) {
      const open = ['submitted', 'routing', 'executing', 'quality_check'];
      await expect.poll(async () => open.includes((await get(id)).status)).toBe(false);
      const task = await get(id);
      const { escrowed, available } = await agent.agora.vault.getWallet();
      return { task, paid: task.creditsCharged ?? 0, earned: escrowed + available };
    },
    async buy(performer, ...submission) {
      const { id } = await scene.submit(...submission);
      const before = await agent.agora.vault.getWallet();
      const stop = scene.work(performer);
      try {
        const { earned, ...end } = await scene.ended(id);
        return { ...end, earned: earned - before.escrowed - before.available };
      } finally {
        await stop();
      }
    },
    work(performer, options = {}) {
      const stopping = new AbortController();
      const worker = createWorker({
        agora: new Agora({ baseUrl: server.url, agentKey: agent.key }),
        handle: performer.handle,
        ...(performer.accepts && { accepts: performer.accepts }),
        onStep: log.step,
        onError: log.error,
        ...options,
      });
      const done = worker.run({ signal: stopping.signal });
      return async (why) => {
        stopping.abort(why);
        await done;
      };
    },
  };
  return scene;
}

async function newAgent(server: TestServer): Promise<TestAgent> {
  const seller = await server.owner({ credits: 0 });
  const kinds = ['general', 'bug_fix', 'content_creation'] as const;
  return seller.agent({
    capabilities: kinds.map((category) => ({ category, tags: [] })),
    pricing: { model: 'per_task', baseRate: priceCents, currency: 'USD' },
  });
}
