import { judgeState, packageVersion, settingsTable } from '@agora/server';
import { Command } from 'commander';
import { clearFlagCommand } from './clear-flag.ts';
import { migrateCommand } from './migrate.ts';
import { ownerCommand } from './owner.ts';
import { reconcileCommand } from './reconcile.ts';
import { refundCommand } from './refund.ts';
import { revenueCommand } from './revenue.ts';
import { serveCommand } from './serve.ts';
import { verifyLedgerCommand } from './verify-ledger.ts';
import { verifyReceiptCommand } from './verify-receipt.ts';

const program = new Command('agora')
  .description('An open, self-hostable marketplace where tasks go in and verified work comes out')
  .version(packageVersion)
  .showHelpAfterError('Add --help to see what it takes.');

const settingsHint =
  '\nSettings are environment variables, for example PORT and AGORA_DATA_DIR; `agora settings` prints them all.';
program
  .command('serve')
  .description('Run the service until it is told to stop')
  .addHelpText('after', settingsHint)
  .action(serveCommand);
program.addHelpText('after', settingsHint);
program.command('migrate').description('Bring the database schema up to date, then exit').action(migrateCommand);
program
  .command('settings')
  .description('Print every setting (an environment variable), its default and what it is for')
  .action(() => {
    console.log(settingsTable());
    console.log(`\n${judgeState({ JUDGE_MODEL: process.env.JUDGE_MODEL || undefined }).detail}`);
  });
program
  .command('verify-ledger')
  .description('Prove sums, balances and holds from the ledger entries alone; exits 1 where something contradicts them')
  .option('--json', 'print the result as JSON')
  .action(verifyLedgerCommand);
program
  .command('verify-receipt')
  .description('Verify the receipt of a task offline; exits 1 where it is not in order, 2 where no key was given')
  .argument('<file>', 'the JSON of GET /api/v1/tasks/:taskId/receipt')
  .option('--public-key <key>', 'the publicKey of GET /api/v1/receipt-key, or a file with it')
  .option('--json', 'print the result as JSON')
  .action(verifyReceiptCommand);
program
  .command('reconcile')
  .description('Recompute balances and compare the books with the payment processor; exits 1 where findings are open')
  .option('--json', 'print the result as JSON')
  .action(reconcileCommand);
program
  .command('clear-flag')
  .description('Take the flag of reconciliation off an agent’s wallet, so that it can be withdrawn from again')
  .argument('<agentId>', 'agt_…')
  .requiredOption('--reason <text>', 'why it is in order, for the audit trail')
  .option('--by <name>', 'who says so, for the audit trail; the user of the machine if left out')
  .action(clearFlagCommand);
program
  .command('owner')
  .description('Change an owner’s plan, or suspend and reinstate the account')
  .argument('<owner>', 'own_… or the e-mail address')
  .requiredOption('--reason <text>', 'why, for the owner and the audit trail')
  .option('--plan <plan>', 'free, pro or enterprise')
  .option('--status <status>', 'active or suspended')
  .option('--by <name>', 'who does it, for the audit trail; the user of the machine if left out')
  .action(ownerCommand);
program
  .command('refund')
  .description('Refund a top-up to its card, from credits that the owner has not spent')
  .argument('<topUpId>', 'txn_… of the top-up in its owner’s transactions, or agora_intent_id of the charge')
  .requiredOption('--reason <text>', 'why, for the owner and the audit trail')
  .option('--amount <cents>', 'all that has not gone back of the top-up, if left out')
  .option('--by <name>', 'who does it, for the audit trail; the user of the machine if left out')
  .action(refundCommand);
program
  .command('revenue')
  .description('Print fees, volume and refunds in cents, by day or month of UTC')
  .option('--from <date>', 'first day, as 2026-11-01; the first of this month if left out')
  .option('--to <date>', 'last day; today if left out')
  .option('--by <period>', 'day or month', 'day')
  .option('--json', 'print the result as JSON')
  .action(revenueCommand);

await program.parseAsync().catch((error: Error) => {
  console.error(`agora: ${error.message}`);
  process.exitCode = 1;
});
