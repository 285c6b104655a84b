import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agora, type AgoraError } from '@agora-market/sdk';
import { createWorker, type Work } from '@agora-market/sdk/worker';

/** Buyers and workers of the SDK, as people use it, and callers that try once: with books of their own about all they are told. */

const kinds = ['plain', 'sandbox', 'stream', 'webhook'] as const;
export type Kind = (typeof kinds)[number];
const kindOf = (n: number) => kinds[n % kinds.length] as Kind;

/** A task as its buyer and its worker know it. */
export interface Journey {
  n: number;
  kind: Kind;
  buyer: number;
  /** When it was begun, in Unix milliseconds. */
  at: number;
  /** What the submission was acknowledged with. */
  id?: string;
  refused?: string;
  end?: { status: string; charged: number; why: string | undefined };
  /** Ids of the events that its stream has told. */
  told: string[];
}

/** What a caller without retries met. */
export interface Try {
  kind: 'read' | 'write';
  /** Unix milliseconds. */
  at: number;
  ms: number;
  error?: string;
}

export interface Books {
  journeys: Journey[];
  tries: Try[];
  /** Writes that were acknowledged to a caller without retries, and those that were not, by what they say. */
  once: Map<string, string | null>;
  /** Journeys whose buyer gave up waiting or following. */
  broken: string[];
}

export interface Traffic {
  books: Books;
  buyers: Agora[];
  /** The caller that tries once. */
  trier: Agora;
  workers: Agora[];
  /** Credits that each buyer has bought. */
  bought: number;
  /** Resolves when everything that was begun has ended. */
  stop(): Promise<void>;
}

/** Beyond so many tasks under way no more are begun, as a user would not: after a fault the backlog has to end some time. */
const mostAtOnce = 40;
const price = 400;
const bought = 1_000_000;
/** Longer than a busy machine takes, and than a balancer needs to notice a server that hangs. */
const tryForMs = 15_000;

const nameOf = (error: unknown) => {
  const { status, code } = error as AgoraError;
  return String(status ?? code ?? error);
};

export async function startTraffic(
  { url, hookUrl }: { url: string; hookUrl: string },
  perSecond: number,
): Promise<Traffic> {
  const anyone = new Agora({ baseUrl: url });
  const owner = async (name: string) => {
    const { token } = await anyone.auth.signUp({ name, email: `${name}@example.com`, password: 'correct horse' });
    return anyone.withOptions({ ownerToken: token });
  };
  const buyer = async (name: string) => {
    const agora = await owner(name);
    await agora.vault.addPaymentMethod({ paymentMethodId: 'pm_card_visa' });
    await agora.vault.topUp({ amount: bought });
    return agora;
  };
  const agent = async (name: string) => {
    const { agent, apiKey } = await (await owner(name)).agents.register({
      ...{ displayName: name, framework: 'custom', capabilities: [{ category: 'general', tags: [] }] },
      pricing: { model: 'per_task', baseRate: price, currency: 'USD' },
    });
    const agora = anyone.withOptions({ agentKey: apiKey });
    await agora.webhooks.createMine({ url: hookUrl, events: ['task_completed', 'task_failed'] });
    return { id: agent.id, agora };
  };
  const buyers = [await buyer('buyer1'), await buyer('buyer2'), await buyer('buyer3'), await buyer('buyer4')];
  const agents = [await agent('seller1'), await agent('seller2'), await agent('seller3'), await agent('seller4')];
  const [trier, idle] = [await buyer('trier'), await agent('idle')];
  const books: Books = { journeys: [], tries: [], once: new Map(), broken: [] };

  const ending = new AbortController();
  const workers = agents.map(({ agora }) =>
    createWorker({
      ...{ agora, handle: work, concurrency: 20, waitSeconds: 10 },
      // What a worker meets shows in its tasks.
      onError: () => {},
    }).run({ signal: ending.signal }),
  );

  async function live(n: number): Promise<void> {
    const kind = kindOf(n);
    const journey: Journey = { n, kind, buyer: n % buyers.length, at: Date.now(), told: [] };
    books.journeys.push(journey);
    const { tasks } = buyers[journey.buyer] as Agora;
    const agentId = agents[(n >> 2) % agents.length]?.id;
    const submitted = await tasks
      .submit({ taskType: 'general', maxBudget: 500, agentId, input: inputOf(kind, n) })
      .catch((error) => {
        journey.refused = nameOf(error);
      });
    if (!submitted) return;
    journey.id = submitted.id;
    const following = kind === 'stream' ? follow(tasks, journey) : undefined;
    const { status, creditsCharged, errorMessage } = await tasks.wait(submitted.id);
    journey.end = { status, charged: creditsCharged ?? 0, why: errorMessage };
    await following;
  }

  let isOver = false;
  const again = async (each: () => unknown, everyMs: number) => {
    while (!isOver) {
      void each();
      await sleep(everyMs);
    }
  };
  const oneTry = async (kind: Try['kind'], call: () => Promise<unknown>) => {
    const one: Try = { kind, at: Date.now(), ms: 0 };
    await call().catch((error) => {
      one.error = nameOf(error);
    });
    one.ms = Date.now() - one.at;
    books.tries.push(one);
  };
  const impatient = { maxRetries: 0, timeoutMs: tryForMs };
  const write = async () => {
    const description = `once ${randomUUID()}`;
    books.once.set(description, null);
    const { id } = await trier.tasks.submit(
      { taskType: 'general', maxBudget: 500, agentId: idle.id, input: { description } },
      impatient,
    );
    books.once.set(description, id);
  };

  const living: Promise<void>[] = [];
  let underWay = 0;
  const begin = () => {
    if (underWay === mostAtOnce) return;
    underWay += 1;
    const n = books.journeys.length;
    const life = live(n)
      .catch((error) => void books.broken.push(`${describe(kindOf(n), n)}: ${nameOf(error)} ${error}`))
      .finally(() => {
        underWay -= 1;
      });
    living.push(life);
  };
  const loops = [
    again(begin, 1_000 / perSecond),
    again(() => living.push(oneTry('read', () => trier.vault.getPool(impatient))), 250),
    again(() => living.push(oneTry('write', write)), 500),
  ];
  return {
    books,
    buyers,
    trier,
    workers: agents.map(({ agora }) => agora),
    bought,
    async stop() {
      isOver = true;
      await Promise.all(loops);
      await Promise.all(living);
      ending.abort();
      await Promise.all(workers);
    },
  };
}

const inputOf = (kind: Kind, n: number) => ({
  description: describe(kind, n),
  ...(kind === 'sandbox' && {
    files: { 'given.txt': 'given' },
    acceptance: { checks: [{ name: 'kept', command: `grep -qx 'given ${n}' work.txt` }] },
  }),
});

/** Which is how the books find a task whose acknowledgement was lost. */
export const describe = (kind: Kind, n: number) => `${kind} #${n}`;

export const artifactOf = (n: number) => `given ${n}\n`;

async function work({ task, sandbox, progress }: Work) {
  const [kind, n] = (task.input.description as string).split(' #');
  if (kind === 'sandbox') {
    await sandbox.write('number.txt', String(n));
    const { exitCode, stdout, stderr } = await sandbox.exec(
      'sleep 1; mkdir -p output; echo "$(cat given.txt) $(cat number.txt)" | tee work.txt > output/work.txt',
    );
    return { result: `${exitCode} ${stdout} ${stderr}` };
  }
  if (kind === 'stream') for (const percent of [30, 60, 90]) await progress({ percent });
  return { result: `done ${n}` };
}

async function follow(tasks: Agora['tasks'], { id = '', told }: Journey): Promise<void> {
  for await (const event of tasks.stream(id)) if (event.id !== null) told.push(event.id);
}
