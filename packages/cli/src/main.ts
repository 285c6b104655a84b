import { judgeState, packageVersion, settingsTable } from '@agora/server';
import { Command } from 'commander';
import { backupCommand, restoreCommand } from './backup.ts';
import { clearFlagCommand } from './clear-flag.ts';
import { listMailCommand, showMailCommand } from './mail.ts';
import { migrateCommand } from './migrate.ts';
import { ownerCommand } from './owner.ts';
import { recomputeReputationCommand } from './recompute-reputation.ts';
import { reconcileCommand } from './reconcile.ts';
import { refundCommand } from './refund.ts';
import { revenueCommand } from './revenue.ts';
import { rotateEncryptionKeyCommand } from './rotate-encryption-key.ts';
import { rotateSigningKeyCommand } from './rotate-signing-key.ts';
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
  .command('backup')
  .description('Write database, objects and files to one file, as they are at one moment; servers may be at work')
  .argument('<file|directory>', 'a new file, or a directory for a file named after the time')
  .action(backupCommand);
program
  .command('restore')
  .description('Restore a backup into an empty database and data directory, then verify the ledger')
  .argument('<file>', 'what `agora backup` wrote; it is checked before anything is changed')
  .option('--force', 'replace what the database has')
  .option('--without-key', 'restore although the secret is lost; what it encrypted stays unreadable')
  .action(restoreCommand);
program
  .command('verify-ledger')
  .description('Prove sums, balances and holds from the ledger entries alone; exits 1 if anything contradicts them')
  .option('--json', 'print the result as JSON')
  .action(verifyLedgerCommand);
program
  .command('verify-receipt')
  .description('Verify the receipt of a task offline; exits 1 if it was changed, 2 if no key was given')
  .argument('<file>', 'the JSON of GET /api/v1/tasks/:taskId/receipt')
  .option(
    '--public-key <key>',
    'a file with the reply of GET /.well-known/jwks.json, or the publicKey of GET /api/v1/receipt-key',
  )
  .option('--json', 'print the result as JSON')
  .action(verifyReceiptCommand);
program
  .command('recompute-reputation')
  .description('Compute all reputations anew from the event log; exits 1 if a stored value differs')
  .option('--write', 'replace the stored values that differ')
  .option('--json', 'print the result as JSON')
  .action(recomputeReputationCommand);
program
  .command('reconcile')
  .description('Recompute balances and compare them with the payment processor; exits 1 if findings are open')
  .option('--json', 'print the result as JSON')
  .action(reconcileCommand);
program
  .command('clear-flag')
  .description('Remove the reconciliation flag from an agent’s wallet, so that withdrawals work again')
  .argument('<agentId>', 'agt_…')
  .requiredOption('--reason <text>', 'why it is in order, for the audit trail')
  .option('--by <name>', 'who does it, for the audit trail; default: the user of the machine')
  .action(clearFlagCommand);
program
  .command('owner')
  .description('Change an owner’s plan, suspend or reinstate the account, or turn its second factor off')
  .argument('<owner>', 'own_… or the e-mail address')
  .requiredOption('--reason <text>', 'why, for the owner and the audit trail')
  .option('--plan <plan>', 'free, pro or enterprise')
  .option('--status <status>', 'active or suspended')
  .option('--totp <off>', 'off: for an owner who has lost the authenticator app and the recovery codes')
  .option('--by <name>', 'who does it, for the audit trail; default: the user of the machine')
  .action(ownerCommand);
const mail = program.command('mail').description('Read the mail that a server without SMTP_URL has kept');
mail
  .command('list', { isDefault: true })
  .description('List kept mail, newest first')
  .option('--json', 'print it as JSON')
  .action(listMailCommand);
mail
  .command('show')
  .description('Print one mail')
  .argument('<number>', 'its number in the list; 1 is the newest')
  .option('--json', 'print it as JSON')
  .action(showMailCommand);
program
  .command('refund')
  .description('Refund a top-up to its card, from credits that the owner has not spent')
  .argument('<topUpId>', 'txn_… of the top-up in its owner’s transactions, or agora_intent_id of the charge')
  .requiredOption('--reason <text>', 'why, for the owner and the audit trail')
  .option('--amount <cents>', 'cents to refund; default: all of the top-up that was not refunded yet')
  .option('--by <name>', 'who does it, for the audit trail; default: the user of the machine')
  .action(refundCommand);
program
  .command('revenue')
  .description('Print fees, volume and refunds in cents, by UTC day or month')
  .option('--from <date>', 'first day, for example 2026-11-01; default: the first of this month')
  .option('--to <date>', 'last day; default: today')
  .option('--by <period>', 'day or month', 'day')
  .option('--json', 'print the result as JSON')
  .action(revenueCommand);
program
  .command('rotate-signing-key')
  .description('Have a new key sign receipts and attestations; earlier public keys stay published')
  .requiredOption('--reason <text>', 'why, for the audit trail')
  .option('--by <name>', 'who does it, for the audit trail; default: the user of the machine')
  .action(rotateSigningKeyCommand);
program
  .command('rotate-encryption-key')
  .description('Encrypt what is stored with another AGORA_ENCRYPTION_KEY; all servers must be stopped')
  .requiredOption('--new-key-file <file>', 'a file with the new key, of 32 characters or more')
  .requiredOption('--reason <text>', 'why, for the audit trail')
  .option('--by <name>', 'who does it, for the audit trail; default: the user of the machine')
  .action(rotateEncryptionKeyCommand);

await program.parseAsync().catch((error: Error) => {
  console.error(`agora: ${error.message}`);
  process.exitCode = 1;
});
