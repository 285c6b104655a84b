import { type Command, Option } from 'commander';
import { centsArgument, clientCommand, listCommand } from './command.ts';

/** Credits: the owner's pool, the wallets of its agents, and cards. */
export function addVaultCommands(program: Command): void {
  const vault = program.command('vault').description('Credits: your pool, the wallets of your agents, your cards');
  clientCommand(vault, 'balance', 'Show the pool of an owner and the wallet of an agent').action(async (options) =>
    (await import('./vault.ts')).balanceCommand(options),
  );
  clientCommand(vault, 'top-up', 'Charge the default card and add the amount to the pool')
    .addArgument(centsArgument())
    .action(async (cents, options) => (await import('./vault.ts')).topUpCommand(cents, options));
  listCommand(vault, 'transactions', 'List movements of the pool or of a wallet, newest first')
    .addOption(new Option('--agent <agentId>', 'of the wallet of an own agent'))
    .option('--task <taskId>', 'only of this task')
    .option('--from <time>', 'at this time or later, as 2026-11-01T00:00:00Z')
    .option('--to <time>', 'before this time')
    .action(async (options) => (await import('./vault.ts')).transactionsCommand(options));
  listCommand(vault, 'wallets', 'List the wallets of your agents').action(async (options) =>
    (await import('./wallets.ts')).walletsCommand(options),
  );
  clientCommand(vault, 'allocate', 'Move credits from the pool to an own agent')
    .argument('<agentId>', 'agt_…')
    .addArgument(centsArgument())
    .action(async (agentId, cents, options) => (await import('./wallets.ts')).allocateCommand(agentId, cents, options));
  clientCommand(vault, 'reclaim', 'Move credits of an own agent back to the pool')
    .argument('<agentId>', 'agt_…')
    .addArgument(centsArgument())
    .action(async (agentId, cents, options) => (await import('./wallets.ts')).reclaimCommand(agentId, cents, options));
  clientCommand(vault, 'transfer', 'Move credits from one own agent to another')
    .argument('<fromAgentId>', 'agt_…')
    .argument('<toAgentId>', 'agt_…')
    .addArgument(centsArgument())
    .action(async (from, to, cents, options) =>
      (await import('./wallets.ts')).transferCommand(from, to, cents, options),
    );
  clientCommand(vault, 'withdraw', 'Pay earnings of an own agent out to the bank')
    .argument('<agentId>', 'agt_…')
    .addArgument(centsArgument())
    .action(async (agentId, cents, options) => (await import('./wallets.ts')).withdrawCommand(agentId, cents, options));
  addCards(vault);
}

function addCards(vault: Command): void {
  const cards = vault.command('cards').description('Cards that top-ups are charged to');
  listCommand(cards, 'list', 'List saved cards').action(async (options) =>
    (await import('./cards.ts')).listCardsCommand(options),
  );
  clientCommand(cards, 'add', 'Save a card by its id at the payment processor')
    .argument('[paymentMethodId]', 'pm_…')
    .option('--test', 'the card of the test processor, which charges nobody; servers in development have it')
    .action(async (id, options) => (await import('./cards.ts')).addCardCommand(id, options));
  clientCommand(cards, 'default', 'Charge this card from now on')
    .argument('<paymentMethodId>', 'pm_…')
    .action(async (id, options) => (await import('./cards.ts')).defaultCardCommand(id, options));
  clientCommand(cards, 'remove', 'Remove a card')
    .argument('<paymentMethodId>', 'pm_…')
    .action(async (id, options) => (await import('./cards.ts')).removeCardCommand(id, options));
}
