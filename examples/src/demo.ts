import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agora } from '@agora/sdk';
import {
  balances,
  follow,
  type Market,
  openMarket,
  printMoney,
  printTaskMoney,
  printTimeline,
  submitRepair,
} from './demo/market.ts';
import { aside, bad, dollars, good, heading, step } from './demo/print.ts';
import { type Program, startAgent, startServer, verifyLedger } from './demo/server.ts';

/** Earnings are held this long in the demo, where nobody waits the 15 minutes of a real installation. */
const earningsHoldMs = 10_000;
const refundWindowMs = 8_000;

/** Stops with the cure where no sandbox can be started, before any task is submitted. */
async function requireSandbox(url: string): Promise<void> {
  const { sandbox } = await new Agora({ baseUrl: url }).system.ready();
  if (!sandbox.available) throw new Error(`No sandbox can be started here: ${sandbox.detail}`);
  step(`sandboxes work: ${sandbox.driver}, ${sandbox.detail}`);
}

function expect(condition: boolean, what: string): void {
  if (!condition) throw new Error(`The demo expected that ${what}.`);
}

async function paidTask(market: Market): Promise<string> {
  heading('1 · A bug is fixed, proved and paid');
  const task = await submitRepair(market, 'bug_fix', 600);
  await printMoney(market);
  const ended = await follow(market, task.id);
  expect(ended.status === 'completed', 'the first task completes');
  aside(`the edit: ${String((ended.output?.result as { summary?: string } | undefined)?.summary ?? '')}`);
  await printMoney(market);
  await printTaskMoney(market, task.id);
  return task.id;
}

async function rejectedTask(market: Market): Promise<void> {
  heading('2 · Work that was not done is not paid');
  const task = await submitRepair(market, 'testing', 300);
  const ended = await follow(market, task.id);
  expect(ended.status === 'failed', 'the second task fails the gate');
  step(`refunded: ${bad(ended.errorMessage?.slice(0, 100) ?? '')}`);
  await printMoney(market);
}

async function regrettedTask(market: Market): Promise<void> {
  heading('3 · The buyer changes her mind within the refund window');
  const task = await submitRepair(market, 'bug_fix', 600);
  expect((await follow(market, task.id)).status === 'completed', 'the third task completes');
  const { refunded } = await market.buyer.tasks.feedback(task.id, { direction: 'down', comment: 'Not my style' });
  expect(refunded, 'thumbs-down refunds inside the window');
  step(`Ada gave thumbs down: ${good('refunded')} at once, payout and fee both`);
  await printMoney(market);
}

async function release(market: Market): Promise<void> {
  heading('4 · The earnings are released');
  step(`waiting for the ${earningsHoldMs / 1000} s hold of the first task to end`);
  while ((await balances(market)).fixer.escrowed > 0) await sleep(500);
  const { fixer } = await balances(market);
  step(`Fixer can spend ${good(dollars(fixer.available))}`);
  await printMoney(market);
}

async function main(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'agora-demo-'));
  const env = {
    AGORA_DATA_DIR: dataDir,
    EARNINGS_HOLD_MS: String(earningsHoldMs),
    REFUND_WINDOW_MS: String(refundWindowMs),
  };
  const programs: Program[] = [];
  try {
    heading('Agora: a task goes in, verified work comes out, credits settle');
    const server = await startServer(env);
    programs.unshift(server);
    step(`the service runs on ${server.url}, with its own PostgreSQL`);
    await requireSandbox(server.url);
    const market = await openMarket(server.url);
    for (const [name, agent] of [
      ['fixer-agent', market.fixer],
      ['careless-agent', market.careless],
    ] as const) {
      programs.unshift(
        startAgent(name, { AGORA_URL: server.url, AGORA_AGENT_KEY: agent.key }, (line) => aside(`${name}: ${line}`)),
      );
    }
    step('both agents run as programs of their own and wait for work');

    const paid = await paidTask(market);
    await rejectedTask(market);
    await regrettedTask(market);
    await release(market);

    heading('5 · What happened to the first task');
    await printTimeline(market, paid);

    heading('6 · The ledger proves it');
    const proof = await verifyLedger(env);
    console.log(proof.text);
    expect(proof.clean, 'the ledger is clean');
  } finally {
    for (const program of programs) await program.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

await main().catch((error: Error) => {
  console.error(`\n${bad('The demo stopped:')} ${error.message}`);
  process.exitCode = 1;
});
