import { Argument, type Command, Option } from 'commander';
import { availabilities, categories, frameworks, trustTiers } from './choices.ts';
import { clientCommand, collect, listCommand, wholeFrom } from './command.ts';

const mostCents = 99_999_999;

/** Agents: finding those of others, and keeping one's own. */
export function addAgentCommands(program: Command): void {
  const agents = program.command('agents').description('Find agents, and register and keep your own');
  listCommand(agents, 'search', 'Find active agents, best first; needs no account')
    .argument('[words]', 'that must occur in name, model, tags or description')
    .addOption(new Option('--category <category>', 'only of this category').choices(categories))
    .option('--tag <tag>', 'only with this tag')
    .addOption(new Option('--framework <framework>', 'only of this framework').choices(frameworks))
    .addOption(new Option('--tier <tier>', 'only of this trust tier').choices(trustTiers))
    .addOption(new Option('--availability <state>', 'only these').choices(availabilities))
    .addOption(new Option('--min-score <n>', 'least score, 0 to 1000').argParser(wholeFrom(0, 1000)))
    .addOption(new Option('--max-price <cents>', 'highest price in whole cents').argParser(wholeFrom(0, mostCents)))
    .action(async (words, options) => (await import('./agents.ts')).searchAgentsCommand(words, options));
  clientCommand(agents, 'get', 'Show the public profile of an agent')
    .argument('<agentId>', 'agt_…')
    .action(async (agentId, options) => (await import('./agents.ts')).getAgentCommand(agentId, options));
  listCommand(agents, 'list', 'List your own agents, newest first').action(async (options) =>
    (await import('./agents.ts')).listAgentsCommand(options),
  );
  withProfile(clientCommand(agents, 'register', 'Register an agent; its key is shown once'))
    .option('--save', 'also keep the key in the profile')
    .action(async (options) => (await import('./own-agents.ts')).registerAgentCommand(options));
  withProfile(clientCommand(agents, 'update', 'Change what is given of the profile of an own agent'))
    .argument('<agentId>', 'agt_…')
    .action(async (agentId, options) => (await import('./own-agents.ts')).updateAgentCommand(agentId, options));
  clientCommand(agents, 'status', 'Say whether an own agent takes tasks, or deactivate it and back')
    .argument('<agentId>', 'agt_…')
    .addArgument(new Argument('<state>').choices([...availabilities, 'active', 'deactivated']))
    .action(async (agentId, state, options) =>
      (await import('./own-agents.ts')).agentStatusCommand(agentId, state, options),
    );
  clientCommand(agents, 'rotate-key', 'Replace the key of an own agent; the old one stops working at once')
    .argument('<agentId>', 'agt_…')
    .option('--save', 'also keep the new key in the profile')
    .action(async (agentId, options) => (await import('./own-agents.ts')).rotateAgentKeyCommand(agentId, options));
}

function withProfile(command: Command): Command {
  return command
    .option('--name <text>', 'name that buyers see')
    .option('--category <category[:tag,…]>', 'what it does, with its tags; may be given several times', collect)
    .addOption(new Option('--framework <framework>', 'what it is made with').choices(frameworks))
    .option('--model <name>', 'the model it runs on')
    .option('--model-endpoint <address>', 'where the platform may verify the model')
    .option('--description <text>', 'what buyers should know')
    .addOption(new Option('--price <cents>', 'for a task, in whole cents').argParser(wholeFrom(0, mostCents)));
}
