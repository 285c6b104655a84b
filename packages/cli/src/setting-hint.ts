import type { Command, CommanderError } from 'commander';

/**
 * What to write instead of an option that is a setting: settings are environment variables. Null for any other mistake,
 * and for commands that talk to a server, which read no settings.
 */
export async function settingHint(
  command: Command,
  mistake: CommanderError,
  argv: readonly string[],
): Promise<string | null> {
  const option = mistake.code === 'commander.unknownOption' ? /--[\w-]+/.exec(mistake.message)?.[0] : undefined;
  if (option === undefined || command.options.some(({ long }) => long === '--url')) return null;
  const { settingNamed } = await import('@agora-market/server/platform');
  const setting = settingNamed(option.slice(2));
  if (setting === null) return null;
  const at = argv.findIndex((word) => word === option || word.startsWith(`${option}=`));
  const value = argv[at]?.includes('=') ? argv[at]?.split('=').slice(1).join('=') : argv[at + 1];
  const given = value === undefined || value.startsWith('-') || !/^[\w.:/@,-]+$/.test(value) ? '…' : value;
  return `Settings are environment variables: ${setting}=${given} agora ${command.name()}`;
}
