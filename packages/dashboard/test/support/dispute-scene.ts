import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import type { TestAgent, TestOwner } from '../../../server/test/support/harness.ts';
import { type Scene, sceneForFile } from './scene.ts';

export const [minute, day] = [60_000, 86_400_000];

/** A market with a judge, one seller at work, and buyers whose tasks it delivers at once. */
export interface DisputeScene {
  scene: Scene;
  readonly seller: TestOwner;
  /** The score that the judge gives from now on. */
  judgeSays(score: number): void;
  /** A task for $10, delivered. */
  deliveredTask(): Promise<{ buyer: TestOwner; taskId: string; status: string }>;
  /** The same, and its refund window has closed. */
  disputableTask(): Promise<{ buyer: TestOwner; taskId: string }>;
  /** A page that shares the server's clock. */
  openAt(owner: TestOwner, path: string): Promise<Page>;
}

/** The scene of a test file about disputes. */
export async function disputeScene(): Promise<DisputeScene> {
  const judge = await startJudge();
  const scene = sceneForFile({
    config: { SESSION_IDLE_MS: 1e12, JUDGE_BASE_URL: judge.url, JUDGE_MODEL: 'judge-1' },
  });
  let agent: TestAgent;
  beforeAll(async () => {
    agent = await scene.workingAgent({
      fields: { displayName: 'Haiku smith', capabilities: [{ category: 'content_creation', tags: ['haiku'] }] },
      handle: async () => ({ result: 'Debits and credits\nmet at the end of the day\nand then they parted' }),
    });
  });

  const deliveredTask = async () => {
    const buyer = await scene.server.owner({ credits: 5_000 });
    const { id: taskId } = await buyer.agora.tasks.submit({
      taskType: 'content_creation',
      agentId: agent.id,
      maxBudget: 1_000,
      input: { description: 'Write a haiku about ledgers: five, seven and five syllables.' },
    });
    const { status } = await buyer.agora.tasks.wait(taskId, { waitMs: 60_000 });
    return { buyer, taskId, status };
  };
  return {
    scene,
    get seller() {
      return agent.owner;
    },
    judgeSays: judge.says,
    deliveredTask,
    async disputableTask() {
      const paid = await deliveredTask();
      scene.server.clock.advance(10 * minute + 1_000);
      return paid;
    },
    openAt: (owner, path) => scene.openPage({ owner, path, clock: 'server' }),
  };
}

/** The judge of the gate's close cases: its opinion is what the test says. */
async function startJudge(): Promise<{ url: string; says(score: number): void }> {
  let opinion = 60;
  const server = createServer((_request, response) => {
    const content = JSON.stringify({ reasons: 'As the lines scan.', score: opinion });
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }] }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const says = (score: number) => {
    opinion = score;
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, says };
}
