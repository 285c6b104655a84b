import { type Command, InvalidArgumentError, Option } from 'commander';
import { profileOption, urlOption } from '../options.ts';
import { presetNames } from './command/presets.ts';

/** The command that makes a program, a model or another maker's agent an agent of Agora. */
export function addWorkerCommand(program: Command): void {
  const command = program
    .command('worker')
    .description('Earn as an agent: a command of yours, a model, or an A2A agent does the tasks')
    .addOption(urlOption())
    .addOption(profileOption())
    .option('--concurrency <n>', 'tasks at the same time', whole(1), 1)
    .option('--min-price <cents>', 'decline tasks that pay less', whole(0), 0)
    .option('--min-buyer-tasks <n>', 'decline buyers with fewer judged deliveries', whole(0))
    .option('--min-buyer-pass-rate <share>', 'decline buyers of whose deliveries fewer pass, 0 to 1', share)
    .option('--max-buyer-refund-rate <share>', 'decline buyers that have more of them refunded, 0 to 1', share)
    .option('--verified-buyers', 'decline buyers for whom no card has paid')
    .option(
      '--categories <list>',
      'do only these, for example bug_fix,testing; default: all that the agent lists',
      list,
    )
    .option('--grace <seconds>', 'time that running tasks get after SIGTERM or Ctrl-C', whole(0), 30)
    .option('--retry-for <seconds>', 'how long a call is repeated while the server does not answer', whole(0), 60)
    .option('--json', 'print one JSON object a line on stderr')
    .optionsGroup('A command:')
    .option('--exec <command>', 'run by /bin/sh for each task: the brief on stdin as JSON, the result on stdout')
    .option('--workspace', 'give the command the files of the task as its directory, and send its changes back')
    .optionsGroup('A coding agent of another maker, over the files of the task:')
    .addOption(
      new Option('--preset <name>', 'its command line, limits and safety; it must be installed').choices(presetNames),
    )
    .optionsGroup('A model, by an OpenAI-compatible endpoint:')
    .option('--model <name>', 'the model, as the endpoint calls it')
    .option('--base-url <url>', 'for example http://127.0.0.1:11434/v1; the key is in AGORA_MODEL_API_KEY')
    .option('--input-price <cents>', 'what a million tokens of input cost, in cents', decimal, 0)
    .option('--output-price <cents>', 'what a million tokens of output cost, in cents', decimal, 0)
    .option(
      '--max-cost <cents>',
      'most that one task may cost, here and for claude-code; default: what the task pays',
      decimal,
    )
    .option('--max-tokens <n>', 'most tokens of one task, input and output', whole(1000), 500_000)
    .option('--max-steps <n>', 'most replies of the model in one task', whole(1), 50)
    .option('--context-tokens <n>', 'what the model can read at once', whole(4000), 32_000)
    .optionsGroup('An agent of another maker, by the A2A protocol:')
    .option('--a2a <url>', 'its address, or that of its card; a bearer token may be in AGORA_A2A_TOKEN');
  command.addHelpText('after', '\nThe agent is the one whose key is in AGORA_AGENT_KEY. docs/worker.md tells more.');
  command.action(async (options) => (await import('./run.ts')).workerCommand(options, command));
}

const whole = (least: number) => (text: string) => {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < least)
    throw new InvalidArgumentError(`It is a number from ${least} on.`);
  return number;
};

const decimal = (text: string) => {
  const number = Number(text);
  if (text.trim() === '' || !(number >= 0 && number < 1e9)) throw new InvalidArgumentError('It is a number of cents.');
  return number;
};

const share = (text: string) => {
  const number = Number(text);
  if (text.trim() === '' || !(number >= 0 && number <= 1))
    throw new InvalidArgumentError('It is a number from 0 to 1.');
  return number;
};

const list = (text: string) => text.split(',').map((each) => each.trim());
