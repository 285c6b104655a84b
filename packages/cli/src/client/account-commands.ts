import { packageRegistryKinds } from '@agora-market/contract';
import { Argument, type Command } from 'commander';
import { jsonOption } from '../options.ts';
import { clientCommand, collect, listCommand } from './command.ts';

/** Signing in and out, and profiles. */
export function addAccountCommands(program: Command): void {
  const withPassword = (command: Command) =>
    command
      .option('--email <address>', 'e-mail address of the account; asked for if left out')
      .option('--password-stdin', 'read the password from standard input instead of asking for it');
  withPassword(clientCommand(program, 'signup', 'Create an owner account, and sign in to it'))
    .option('--name <name>', 'your name; asked for if left out')
    .action(async (options) => (await import('./login.ts')).signUpCommand(options));
  withPassword(clientCommand(program, 'login', 'Sign in as an owner; keeps a developer token in the profile'))
    .option('--code <code>', 'of the second factor, if the account has one; asked for if left out')
    .option('--token', 'keep a developer token that you have, asked for or from standard input')
    .option('--agent-key', 'the same with the key of an agent')
    .action(async (options) => (await import('./login.ts')).loginCommand(options));
  clientCommand(program, 'logout', 'Revoke the token that `agora login` made, and forget it here')
    .option('--local', 'forget it here alone, without asking the server')
    .action(async (options) => (await import('./login.ts')).logoutCommand(options));
  clientCommand(program, 'whoami', 'Tell the server, and who you are there').action(async (options) =>
    (await import('./whoami.ts')).whoamiCommand(options),
  );
  clientCommand(program, 'environments', 'List the tools of the sandboxes, and how large they may be').action(
    async (options) => (await import('./environments.ts')).environmentsCommand(options),
  );
  addPackageRegistries(program);
  const profiles = program.command('profiles').description('Servers and credentials that are kept on this machine');
  profiles
    .command('list', { isDefault: true })
    .description('List profiles; the one in use is marked')
    .addOption(jsonOption())
    .action(async (options) => (await import('./profiles.ts')).listProfilesCommand(options));
  profiles
    .command('use')
    .description('Use a profile where no other is named')
    .argument('<name>')
    .addOption(jsonOption())
    .action(async (name, options) => (await import('./profiles.ts')).useProfileCommand(name, options));
  profiles
    .command('remove')
    .description('Forget a profile; what it holds stays valid on the server (`agora logout` ends it)')
    .argument('<name>')
    .addOption(jsonOption())
    .action(async (name, options) => (await import('./profiles.ts')).removeProfileCommand(name, options));
}

function addPackageRegistries(program: Command): void {
  const registries = program
    .command('package-registries')
    .description('Private package registries that the packages of your tasks come from');
  const kind = () => new Argument('<kind>', 'kind of the registry').choices(packageRegistryKinds);
  listCommand(registries, 'list', 'List them, without their tokens').action(async (options) =>
    (await import('./package-registries.ts')).listRegistriesCommand(options),
  );
  clientCommand(registries, 'set', 'Store the token of one, asked for or from standard input')
    .addArgument(kind())
    .argument('<url>', 'its address, as lockfiles name it')
    .option('--username <name>', 'send the token as the password of this user')
    .option('--package <name>', 'a package that comes from it, or a beginning as @acme/*; repeatable', collect)
    .action(async (of, url, options) => (await import('./package-registries.ts')).setRegistryCommand(of, url, options));
  clientCommand(registries, 'remove', 'Forget one and its token')
    .addArgument(kind())
    .argument('<url>')
    .action(async (of, url, options) =>
      (await import('./package-registries.ts')).removeRegistryCommand(of, url, options),
    );
}
