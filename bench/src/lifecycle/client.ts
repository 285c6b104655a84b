import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, jsonBody, openConnection, requestHead } from './connection.ts';
import { priceCents, readPopulation } from './population.ts';

/** The client's job. */
export interface Load {
  /** One of each server; the requests of a buyer take turns among them. */
  ports: number[];
  /** Every owner in turn, or always the same one. */
  mode: 'spread' | 'hot';
  clients: number;
  warmUpMs: number;
  measureMs: number;
}

export interface LoadResult {
  /** Lifecycles that ended within the measured time. */
  lifecycles: number;
  seconds: number;
  /** All that were paid, warm-up and the last ones under way included. */
  total: number;
  p50Ms: number;
  p99Ms: number;
  perSecond: number[];
  /** CPU time of the client itself in the measured time. */
  cpuSeconds: number;
}

/** Messages of the client: the measured time begins, it has ended, and the result. */
export type ClientMessage = { at: 'start' | 'end' } | { result: LoadResult } | { error: string };

const population = readPopulation(process.argv[3] as string);
const owners = population.owners.map(({ token }) => `authorization: Bearer ${token}`);
const agents = population.agents.map(({ id, key }) => ({
  credential: `x-api-key: ${key}`,
  submission: jsonBody(
    JSON.stringify({
      taskType: 'general',
      maxBudget: priceCents,
      agentId: id,
      input: { description: 'Name three rivers of Europe and the countries they flow through.' },
    }),
  ),
}));
const startBody = jsonBody(JSON.stringify({ sandboxId: 'bench' }));
const completion = jsonBody(
  JSON.stringify({ output: { result: 'Danube, Rhine and Loire, through ten, six and one.' }, executionTimeMs: 5 }),
);

const report = (message: ClientMessage) => process.send?.(message);

/** One after the other for all clients, so that neighbours use different owners and agents. */
let turn = 0;
let nextPort = 0;

/** Runs paid lifecycles until it is stopped. It checks the status of each reply and of the task. */
class Buyer {
  private connections: Connection[] = [];
  private step = 0;
  private agent = agents[0]!;
  private taskId = '';
  private startedAt = 0;
  private readonly load: Load;
  private readonly onPaid: (startedAt: number) => boolean;
  private finish!: () => void;
  private fail!: (error: Error) => void;
  readonly finished: Promise<void>;

  /** `onPaid` returns whether to continue. */
  constructor(load: Load, onPaid: (startedAt: number) => boolean) {
    this.load = load;
    this.onPaid = onPaid;
    this.finished = new Promise((resolve, reject) => {
      this.finish = resolve;
      this.fail = reject;
    });
  }

  async open(): Promise<void> {
    const receive = (status: number, body: string) => this.receive(status, body);
    this.connections = await Promise.all(this.load.ports.map((port) => openConnection(port, receive, this.fail)));
  }

  submit(): void {
    const nth = turn++;
    const owner = owners[this.load.mode === 'hot' ? 0 : nth % owners.length] as string;
    this.agent = agents[nth % agents.length]!;
    this.step = 0;
    this.startedAt = performance.now();
    this.send(requestHead('POST', '/api/v1/tasks', owner) + this.agent.submission);
  }

  private send(request: string): void {
    this.connections[nextPort++ % this.connections.length]!.send(request);
  }

  private close(): void {
    for (const connection of this.connections) connection.close();
  }

  private receive(status: number, body: string): void {
    const expected = ['"status":"submitted"', '"status":"executing"', '"status":"completed"'][this.step] as string;
    if (status !== (this.step === 0 ? 201 : 200) || !body.includes(expected)) {
      this.close();
      this.fail(new Error(`step ${this.step} was answered with ${status} ${body.slice(0, 500)}`));
      return;
    }
    this.step += 1;
    if (this.step === 1) this.taskId = taskIdOf(body);
    if (this.step < 3) this.act();
    else this.paid(body);
  }

  private act(): void {
    const [verb, body] = this.step === 1 ? ['executing', startBody] : ['complete', completion];
    this.send(requestHead('POST', `/api/v1/tasks/${this.taskId}/${verb}`, this.agent.credential) + body);
  }

  private paid(body: string): void {
    if (!body.includes(`"creditsCharged":${priceCents}`) || !body.includes('"qualityScore":60')) {
      this.fail(new Error(`not paid as it should be: ${body}`));
    } else if (this.onPaid(this.startedAt)) this.submit();
    else {
      this.close();
      this.finish();
    }
  }
}

function taskIdOf(body: string): string {
  const at = body.indexOf('"id":"tsk_') + 6;
  return body.slice(at, at + 30);
}

async function run(load: Load): Promise<LoadResult> {
  const begin = performance.now() + load.warmUpMs;
  const end = begin + load.measureMs;
  const latencies: number[] = [];
  const perSecond = new Array<number>(Math.ceil(load.measureMs / 1000)).fill(0);
  let total = 0;
  const onPaid = (startedAt: number) => {
    const now = performance.now();
    total += 1;
    if (now >= begin && now < end) {
      latencies.push(now - startedAt);
      perSecond[Math.floor((now - begin) / 1000)]! += 1;
    }
    return now < end;
  };
  const buyers = Array.from({ length: load.clients }, () => new Buyer(load, onPaid));
  await Promise.all(buyers.map((buyer) => buyer.open()));
  let cpu = process.cpuUsage();
  setTimeout(() => {
    cpu = process.cpuUsage();
    report({ at: 'start' });
  }, load.warmUpMs);
  const ended = sleep(load.warmUpMs + load.measureMs).then(() => {
    cpu = process.cpuUsage(cpu);
    report({ at: 'end' });
  });
  for (const buyer of buyers) buyer.submit();
  await Promise.all([ended, ...buyers.map((buyer) => buyer.finished)]);
  latencies.sort((a, b) => a - b);
  return {
    lifecycles: latencies.length,
    seconds: load.measureMs / 1000,
    total,
    p50Ms: latencies[Math.floor(latencies.length / 2)] ?? Number.NaN,
    p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN,
    perSecond,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
  };
}

process.on('message', (load: Load) => {
  run(load).then(
    (result) => report({ result }),
    (error: Error) => report({ error: String(error.stack) }),
  );
});
process.on('disconnect', () => process.exit());
