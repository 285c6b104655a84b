import { type Agora, AgoraError, type Task } from '@agora-market/sdk';
import { type Chance, chance } from '../../packages/server/test/simulation/chance.ts';

/** Cents that every actor has before the faults begin. */
const startingCents = 50_000;

export type Kind =
  | 'sign up'
  | 'register'
  | 'token'
  | 'top up'
  | 'allocate'
  | 'reclaim'
  | 'transfer'
  | 'submit'
  | 'start'
  | 'complete'
  | 'cancel'
  | 'feedback';

/** One call: what it does is found by `key` afterwards. */
export interface Operation {
  kind: Kind;
  key: string;
  /** `refused`: by the rules, so nothing was done. `unknown`: it failed, and may have been done or not. */
  outcome: 'acknowledged' | 'refused' | 'unknown';
}

export interface Seller {
  id: string;
  name: string;
  agora: Agora;
}

/** Clients of the server: through the faults, or straight. */
export type Connect = (credentials: { ownerToken?: string; agentKey?: string }) => Agora;

/** An owner with two agents who does one thing after the other, through a connection with faults. */
export class Actor {
  readonly operations: Operation[] = [];
  readonly email: string;
  /** Without faults, for the audit. */
  direct!: Agora;
  agents: Seller[] = [];
  readonly #index: number;
  readonly #faulty: Connect;
  readonly #straight: Connect;
  readonly #chance: Chance;
  #owner!: Agora;
  #serial = 0;
  readonly #open: Task[] = [];

  constructor(index: number, seed: number, faulty: Connect, straight: Connect) {
    this.#index = index;
    this.#faulty = faulty;
    this.#straight = straight;
    this.#chance = chance(seed * 31 + index);
    this.email = `actor-${seed}-${index}@example.com`;
  }

  /** Signs up and registers two agents, until both are known to be there. */
  async begin(): Promise<void> {
    const account = { email: this.email, password: 'correct horse' };
    await this.#try('sign up', this.email, () => this.#faulty({}).auth.signUp({ name: 'Actor', ...account }));
    const straight = this.#straight({}).auth;
    const { token } = await straight.signIn(account).catch(async (error) => {
      if (this.operations[0]?.outcome !== 'unknown') throw error;
      return await straight.signUp({ name: 'Actor', ...account });
    });
    this.#owner = this.#faulty({ ownerToken: token });
    this.direct = this.#straight({ ownerToken: token });
    await this.direct.vault.addPaymentMethod({ paymentMethodId: 'pm_card_visa' });
    await this.direct.vault.topUp({ amount: startingCents });
    this.operations.push({ kind: 'top up', key: `${this.email} ${startingCents}`, outcome: 'acknowledged' });
    while (this.agents.length < 2) await this.#register();
  }

  async #register(): Promise<void> {
    const displayName = this.#key('Agent');
    const made = await this.#try('register', displayName, () =>
      this.#owner.agents.register({
        displayName,
        framework: 'custom',
        model: 'test-model',
        description: 'Works under faults',
        capabilities: [{ category: 'general', tags: [] }],
        pricing: { model: 'per_task', baseRate: 101 + this.#index, currency: 'USD' },
      }),
    );
    if (made)
      this.agents.push({ id: made.agent.id, name: displayName, agora: this.#faulty({ agentKey: made.apiKey }) });
  }

  /** One or two operations, by chance. `sellers` are the agents of others. */
  async act(sellers: Seller[]): Promise<void> {
    const draw = this.#chance.below(100);
    const [first, second] = this.agents as [Seller, Seller];
    const cents = this.#cents();
    const key = `${this.email} ${cents}`;
    const { vault, tasks } = this.#owner;
    if (draw < 10) {
      const amount = 500 + cents;
      await this.#try('top up', `${this.email} ${amount}`, () => vault.topUp({ amount }));
    } else if (draw < 24) await this.#try('allocate', key, () => vault.allocate(first.id, { amount: cents }));
    else if (draw < 34) {
      const body = { fromAgentId: first.id, toAgentId: second.id, amount: cents };
      await this.#try('transfer', key, () => vault.transfer(body));
    } else if (draw < 42) await this.#try('reclaim', key, () => vault.reclaim(second.id, { amount: cents }));
    else if (draw < 45) {
      const name = this.#key('token');
      await this.#try('token', name, () => this.#owner.auth.createToken({ name }));
    } else if (draw < 65) {
      const description = this.#key('task');
      const agentId = this.#chance.of(sellers).id;
      const body = { taskType: 'general', maxBudget: 300 + this.#index, agentId, input: { description } } as const;
      const task = await this.#try('submit', description, () => tasks.submit(body));
      if (task) this.#open.push(task);
    } else if (draw < 69) await this.#endOne('cancel', (id) => tasks.cancel(id));
    else if (draw < 80) {
      const direction = this.#chance.yes(0.3) ? 'down' : 'up';
      await this.#endOne('feedback', (id) => tasks.feedback(id, { direction }));
    } else await this.#deliver(this.#chance.of(this.agents));
  }

  /** Does something once to an own task; the rules refuse it if the task is not ready for that. */
  async #endOne(kind: 'cancel' | 'feedback', call: (id: string) => Promise<unknown>): Promise<void> {
    const at = this.#chance.below(Math.max(1, this.#open.length));
    const task = this.#open[at];
    if (!task) return;
    await this.#try(kind, task.id, () => call(task.id));
    if (this.operations.at(-1)?.outcome !== 'refused') this.#open.splice(at, 1);
  }

  async #deliver({ agora }: Seller): Promise<void> {
    const [task] = (await agora.tasks.assigned().catch(() => ({ data: [] }))).data;
    if (!task) return;
    const output = { result: `The answer to ${task.id} is long enough` };
    if (!(await this.#try('start', task.id, () => agora.tasks.start(task.id, { sandboxId: 'own' })))) return;
    await this.#try('complete', task.id, () => agora.tasks.complete(task.id, { output }));
  }

  async #try<T>(kind: Kind, key: string, call: () => Promise<T>): Promise<T | undefined> {
    try {
      const reply = await call();
      this.operations.push({ kind, key, outcome: 'acknowledged' });
      return reply;
    } catch (error) {
      if (!(error instanceof AgoraError)) throw error;
      const isUnknown = error.status === null || error.status === 429 || error.status >= 500;
      this.operations.push({ kind, key, outcome: isUnknown ? 'unknown' : 'refused' });
      return undefined;
    }
  }

  /** Different in each call, so that a movement of money is found by its amount. */
  #cents = () => ++this.#serial;
  #key = (what: string) => `${what} ${this.#index}-${++this.#serial}`;
}
