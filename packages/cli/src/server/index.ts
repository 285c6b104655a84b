import type { Command } from 'commander';
import { jsonOption } from '../options.ts';

const settingsHint =
  '\nSettings are environment variables, for example PORT and AGORA_DATA_DIR; `agora settings` prints them all.';

/** Commands that run the service or tell how this machine would run it. */
export function addServerCommands(program: Command): void {
  program.addHelpText('after', settingsHint);
  program
    .command('serve')
    .description('Run the service until it is told to stop')
    .addHelpText('after', settingsHint)
    .action(async () => (await import('./serve.ts')).serveCommand());
  program
    .command('doctor')
    .description('Try what the service needs on this machine, and list what to do')
    .addOption(jsonOption())
    .action(async (options) => (await import('../doctor/index.ts')).doctorCommand(options));
  program
    .command('demo')
    .description('Run a market of a few minutes on this machine: tasks, agents, money and disputes')
    .action(async () => (await import('./demo.ts')).demoCommand());
  program
    .command('migrate')
    .description('Bring the database schema up to date, then exit')
    .option(
      '--contract',
      'also take away what only servers of earlier releases need; then there is no way back to them',
    )
    .addOption(jsonOption())
    .action(async (options) => (await import('./migrate.ts')).migrateCommand(options));
  program
    .command('settings')
    .description('Print every setting (an environment variable), its value, where that comes from, and what it is for')
    .option('--markdown', 'print the table of docs/configuration.md: names, defaults and purposes')
    .addOption(jsonOption())
    .action(async (options) => (await import('./settings.ts')).settingsCommand(options));
}
