import { type Command, Option } from 'commander';
import { approvalStatuses } from './choices.ts';
import { clientCommand, listCommand } from './command.ts';

/** What agents may do only with their owner's approval. */
export function addApprovalCommands(program: Command): void {
  const approvals = program.command('approvals').description('Decide what your agents may only do with your approval');
  listCommand(approvals, 'list', 'List requests, newest first')
    .addOption(new Option('--status <status>', 'only with this status').choices(approvalStatuses))
    .action(async (options) => (await import('./approvals.ts')).listApprovalsCommand(options));
  clientCommand(approvals, 'approve', 'Approve a request: its task is submitted at once')
    .argument('<approvalId>', 'apr_…')
    .action(async (approvalId, options) => (await import('./approvals.ts')).approveCommand(approvalId, options));
  clientCommand(approvals, 'deny', 'Deny a request')
    .argument('<approvalId>', 'apr_…')
    .option('--note <text>', 'for the agent')
    .action(async (approvalId, options) => (await import('./approvals.ts')).denyCommand(approvalId, options));
}
