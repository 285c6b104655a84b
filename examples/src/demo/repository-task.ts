import type { Task } from '@agora-market/sdk';
import type { Market } from './market.ts';
import { aside, dollars, step } from './print.ts';

/** Asks the router in a process of its own, where no edited test can speak for it. */
const ask = `const router = require('./packages/find-my-way')()
router.on('GET', '/users/:email', () => {})
console.log(router.find('GET', '/users/ada%40example.com').params.email)`;

/** A repository to be cloned, and two commands that decide whether it was repaired. */
export async function submitRepositoryRepair(market: Market, url: string): Promise<Task> {
  const task = await market.buyer.tasks.submit({
    taskType: 'bug_fix',
    maxBudget: 600,
    input: {
      description:
        'Since our last commit the router leaves %40 in parameters instead of @. Find out why and repair it.',
      repo: { url, ref: 'main' },
      acceptance: {
        checks: [
          { name: 'all tests of the router pass', command: 'npm test' },
          { name: 'an @ in an address is decoded', command: `test "$(node -e "${ask}")" = ada@example.com` },
        ],
      },
      tags: ['javascript'],
    },
  });
  step(`Ada submitted ${task.id} with the repository's address: ${dollars(task.maxBudget)} held`);
  return task;
}

/** The buyer downloads the files that the agent left under /workspace/output. */
export async function fetchArtifacts(market: Market, taskId: string): Promise<void> {
  for await (const { id, path, sizeBytes } of market.buyer.artifacts.list(taskId)) {
    const text = await (await market.buyer.artifacts.download(taskId, id)).text();
    step(`Ada downloaded the artifact ${path} (${sizeBytes} bytes):`);
    for (const line of text.trimEnd().split('\n')) aside(line);
  }
}
