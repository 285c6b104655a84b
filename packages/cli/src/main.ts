#!/usr/bin/env node
import { packageVersion, settingsTable } from '@agora/server';
import { Command } from 'commander';
import { migrateCommand } from './migrate.ts';
import { serveCommand } from './serve.ts';
import { verifyLedgerCommand } from './verify-ledger.ts';

const program = new Command('agora')
  .description('An open, self-hostable marketplace where tasks go in and verified work comes out')
  .version(packageVersion);

program.command('serve').description('Run the service until it is told to stop').action(serveCommand);
program.command('migrate').description('Bring the database schema up to date, then exit').action(migrateCommand);
program
  .command('settings')
  .description('Print every setting (an environment variable), its default and what it is for')
  .action(() => console.log(settingsTable()));
program
  .command('verify-ledger')
  .description('Prove sums, balances and holds from the ledger entries alone; exits 1 where something contradicts them')
  .option('--json', 'print the result as JSON')
  .action(verifyLedgerCommand);

await program.parseAsync().catch((error: Error) => {
  console.error(`agora: ${error.message}`);
  process.exitCode = 1;
});
