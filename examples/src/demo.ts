import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agora } from '@agora-market/sdk';
import { serveGit } from './demo/git-server.ts';
import {
  follow,
  type Market,
  openMarket,
  printMoney,
  printReceipt,
  printTaskMoney,
  printTimeline,
  submitRepair,
} from './demo/market.ts';
import { fundOwnAgent, printStatement, reconcile, withdrawEarnings } from './demo/money.ts';
import { aside, bad, dollars, good, heading, plain, step } from './demo/print.ts';
import { fetchArtifacts, submitRepositoryRepair } from './demo/repository-task.ts';
import { type Program, startAgent, startServer, verifyLedger } from './demo/server.ts';
import { makeWebStack } from './demo/web-stack.ts';
import { mergeReal, prepareReal } from './real/run.ts';

/** Earnings are held this long in the demo, where nobody waits the 15 minutes of a real installation. */
const earningsHoldMs = 8_000;
const refundWindowMs = 6_000;

/** Stops with the cure where no sandbox can be started, before any task is submitted. */
async function requireSandbox(url: string): Promise<void> {
  const { sandbox } = await new Agora({ baseUrl: url }).system.ready();
  if (!sandbox.available) throw new Error(`No sandbox can be started here: ${sandbox.detail}`);
  step(`sandboxes work: ${sandbox.driver}, ${sandbox.detail}`);
}

function expect(condition: boolean, what: string): void {
  if (!condition) throw new Error(`The demo expected that ${what}.`);
}

async function paidTask(market: Market): Promise<void> {
  heading('1 · A bug is fixed, proved and paid');
  const task = await submitRepair(market, 'bug_fix', 600);
  await printMoney(market);
  const ended = await follow(market, task.id);
  expect(ended.status === 'completed', 'the first task completes');
  aside(`the edit: ${String((ended.output?.result as { summary?: string } | undefined)?.summary ?? '')}`);
  await printMoney(market);
  await printTaskMoney(market, task.id);
}

async function rejectedTask(market: Market): Promise<void> {
  heading('2 · Work that was not done is not paid');
  const task = await submitRepair(market, 'testing', 300);
  const ended = await follow(market, task.id);
  expect(ended.status === 'failed', 'the second task fails the gate');
  step(`refunded: ${bad(ended.errorMessage ?? '')}`);
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

/** The server of the repository joins the programs that the caller stops. */
async function repositoryTask(market: Market, programs: Program[]): Promise<string> {
  heading('4 · A real repository is cloned, repaired and tested');
  const stack = await makeWebStack();
  const size = `${stack.packages} packages, ${stack.files} files, ${(stack.bytes / 1e6).toFixed(1)} MB`;
  step(`a repository of Fastify and all it needs: ${size}, ${stack.commits} commits`);
  const git = await serveGit(stack, (line) => aside(`git server: ${line}`));
  programs.unshift(git);
  step(`it is served on ${git.url}, and its last commit broke something`);
  const task = await submitRepositoryRepair(market, git.url);
  const ended = await follow(market, task.id);
  expect(ended.status === 'completed', 'the fourth task completes');
  await fetchArtifacts(market, task.id);
  await printMoney(market);
  return task.id;
}

async function release(market: Market): Promise<void> {
  heading('5 · The earnings are released');
  step(`waiting for the ${earningsHoldMs / 1000} s hold of the last task to end`);
  const wallet = () => market.fixer.agora.vault.getWallet();
  while ((await wallet()).escrowed > 0) await sleep(1000);
  step(`Fixer can spend ${good(dollars((await wallet()).available))}`);
  await printMoney(market);
}

async function moneyMoves(market: Market, operatorToken: string): Promise<void> {
  heading('6 · Money goes where its owners want it');
  await fundOwnAgent(market);
  await withdrawEarnings(market, 500);
  await printStatement('Ada', market.buyer);
  await printStatement('Grace', market.seller);
  expect((await reconcile(market.url, operatorToken)) === 0, 'reconciliation finds nothing');
}

/** All of the demo goes with it, so the next thing to try is a place of one's own. */
function printNext(): void {
  heading('Next');
  plain(`npm start                    a marketplace of your own on http://127.0.0.1:4000,
                             every operation explained under /docs
README.md                    from nothing to a settled task with curl
examples/src/fixer-agent.ts  the agent that did the work here, to begin your own
docs/quality-gate.md         how a task says what counts as done`);
}

async function main(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'agora-demo-'));
  const operatorToken = crypto.randomUUID();
  const env = {
    AGORA_DATA_DIR: dataDir,
    AGORA_OPERATOR_TOKEN: operatorToken,
    // The repository of the demo is served on this machine.
    OUTBOUND_ALLOW_LOOPBACK: 'true',
    EARNINGS_HOLD_MS: String(earningsHoldMs),
    REFUND_WINDOW_MS: String(refundWindowMs),
    // Nobody stole the test card, and the demo does not last a week.
    PAYOUT_HOLD_MS: '0',
  };
  const programs: Program[] = [];
  try {
    heading('Agora: a task goes in, verified work comes out, credits settle');
    const real = await prepareReal(join(dataDir, 'projects'), programs);
    const server = await startServer({ ...env, ...real?.env });
    programs.unshift(server);
    step(`the service runs on ${server.url}, with its own PostgreSQL`);
    await requireSandbox(server.url);
    const market = await openMarket(server.url, operatorToken);
    for (const [name, agent] of [
      ['fixer-agent', market.fixer],
      ['careless-agent', market.careless],
    ] as const) {
      programs.unshift(
        startAgent(name, { AGORA_URL: server.url, AGORA_AGENT_KEY: agent.key }, (line) => aside(`${name}: ${line}`)),
      );
    }
    step('both agents run as programs of their own and wait for work');

    await paidTask(market);
    await rejectedTask(market);
    await regrettedTask(market);
    const repaired = await repositoryTask(market, programs);
    await release(market);
    await moneyMoves(market, operatorToken);

    if (real !== null) {
      heading('7 · Issues of three real projects become changes that are merged');
      await mergeReal(real, market, dataDir, programs);
    }

    heading('8 · What happened to the task with the repository');
    await printTimeline(market, repaired);
    expect(await printReceipt(market, repaired), 'the receipt is in order');

    heading('9 · The ledger proves it');
    const proof = await verifyLedger(env);
    plain(proof.text, 'BROKEN '.length);
    expect(proof.clean, 'the ledger is clean');
    printNext();
  } finally {
    for (const program of programs) await program.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

await main().catch((error: Error) => {
  console.error(`\n${bad('The demo stopped:')} ${error.message}`);
  process.exitCode = 1;
});
