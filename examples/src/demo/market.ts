import { Agora, type Task, verifyReceipt } from '@agora-market/sdk';
import { fixtureFiles } from '../fixtures.ts';
import { aside, bad, dollars, good, step, table } from './print.ts';

/** The parties: a buyer, and a seller with two agents. */
export interface Market {
  url: string;
  buyer: Agora;
  seller: Agora;
  fixer: { id: string; key: string; agora: Agora };
  careless: { id: string; key: string; agora: Agora };
}

async function signUp(url: string, name: string, email: string): Promise<Agora> {
  const password = crypto.randomUUID();
  const { token } = await new Agora({ baseUrl: url }).auth.signUp({ name, email, password });
  return new Agora({ baseUrl: url, ownerToken: token });
}

export async function openMarket(url: string, operatorToken: string): Promise<Market> {
  const buyer = await signUp(url, 'Ada', 'ada@example.com');
  const seller = await signUp(url, 'Grace', 'grace@example.com');
  const { auth } = new Agora({ baseUrl: url, operatorToken });
  for (const email of ['ada@example.com', 'grace@example.com'])
    await auth.updateOwner(email, { emailVerified: true, reason: 'Nobody reads the mail of the demo' });
  step('two owners signed up: Ada, who buys, and Grace, who runs agents');

  await buyer.vault.addPaymentMethod({ paymentMethodId: 'pm_card_visa' });
  const { newBalance } = await buyer.vault.topUp({ amount: 5000 });
  step(`Ada saved a test card and topped her pool up to ${dollars(newBalance)}`);

  const register = async (displayName: string, category: 'bug_fix' | 'testing', baseRate: number) => {
    const { agent, apiKey } = await seller.agents.register({
      displayName,
      framework: 'custom',
      model: 'rule-based',
      description: `${displayName} of the demo`,
      capabilities: [{ category, tags: ['javascript'] }],
      pricing: { model: 'per_task', baseRate, currency: 'USD' },
    });
    step(`Grace registered ${displayName} (${category}, ${dollars(baseRate)} a task)`);
    return { id: agent.id, key: apiKey, agora: new Agora({ baseUrl: url, agentKey: apiKey }) };
  };
  const fixer = await register('Fixer', 'bug_fix', 400);
  const careless = await register('Careless', 'testing', 250);
  return { url, buyer, seller, fixer, careless };
}

/** Ada's own cases, which no agent sees: the cart runs apart from the script that knows the right totals. */
const heldOutCases = `total() {
  delivered node --input-type=module -e "
    import { Cart } from './cart/src/cart.js';
    console.log(new Cart().add('x', $1, $2).total())"
}
test "$(total 250 10)" = 2620 && test "$(total 90 30)" = 2790 && test "$(total 1200 3)" = 4095
`;

/** The real input: a small shop cart with a failing test, and the checks that decide whether it was fixed. */
export async function submitRepair(market: Market, taskType: 'bug_fix' | 'testing', maxBudget: number): Promise<Task> {
  const task = await market.buyer.tasks.submit({
    taskType,
    maxBudget,
    input: {
      description: 'The cart computes a wrong total. Find the bug and make all tests pass.',
      files: await fixtureFiles('cart'),
      acceptance: {
        checks: [
          { name: 'all tests of the cart pass', command: 'cd cart && node --test' },
          { name: "Ada's held-out cases", command: 'sh held/cases.sh' },
        ],
        files: { 'held/cases.sh': heldOutCases },
      },
      tags: ['javascript'],
    },
  });
  step(`Ada submitted ${task.id} (${taskType}): ${dollars(maxBudget)} held, agreed price ${dollars(task.price ?? 0)}`);
  return task;
}

/** Follows a task's event stream to its end, and prints the gate's evidence. */
export async function follow(market: Market, taskId: string): Promise<Task> {
  for await (const event of market.buyer.tasks.stream(taskId)) {
    if (event.event === 'progress') step(`  the agent tells Ada: ${event.data.message}`);
    if (event.event !== 'status') continue;
    step(`  status ${event.data.status}`);
    if (event.data.status === 'quality_check') aside('the gate runs the checks over what was delivered');
  }
  const task = await market.buyer.tasks.get(taskId);
  const verdict = task.status === 'completed' ? good('completed') : bad(task.status);
  step(`the gate scored it ${task.qualityScore} of 100: ${verdict}, charged ${dollars(task.creditsCharged ?? 0)}`);
  if (task.assessmentId) {
    const { criteria } = await market.buyer.courts.getAssessment(task.assessmentId);
    for (const { name, score, evidence } of criteria) {
      aside(`${name}: ${score ?? 'not run'} · ${openingOf(evidence)}`);
    }
  }
  return task;
}

/** The evidence of a criterion, without the output that it may quote. */
const openingOf = (evidence: string): string => evidence.split('\n')[0]!.replace(/ Output ends:$/, '');

/** Where all credits are now. */
export async function printMoney(market: Market): Promise<void> {
  const pool = await market.buyer.vault.getPool();
  const fixer = await market.fixer.agora.vault.getWallet();
  const careless = await market.careless.agora.vault.getWallet();
  const inAccounts =
    pool.balance + pool.held + fixer.available + fixer.escrowed + careless.available + careless.escrowed;
  table(
    ["Ada's pool", 'held', 'Fixer: in escrow', 'to spend', 'Careless', 'fees'],
    [
      [
        dollars(pool.balance),
        dollars(pool.held),
        dollars(fixer.escrowed),
        dollars(fixer.available),
        dollars(careless.escrowed + careless.available),
        dollars(5000 - inAccounts),
      ],
    ],
  );
}

/** Every movement of one task, from both sides, in the order in which they happened. */
export async function printTaskMoney(market: Market, taskId: string): Promise<void> {
  const rows: string[][] = [];
  for (const [whose, list] of [
    ['Fixer', market.fixer.agora.vault.walletTransactions({ pageSize: 100 })],
    ['Ada', market.buyer.vault.poolTransactions({ pageSize: 100 })],
  ] as const) {
    // Statements are newest first.
    for await (const entry of list) {
      if (entry.taskId !== taskId) continue;
      rows.unshift([`${whose}: ${entry.account}`, entry.cause, dollars(entry.amount), dollars(entry.balanceAfter)]);
    }
  }
  table(['account', 'cause', 'amount', 'balance after'], rows);
}

export async function printTimeline(market: Market, taskId: string): Promise<void> {
  const rows: string[][] = [];
  for await (const event of market.buyer.tasks.events(taskId, { pageSize: 100 })) {
    rows.push([event.timestamp.slice(11, -1), event.eventType, factsOf(event.data)]);
  }
  table(['time (UTC)', 'event', 'what it says'], rows);
}

const amounts = new Set(['amount', 'price', 'fee', 'payout', 'maxBudget']);

/** The data of an event as words, without null values. */
const factsOf = (data: Record<string, unknown>): string =>
  Object.entries(data)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} ${amounts.has(name) ? dollars(Number(value)) : textOf(value)}`)
    .join(', ');

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The task's signed receipt, verified here: the server is not asked again. */
export async function printReceipt({ buyer }: Market, taskId: string): Promise<boolean> {
  const keys = await buyer.system.jwks();
  const receipt = await buyer.tasks.receipt(taskId);
  const { valid, problems } = await verifyReceipt(receipt, keys);
  const verdict = valid ? good('nothing was changed, dropped or added') : bad(problems.join(' '));
  step(`Ada verified the signed receipt of its ${receipt.entries.length} events: ${verdict}`);
  return valid;
}
