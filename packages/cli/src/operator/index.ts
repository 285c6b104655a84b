import type { Command } from 'commander';
import { byOption, jsonOption, reasonOption } from '../options.ts';

/** Commands for the operator of an installation. They work on its database, also while servers run. */
export function addOperatorCommands(program: Command): void {
  addCopies(program);
  addChecks(program);
  addChanges(program);
  addMail(program);
  addTools(program);
  addSandboxImage(program);
}

function addCopies(program: Command): void {
  program
    .command('backup')
    .description('Write database, objects and files to one file, as they are at one moment; servers may be at work')
    .argument('<file|directory>', 'a new file, or a directory for a file named after the time')
    .addOption(jsonOption())
    .action(async (target, options) => (await import('./backup.ts')).backupCommand(target, options));
  program
    .command('restore')
    .description('Restore a backup into an empty database and data directory, then verify the ledger')
    .argument('<file>', 'what `agora backup` wrote; it is checked before anything is changed')
    .option('--force', 'replace what the database has')
    .option('--without-key', 'restore although the secret is lost; what it encrypted stays unreadable')
    .addOption(jsonOption())
    .action(async (file, options) => (await import('./backup.ts')).restoreCommand(file, options));
}

function addChecks(program: Command): void {
  program
    .command('stuck')
    .description('Print work that does not go on, with why and what to do; exits 1 if there is any')
    .addOption(jsonOption())
    .action(async (options) => (await import('./stuck.ts')).stuckCommand(options));
  program
    .command('owners')
    .description('Find owners by id or by a part of the e-mail address or the name, newest first')
    .argument('[words]', 'own_… or a part; all of them if left out')
    .option('--plan <plan>', 'free, pro or enterprise')
    .option('--status <status>', 'active or suspended')
    .addOption(jsonOption())
    .action(async (words, options) => (await import('./owners.ts')).ownersCommand(words, options));
  program
    .command('verify-ledger')
    .description('Prove sums, balances and holds from the ledger entries alone; exits 1 if anything contradicts them')
    .addOption(jsonOption())
    .action(async (options) => (await import('./verify-ledger.ts')).verifyLedgerCommand(options));
  program
    .command('verify-receipt')
    .description('Verify the receipt of a task offline; exits 1 if it was changed, 2 if no key was given')
    .argument('<file>', 'the JSON of GET /api/v1/tasks/:taskId/receipt')
    .option(
      '--public-key <key>',
      'a file with the reply of GET /.well-known/jwks.json, or the publicKey of GET /api/v1/receipt-key',
    )
    .addOption(jsonOption())
    .action(async (file, options) => (await import('./verify-receipt.ts')).verifyReceiptCommand(file, options));
  program
    .command('recompute-reputation')
    .description('Compute all reputations anew from the event log; exits 1 if a stored value differs')
    .option('--write', 'replace the stored values that differ')
    .addOption(jsonOption())
    .action(async (options) => (await import('./recompute-reputation.ts')).recomputeReputationCommand(options));
  program
    .command('reconcile')
    .description('Recompute balances and compare them with the payment processor; exits 1 if findings are open')
    .addOption(jsonOption())
    .action(async (options) => (await import('./reconcile.ts')).reconcileCommand(options));
  program
    .command('revenue')
    .description('Print fees, volume and refunds in cents, by UTC day or month')
    .option('--from <date>', 'first day, for example 2026-11-01; default: the first of this month')
    .option('--to <date>', 'last day; default: today')
    .option('--by <period>', 'day or month', 'day')
    .addOption(jsonOption())
    .action(async (options) => (await import('./revenue.ts')).revenueCommand(options));
}

function addChanges(program: Command): void {
  program
    .command('clear-flag')
    .description('Remove the reconciliation flag from an agent’s wallet, so that withdrawals work again')
    .argument('<agentId>', 'agt_…')
    .addOption(reasonOption('the audit trail'))
    .addOption(byOption())
    .addOption(jsonOption())
    .action(async (agentId, options) => (await import('./clear-flag.ts')).clearFlagCommand(agentId, options));
  program
    .command('owner')
    .description('Change an owner’s plan or status, take its address for verified, or turn its second factor off')
    .argument('<owner>', 'own_… or the e-mail address')
    .addOption(reasonOption('the owner and the audit trail'))
    .option('--plan <plan>', 'free, pro or enterprise')
    .option('--status <status>', 'active or suspended')
    .option('--verified', 'take the e-mail address for verified, where the server sends no mail')
    .option('--totp <off>', 'off: for an owner who has lost the authenticator app and the recovery codes')
    .addOption(byOption())
    .addOption(jsonOption())
    .action(async (owner, options) => (await import('./owner.ts')).ownerCommand(owner, options));
  program
    .command('refund')
    .description('Refund a top-up to its card, from credits that the owner has not spent')
    .argument('<topUpId>', 'txn_… of the top-up in its owner’s transactions, or agora_intent_id of the charge')
    .addOption(reasonOption('the owner and the audit trail'))
    .option('--amount <cents>', 'cents to refund; default: all of the top-up that was not refunded yet')
    .addOption(byOption())
    .addOption(jsonOption())
    .action(async (topUpId, options) => (await import('./refund.ts')).refundCommand(topUpId, options));
  addHeld(program);
  program
    .command('retry-jobs')
    .description('Let the jobs of a kind run again that were given up, at most 1000; `agora stuck` names them')
    .argument('<kind>', 'for example mail.send')
    .addOption(reasonOption('the audit trail'))
    .addOption(byOption())
    .addOption(jsonOption())
    .action(async (kind, options) => (await import('./retry-jobs.ts')).retryJobsCommand(kind, options));
  program
    .command('rotate-signing-key')
    .description('Have a new key sign receipts and attestations; earlier public keys stay published')
    .addOption(reasonOption('the audit trail'))
    .addOption(byOption())
    .addOption(jsonOption())
    .action(async (options) => (await import('./rotate-signing-key.ts')).rotateSigningKeyCommand(options));
  program
    .command('rotate-encryption-key')
    .description('Encrypt what is stored with another AGORA_ENCRYPTION_KEY; all servers must be stopped')
    .requiredOption('--new-key-file <file>', 'a file with the new key, of 32 characters or more')
    .addOption(reasonOption('the audit trail'))
    .addOption(byOption())
    .addOption(jsonOption())
    .action(async (options) => (await import('./rotate-encryption-key.ts')).rotateEncryptionKeyCommand(options));
}

function addHeld(program: Command): void {
  const held = program.command('held').description('Withdrawals and top-ups over a limit of a day, which wait for you');
  held
    .command('list', { isDefault: true })
    .description('List those that wait, newest first')
    .addOption(jsonOption())
    .action(async (options) => (await import('./held.ts')).listHeldCommand(options));
  const decisions = [
    ['release', 'Pay the withdrawal out, or let the owner make the top-up within a day'],
    ['refuse', 'Return the withdrawal to its wallet, or leave the top-up unmade'],
  ] as const;
  for (const [verb, description] of decisions) {
    held
      .command(verb)
      .description(description)
      .argument('<heldPaymentId>', 'hld_…')
      .addOption(reasonOption('the owner and the audit trail'))
      .addOption(byOption())
      .addOption(jsonOption())
      .action(async (id, options) => (await import('./held.ts')).decideHeldCommand(id, verb, options));
  }
}

function addTools(program: Command): void {
  const tools = program
    .command('tools')
    .description('Toolchains for sandboxes of this machine, such as Go or another Node');
  tools
    .command('list', { isDefault: true })
    .description('List those that were added')
    .addOption(jsonOption())
    .action(async (options) => (await import('./tools.ts')).listToolsCommand(options));
  tools
    .command('add')
    .description('Fetch toolchains from Debian or npm, and try each in a sandbox; servers need no restart')
    .argument('<source...>', 'go, rust, java, pytest, node@22, or packages of Debian: debian:golang-go')
    .option('--name <name>', 'its name for tasks; default: that of the tool or the package')
    .addOption(jsonOption())
    .action(async (sources, options) => (await import('./tools.ts')).addToolsCommand(sources, options));
  tools
    .command('remove')
    .description('Remove one; sandboxes that have it keep it until they end')
    .argument('<tool>', 'its name and version: go@1.19.8')
    .addOption(jsonOption())
    .action(async (tool, options) => (await import('./tools.ts')).removeToolCommand(tool, options));
}

function addSandboxImage(program: Command): void {
  program
    .command('sandbox-image')
    .description('Write what `docker build -` makes the image of SANDBOX_KUBERNETES_AGENT_IMAGE from')
    .argument('[base]', 'an image with Node, a shell, cp, mkdir and chmod', 'node:24-slim')
    .action(async (base) => (await import('./sandbox-image.ts')).sandboxImageCommand(base));
}

function addMail(program: Command): void {
  const mail = program.command('mail').description('Read the mail that a server without SMTP_URL has kept');
  mail
    .command('list', { isDefault: true })
    .description('List kept mail, newest first')
    .addOption(jsonOption())
    .action(async (options) => (await import('./mail.ts')).listMailCommand(options));
  mail
    .command('show')
    .description('Print one mail')
    .argument('<number>', 'its number in the list; 1 is the newest')
    .addOption(jsonOption())
    .action(async (number, options) => (await import('./mail.ts')).showMailCommand(number, options));
}
