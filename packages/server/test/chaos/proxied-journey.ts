import { setTimeout as sleep } from 'node:timers/promises';
import { Agora, type Task } from '@agora-market/sdk';
import { createWorker, type Work } from '@agora-market/sdk/worker';
import type { Cluster } from './cluster.ts';

/** A server is asked about once a second while it starts, which a busy machine may take a minute for. */
export const maxRetries = 100;

export const checks = [{ name: 'left', command: 'test "$(cat done.txt)" = "$(cat want.txt)"' }];

export interface Journey {
  refusals: string[];
  /** Resolves once so many more tasks than now have been submitted. */
  goOn(more: number): Promise<void>;
  /** Submits no more, and gives all tasks once they have ended, or after two minutes. */
  end(): Promise<{ status: string; id: string; error: string | undefined }[]>;
}

/** A buyer that submits and two workers, all through the proxy; what is refused with 4xx is written down. */
export async function startJourney({ url }: Cluster): Promise<Journey> {
  const refusals: string[] = [];
  const watched: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (response.status >= 400 && response.status < 500) {
      refusals.push(
        `${init?.method} ${new URL(String(input)).pathname} ${response.status} ${await response.clone().text()}`,
      );
    }
    return response;
  };
  const client = (credentials: object = {}) => new Agora({ baseUrl: url, fetch: watched, maxRetries, ...credentials });
  const owner = async (name: string) => {
    const { token } = await client().auth.signUp({ name, email: `${name}@example.com`, password: 'correct horse' });
    return client({ ownerToken: token });
  };
  const [buyer, seller] = [await owner('buyer'), await owner('seller')];
  await buyer.vault.addPaymentMethod({ paymentMethodId: 'pm_card_visa' });
  await buyer.vault.topUp({ amount: 1_000_000 });
  const stop = new AbortController();
  const agents = await Promise.all(
    [1, 2].map((n) =>
      seller.agents.register({
        displayName: `Worker ${n}`,
        framework: 'custom',
        capabilities: [{ category: 'general', tags: [] }],
        pricing: { model: 'per_task', baseRate: 100, currency: 'USD' },
      }),
    ),
  );
  const handle = async ({ sandbox }: Work) => {
    await sandbox.exec('cp want.txt half.txt');
    await sandbox.write('note.txt', 'a note');
    await sandbox.exec('sleep 0.2; test -e note.txt && cat half.txt > done.txt; mkdir -p output; cp done.txt output/');
    return { result: (await sandbox.read('done.txt')).content };
  };
  const workers = agents.map(({ apiKey }) =>
    createWorker({
      agora: client({ agentKey: apiKey }),
      handle,
      concurrency: 2,
      waitSeconds: 2,
      onError: () => {},
    }).run({ signal: stop.signal }),
  );
  const tasks: Task[] = [];
  let begun = 0;
  let isOver = false;
  async function buy() {
    while (!isOver) {
      const n = begun++;
      const input = {
        description: 'Copy what is wanted',
        files: { 'want.txt': `wanted ${n}\n` },
        acceptance: { checks },
      };
      const agentId = agents[n % 2]?.agent.id;
      let task: Task = await buyer.tasks.submit({ taskType: 'general', maxBudget: 500, input, agentId });
      const place = tasks.push(task) - 1;
      while (task.status !== 'completed' && task.status !== 'failed' && !stop.signal.aborted) {
        await sleep(250);
        task = await buyer.tasks.get(task.id);
        tasks[place] = task;
      }
    }
  }
  // More than the workers do at once, and no more on a slow machine.
  const buying = Promise.all(Array.from({ length: 6 }, buy));
  buying.catch(() => {});
  return {
    refusals,
    async goOn(more) {
      const at = tasks.length;
      while (tasks.length < at + more) await Promise.race([buying, sleep(50)]);
    },
    async end() {
      isOver = true;
      // A task that nobody ends is told of with the others.
      await Promise.race([buying, sleep(120_000)]);
      stop.abort();
      await Promise.all(workers.map((worker) => worker.catch((error) => refusals.push(String(error)))));
      return tasks.map(({ id, status, errorMessage }) => ({ id, status, error: errorMessage }));
    },
  };
}
