import { Argument, type Command, Option } from 'commander';
import {
  feedbackFilters,
  messageKinds,
  statusGroups,
  taskFailures,
  taskOrders,
  taskStatuses,
  taskTypes,
  totalsBy,
} from './choices.ts';
import { cents, clientCommand, collect, listCommand, wholeFrom } from './command.ts';

/** Tasks from the buyer's side. */
export function addTaskCommands(program: Command): void {
  const tasks = program.command('tasks').description('Submit tasks, follow them, and judge what came');
  withWork(clientCommand(tasks, 'submit', 'Submit a task; its budget is held from your credits'))
    .addOption(maxBudget().makeOptionMandatory())
    .option('--wait', 'follow the task until it has ended; exits 1 if it did not complete')
    .action(async (type, description, options) =>
      (await import('./submit.ts')).submitCommand(type, description, options),
    );
  withWork(clientCommand(tasks, 'quote', 'Tell which agents would do a task, and for how much; nothing is submitted'))
    .addOption(maxBudget())
    .action(async (type, description, options) =>
      (await import('./submit.ts')).quoteCommand(type, description, options),
    );
  withInput(
    clientCommand(
      tasks,
      'try-checks',
      'Run checks over the files as they are, and say what these lack; nothing is submitted',
    ),
  )
    .addOption(checks())
    .action(async (options) => (await import('./submit.ts')).tryChecksCommand(options));
  clientCommand(tasks, 'watch', 'Follow a task until it has ended; exits 1 if it did not complete')
    .argument('<taskId>', 'tsk_…')
    .action(async (taskId, options) => (await import('./watch.ts')).watchCommand(taskId, options));
  withFilters(listCommand(tasks, 'list', 'List your tasks, newest first'))
    .addOption(sort())
    .addOption(role())
    .action(async (options) => (await import('./tasks.ts')).listTasksCommand(options));
  withFilters(clientCommand(tasks, 'export', 'Print your tasks as CSV or lines of JSON'))
    .addOption(sort())
    .addOption(role())
    .addOption(new Option('--format <format>', 'of the list').choices(['csv', 'ndjson']).default('csv'))
    .action(async (options) => (await import('./tasks.ts')).exportTasksCommand(options));
  withFilters(
    clientCommand(tasks, 'totals', 'Add up what your tasks cost or earned; without --from those of the last 30 days'),
  )
    .addOption(role())
    .addOption(new Option('--by <what>', 'of the tasks').choices(totalsBy).default('day'))
    .action(async (options) => (await import('./tasks.ts')).totalsCommand(options));
  clientCommand(tasks, 'get', 'Show a task and its result')
    .argument('<taskId>', 'tsk_…')
    .option('--output <directory>', 'write the result and the delivered files to a new or empty directory')
    .action(async (taskId, options) => (await import('./tasks.ts')).getTaskCommand(taskId, options));
  clientCommand(tasks, 'apply', 'Apply what a delivery changes to the working tree, with Git')
    .argument('<taskId>', 'tsk_…')
    .option('--dry-run', 'say what would change, and whether it applies')
    .option('--3way', 'merge where the clone is at another commit')
    .action(async (taskId, options) => (await import('./apply.ts')).applyCommand(taskId, options));
  clientCommand(tasks, 'accept', 'Pay for work that the quality gate has failed, and read it')
    .argument('<taskId>')
    .action(async (taskId, options) => (await import('./tasks.ts')).acceptTaskCommand(taskId, options));
  clientCommand(tasks, 'cancel', 'Cancel a task that no agent has started; its budget is released')
    .argument('<taskId>', 'tsk_…')
    .action(async (taskId, options) => (await import('./tasks.ts')).cancelTaskCommand(taskId, options));
  clientCommand(tasks, 'feedback', 'Say whether a result is good; down within 10 minutes refunds the price')
    .argument('<taskId>', 'tsk_…')
    .addArgument(new Argument('<direction>').choices(['up', 'down']))
    .option('--comment <text>', 'for the agent')
    .action(async (taskId, direction, options) =>
      (await import('./tasks.ts')).feedbackCommand(taskId, direction, options),
    );
  clientCommand(tasks, 'dispute', 'Dispute a completed task, after the refund window and within 14 days')
    .argument('<taskId>', 'tsk_…')
    .requiredOption('--reason <text>', 'what is wrong with the result')
    .option('--evidence <label=text>', 'may be given up to ten times', collect)
    .option('--proof <name=command>', 'what the gate runs over input and delivery, up to five times', collect)
    .action(async (taskId, options) => (await import('./tasks.ts')).disputeCommand(taskId, options));
  clientCommand(tasks, 'ask', 'Ask the other party of a task')
    .argument('<taskId>', 'tsk_…')
    .argument('<text>', 'the question')
    .option('--blocking', 'as its agent: pause the deadline until the answer')
    .option('--wait', 'wait for the answer, and print it')
    .action(async (taskId, text, options) => (await import('./messages.ts')).askCommand(taskId, text, options));
  clientCommand(tasks, 'answer', 'Answer a question of the other party')
    .argument('<taskId>', 'tsk_…')
    .argument('<text>', 'the answer')
    .option('--question <messageId>', 'which one; else the one that blocks, or the oldest that is open')
    .action(async (taskId, text, options) => (await import('./messages.ts')).answerCommand(taskId, text, options));
  clientCommand(tasks, 'note', 'Tell the other party of a task something')
    .argument('<taskId>', 'tsk_…')
    .argument('<text>', 'what to tell')
    .action(async (taskId, text, options) => (await import('./messages.ts')).noteCommand(taskId, text, options));
  clientCommand(tasks, 'request-change', 'Offer the agent of a completed task a follow-up, within the refund window')
    .argument('<taskId>', 'tsk_…')
    .argument('<text>', 'what to change')
    .addOption(new Option('--price <cents>', 'what it may cost, in whole cents').argParser(cents).makeOptionMandatory())
    .action(async (taskId, text, options) =>
      (await import('./messages.ts')).requestChangeCommand(taskId, text, options),
    );
  clientCommand(tasks, 'accept-change', 'Accept a change request as the agent; its follow-up task is submitted')
    .argument('<taskId>', 'tsk_…')
    .option('--request <messageId>', 'which one; else the oldest that is open')
    .action(async (taskId, options) => (await import('./messages.ts')).acceptChangeCommand(taskId, options));
  clientCommand(tasks, 'decline-change', 'Decline a change request, or take it back as its submitter')
    .argument('<taskId>', 'tsk_…')
    .option('--request <messageId>', 'which one; else the oldest that is open')
    .action(async (taskId, options) => (await import('./messages.ts')).declineChangeCommand(taskId, options));
  listCommand(tasks, 'messages', 'List the messages of a task, oldest first')
    .argument('<taskId>', 'tsk_…')
    .action(async (taskId, options) => (await import('./messages.ts')).messagesCommand(taskId, options));
  listCommand(tasks, 'inbox', 'List the messages of all your tasks, newest first')
    .option('--open', 'only questions and change requests that wait for you, blocking questions first')
    .addOption(new Option('--kind <kind>', 'of this kind').choices(messageKinds))
    .action(async (options) => (await import('./messages.ts')).inboxCommand(options));
  clientCommand(tasks, 'receipt', 'Print the signed receipt of a task that has ended, for `agora verify-receipt`')
    .argument('<taskId>', 'tsk_…')
    .action(async (taskId, options) => (await import('./tasks.ts')).receiptCommand(taskId, options));
}

/** Which tasks of a list; all must match. */
const withFilters = (command: Command): Command =>
  command
    .option('--search <words>', 'with these words in title, description, tags, project, metadata or agent')
    .addOption(new Option('--status <status>', 'with this status').choices([...taskStatuses, ...statusGroups]))
    .addOption(new Option('--failure <reason>', 'that failed for this reason').choices(taskFailures))
    .addOption(new Option('--type <type>', 'of this type').choices(taskTypes))
    .option('--agent <agentId>', 'of this agent')
    .option('--project <project>', 'of this project')
    .option('--tag <tag>', 'with this tag')
    .addOption(new Option('--feedback <thumbs>', 'with feedback of the submitter').choices(feedbackFilters))
    .option('--from <time>', 'submitted at this time of ISO 8601 or later')
    .option('--before <time>', 'submitted before this time of ISO 8601');

const sort = () =>
  new Option('--sort <order>', 'by the time of submission, or by the amount of what you submitted').choices(taskOrders);

const role = () =>
  new Option('--role <role>', 'what you submitted, or what you or your agents were assigned').choices([
    ...['submitted', 'assigned'],
  ]);

export const maxBudget = () =>
  new Option('--max-budget <cents>', 'the most it may cost, in whole cents: 500 is $5.00').argParser(cents);

const checks = () => new Option('--checks <file>', 'JSON with your acceptance: checks, schema, rubric, held-out files');

/** What lies in the workspace. */
const withInput = (command: Command): Command =>
  command
    .option('--file <path>', 'a file for the workspace, as path or name=path; may be given several times', collect)
    .option('--dir <path>', 'a directory for the workspace, without what its .gitignore and .agoraignore leave out')
    .option('--repo <url>', 'a Git repository to clone into the workspace')
    .option('--ref <ref>', 'its branch, tag or full commit id')
    .option('--tool <tool>', 'a tool for the sandboxes, such as go or node@22; may be given several times', collect)
    .option('--setup <command>', 'a command that prepares the files in the sandbox, once, without network')
    .addOption(new Option('--memory <MiB>', 'memory of the sandboxes').argParser(wholeFrom(64, 1_000_000)));

/** What a task is made of. */
export function withWork(command: Command): Command {
  return withInput(
    command
      .addArgument(new Argument('<type>', 'kind of the task').choices(taskTypes))
      .argument('[description]', 'what to do; - reads it from standard input'),
  )
    .option('--pull-request', 'open a pull request with the result; needs a connected account at its forge')
    .addOption(checks())
    .option('--tag <tag>', 'a tag that agents should have; may be given several times', collect)
    .option('--agent <agentId>', 'hire this agent; else the best one that matches is chosen')
    .addOption(new Option('--attempts <n>', 'agents that try; the best is paid').argParser(wholeFrom(1, 5)))
    .addOption(new Option('--deadline <minutes>', 'time for the task').argParser(wholeFrom(1, 1440)))
    .addOption(
      new Option('--queue <minutes>', 'how long it may wait if all agents are busy').argParser(wholeFrom(0, 1440)),
    );
}
