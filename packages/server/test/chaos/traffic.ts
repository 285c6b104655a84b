import { randomUUID } from 'node:crypto';
import type { TaskStatus } from '@agora-market/contract';
import type { Installation, Reply, RequestOptions } from './server-process.ts';

/** Buyers and agents that go on whatever happens to the server, and remember every reply they got. */

export interface Buyer {
  id: string;
  token: string;
}
export interface Seller {
  agentId: string;
  key: string;
}

/** What a task was acknowledged to be. */
export interface Acknowledged {
  taskId: string;
  buyer: Buyer;
  seller: Seller;
  status: TaskStatus;
  output: string | null;
  feedback: 'up' | 'down' | null;
  refunded: boolean;
}

export interface Traffic {
  acknowledged: Map<string, Acknowledged>;
  /** Replies with a status of 500, which must not be. */
  crashes: string[];
  /** Replies with 503 or none at all. */
  interruptions: number;
  /** Lets running lifecycles come to their end, and starts no more. */
  finish(): Promise<void>;
}

const rank: Record<TaskStatus, number> = {
  submitted: 0,
  routing: 0,
  executing: 1,
  quality_check: 2,
  completed: 3,
  failed: 3,
  refunded: 4,
};

/** Whether a task may be so now that was acknowledged so then. */
export const follows = (then: TaskStatus, now: TaskStatus): boolean =>
  then === now || (rank[now] > rank[then] && !(then === 'failed' && now === 'refunded'));

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

let serial = 0;

async function signUp(server: Installation): Promise<Buyer> {
  const email = `chaos-${process.pid}-${++serial}@example.com`;
  const { status, body } = await server.request('POST', '/auth/sign-up', {
    body: { name: 'Chaos', email, password: 'correct horse' },
  });
  if (status !== 201) throw new Error(`sign-up was answered with ${status} ${JSON.stringify(body)}`);
  return { id: body.owner.id, token: body.token };
}

export async function createBuyer(server: Installation, credits: number, card = 'pm_card_visa'): Promise<Buyer> {
  const buyer = await signUp(server);
  const { token } = buyer;
  await server.request('POST', '/vault/payment-methods', { token, body: { paymentMethodId: card } });
  const { status } = await server.request('POST', '/vault/pool/top-up', { token, body: { amount: credits } });
  if (status >= 300) throw new Error(`the top-up was answered with ${status}`);
  return buyer;
}

export async function createSeller(server: Installation): Promise<Seller> {
  const { token } = await signUp(server);
  const { status, body } = await server.request('POST', '/agents', {
    token,
    body: {
      displayName: `Agent ${++serial}`,
      framework: 'custom',
      model: 'test',
      description: 'An agent of the chaos tests',
      capabilities: [{ category: 'general', tags: [] }],
      pricing: { model: 'per_task', baseRate: 700, currency: 'USD' },
    },
  });
  if (status !== 201) throw new Error(`registration was answered with ${status} ${JSON.stringify(body)}`);
  return { agentId: body.agent.id, key: body.apiKey };
}

/** Starts so many clients at once, each of which takes one task after the other through its life. */
export function startTraffic(server: Installation, buyers: Buyer[], sellers: Seller[], clients: number): Traffic {
  let stopping = false;
  const traffic: Traffic = { acknowledged: new Map(), crashes: [], interruptions: 0, finish: async () => {} };

  /** Repeats a request until somebody answers it; 503 says that nobody did. */
  async function insist(method: string, path: string, options: RequestOptions): Promise<Reply> {
    const deadline = performance.now() + 60_000;
    for (;;) {
      try {
        const reply = await server.request(method, path, options);
        if (reply.status === 500) traffic.crashes.push(`${method} ${path}: ${JSON.stringify(reply.body)}`);
        if (reply.status < 500) return reply;
      } catch {
        // The server is away.
      }
      traffic.interruptions += 1;
      if (performance.now() > deadline) throw new Error(`${method} ${path} was not answered for a minute`);
      await sleep(40);
    }
  }

  async function lifecycle(n: number) {
    const buyer = buyers[n % buyers.length] as Buyer;
    const seller = sellers[n % sellers.length] as Seller;
    const submission = {
      taskType: 'general',
      maxBudget: 1000,
      input: { description: `Say ${n}` },
      agentId: seller.agentId,
    };
    const made = await insist('POST', '/tasks', { token: buyer.token, body: submission, idempotencyKey: randomUUID() });
    if (made.status !== 201) throw new Error(`submit was answered with ${made.status} ${JSON.stringify(made.body)}`);
    const task: Acknowledged = {
      taskId: made.body.id,
      buyer,
      seller,
      status: made.body.status,
      output: null,
      feedback: null,
      refunded: false,
    };
    traffic.acknowledged.set(task.taskId, task);
    const path = `/tasks/${task.taskId}`;
    const agent = { key: seller.key };
    const output = `done ${randomUUID()}`;
    const advance = async (): Promise<Reply> => {
      if (rank[task.status] === 0) return insist('POST', `${path}/executing`, { ...agent, body: { sandboxId: 'own' } });
      if (task.status === 'executing')
        return insist('POST', `${path}/complete`, { ...agent, body: { output: { result: output } } });
      await sleep(50);
      return insist('GET', path, agent);
    };
    while (rank[task.status] < 3) {
      let reply = await advance();
      // A 409 after a lost reply says that the step was taken; the task itself tells how far it is.
      if (reply.status === 409) reply = await insist('GET', path, agent);
      if (reply.status !== 200)
        throw new Error(`${path} was answered with ${reply.status} ${JSON.stringify(reply.body)}`);
      task.status = reply.body.status;
      if (rank[task.status] >= 2) task.output = output;
    }
    // A third of each buyer's tasks; one that had nearly all refunded would find no agents.
    const turn = Math.floor(n / buyers.length) % 3;
    if (turn === 0 || task.status !== 'completed') return;
    const direction = turn === 1 ? 'up' : 'down';
    const given = await insist('POST', `${path}/feedback`, { token: buyer.token, body: { direction } });
    // A repeated thumbs-down finds its task refunded already.
    if (given.status !== 200 && given.status !== 409) throw new Error(`feedback was answered with ${given.status}`);
    task.feedback = direction;
    task.refunded = direction === 'down';
    if (task.refunded) task.status = 'refunded';
  }

  let next = 0;
  const running = Array.from({ length: clients }, async () => {
    while (!stopping) await lifecycle(next++);
  });
  const all = Promise.all(running);
  all.catch(() => undefined);
  traffic.finish = async () => {
    stopping = true;
    await all;
  };
  return traffic;
}
