import { type Command, Option } from 'commander';
import { cents, clientCommand, listCommand } from './command.ts';
import { maxBudget, withWork } from './task-commands.ts';

/** Tasks that are kept: to submit them again, or by the clock. */
export function addScheduleCommands(program: Command): void {
  addTemplates(program.command('templates').description('Save tasks under a name, and submit them again'));
  addSchedules(program.command('schedules').description('Submit tasks by the clock, within budgets'));
}

const templateId = ['<templateId>', 'tpl_…'] as const;
const scheduleId = ['<scheduleId>', 'sch_…'] as const;

function addTemplates(templates: Command): void {
  withWork(clientCommand(templates, 'create', 'Save a task as a template; nothing is submitted'))
    .addOption(maxBudget().makeOptionMandatory())
    .requiredOption('--name <name>', 'what to call it')
    .action(async (type, description, options) =>
      (await import('./templates.ts')).createTemplateCommand(type, description, options),
    );
  clientCommand(templates, 'create-from', 'Save a task that you have submitted as a template')
    .argument('<taskId>', 'tsk_…')
    .requiredOption('--name <name>', 'what to call it')
    .action(async (taskId, options) => (await import('./templates.ts')).createFromCommand(taskId, options));
  clientCommand(templates, 'submit', 'Submit the task of a template; its budget is held from your credits')
    .argument(...templateId)
    .addOption(maxBudget())
    .option('--wait', 'follow the task until it has ended; exits 1 if it did not complete')
    .action(async (id, options) => (await import('./templates.ts')).submitTemplateCommand(id, options));
  listCommand(templates, 'list', 'List your templates, newest first').action(async (options) =>
    (await import('./templates.ts')).listTemplatesCommand(options),
  );
  clientCommand(templates, 'get', 'Show a template with its task')
    .argument(...templateId)
    .action(async (id, options) => (await import('./templates.ts')).getTemplateCommand(id, options));
  clientCommand(templates, 'update', 'Rename a template, or give its task another budget')
    .argument(...templateId)
    .option('--name <name>', 'what to call it')
    .addOption(maxBudget())
    .action(async (id, options) => (await import('./templates.ts')).updateTemplateCommand(id, options));
  clientCommand(templates, 'delete', 'Delete a template that no schedule uses')
    .argument(...templateId)
    .action(async (id, options) => (await import('./templates.ts')).deleteTemplateCommand(id, options));
}

const monthlyBudget = () =>
  new Option('--monthly-budget <cents>', 'the most that a calendar month may cost, in whole cents').argParser(cents);

const cron = () =>
  new Option('--cron <fields>', 'when: minute, hour, day, month, weekday, as "0 9 * * 1-5"; at most every 15 minutes');
const timeZone = () => new Option('--time-zone <name>', 'whose clock counts, as Europe/Berlin');

function addSchedules(schedules: Command): void {
  clientCommand(schedules, 'create', 'Submit the task of a template by the clock')
    .argument('<name>', 'what to call it')
    .requiredOption('--template <templateId>', 'what to submit')
    .addOption(cron().makeOptionMandatory())
    .addOption(timeZone().default('UTC'))
    .addOption(maxBudget().makeOptionMandatory())
    .addOption(monthlyBudget().makeOptionMandatory())
    .action(async (name, options) => (await import('./schedules.ts')).createScheduleCommand(name, options));
  clientCommand(schedules, 'next', 'Tell when a schedule would run next; none is made')
    .argument('<cron>', 'the five fields, as "0 9 * * 1-5"')
    .addOption(timeZone().default('UTC'))
    .action(async (fields, options) => (await import('./schedules.ts')).nextCommand(fields, options));
  listCommand(schedules, 'list', 'List your schedules, newest first').action(async (options) =>
    (await import('./schedules.ts')).listSchedulesCommand(options),
  );
  clientCommand(schedules, 'get', 'Show a schedule')
    .argument(...scheduleId)
    .action(async (id, options) => (await import('./schedules.ts')).getScheduleCommand(id, options));
  clientCommand(schedules, 'update', 'Change a schedule')
    .argument(...scheduleId)
    .option('--name <name>', 'what to call it')
    .option('--template <templateId>', 'what to submit')
    .addOption(cron())
    .addOption(timeZone())
    .addOption(maxBudget())
    .addOption(monthlyBudget())
    .action(async (id, options) => (await import('./schedules.ts')).updateScheduleCommand(id, options));
  clientCommand(schedules, 'pause', 'Pause a schedule; its open tasks go on')
    .argument(...scheduleId)
    .action(async (id, options) => (await import('./schedules.ts')).pauseCommand(id, options));
  clientCommand(schedules, 'resume', 'Let a paused schedule run again, from its next time on')
    .argument(...scheduleId)
    .action(async (id, options) => (await import('./schedules.ts')).resumeCommand(id, options));
  clientCommand(schedules, 'run', 'Run a schedule now, also a paused one')
    .argument(...scheduleId)
    .action(async (id, options) => (await import('./schedules.ts')).runCommand(id, options));
  listCommand(schedules, 'runs', 'List what became of the runs of a schedule, newest first')
    .argument(...scheduleId)
    .action(async (id, options) => (await import('./schedules.ts')).runsCommand(id, options));
  clientCommand(schedules, 'delete', 'Delete a schedule with its history; its open tasks go on')
    .argument(...scheduleId)
    .action(async (id, options) => (await import('./schedules.ts')).deleteScheduleCommand(id, options));
}
