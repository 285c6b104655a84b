import { readFileSync } from 'node:fs';
import { Command, type CommanderError } from 'commander';
import { addClientCommands } from './client/index.ts';
import { addCompletionCommands } from './completion.ts';
import { exitCodes, failureOf } from './failure.ts';
import { addMcpCommand } from './mcp.ts';
import { addOperatorCommands } from './operator/index.ts';
import { errorColours, safe, toJson } from './print.ts';
import { addServerCommands } from './server/index.ts';
import { settingHint } from './setting-hint.ts';
import { addWorkerCommand } from './worker/index.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** The command with all it can do. Nothing of the server is loaded before a command needs it. */
export function createProgram(): Command {
  const program = createCommands();
  addCompletionCommands(program, createCommands);
  throwMistakes(program);
  return program;
}

/** What a shell completes: all but completing. */
function createCommands(): Command {
  const program = new Command('agora')
    .description('An open, self-hostable marketplace where tasks go in and verified work comes out')
    .version(version);
  addClientCommands(program);
  addWorkerCommand(program);
  addMcpCommand(program);
  addServerCommands(program);
  addOperatorCommands(program);
  return program;
}

/** A mistake of the caller, and the command that it was made with. */
class Mistake extends Error {
  readonly command: Command;
  declare readonly cause: CommanderError;

  constructor(command: Command, cause: CommanderError) {
    super(cause.message, { cause });
    this.command = command;
  }
}

/** Commander prints mistakes and exits by itself; here they are thrown, and told in one place. */
function throwMistakes(command: Command): void {
  command.configureOutput({ outputError: () => {} });
  command.exitOverride((error) => {
    throw new Mistake(command, error);
  });
  command.commands.forEach(throwMistakes);
}

/** Runs what the arguments say and sets the exit code. Never rejects. */
export async function run(program: Command, argv: readonly string[]): Promise<void> {
  try {
    await program.parseAsync(argv);
  } catch (error) {
    process.exitCode = await tell(error, argv);
  }
}

async function tell(error: unknown, argv: readonly string[]): Promise<number> {
  const isMistake = error instanceof Mistake;
  // Help and version are printed already. So is the help of a group that was called without one of its commands.
  if (isMistake && error.cause.exitCode === 0) return exitCodes.ok;
  if (isMistake && error.cause.code === 'commander.help') return exitCodes.usage;
  const failure = failureOf(isMistake ? error.cause : error);
  if (isMistake) failure.hint = (await settingHint(error.command, error.cause, argv)) ?? helpOf(error.command);
  const { exitCode, hint, ...told } = failure;
  if (argv.includes('--json')) console.error(toJson({ error: hint === null ? told : { ...told, hint } }));
  else console.error(`${errorColours.red('agora:')} ${safe(failure.message)}${hint === null ? '' : `\n${hint}`}`);
  return exitCode;
}

function helpOf(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at !== null; at = at.parent) names.unshift(at.name());
  return `\`${names.join(' ')} --help\` says what it takes.`;
}
