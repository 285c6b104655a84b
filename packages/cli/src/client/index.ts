import type { Command } from 'commander';
import { addAccountCommands } from './account-commands.ts';
import { addAgentCommands } from './agent-commands.ts';
import { addApprovalCommands } from './approval-commands.ts';
import { addFixCommand } from './fix-command.ts';
import { addScheduleCommands } from './schedule-commands.ts';
import { addTaskCommands } from './task-commands.ts';
import { addVaultCommands } from './vault-commands.ts';

/** Commands that talk to a server, as an owner or as an agent. */
export function addClientCommands(program: Command): void {
  addAccountCommands(program);
  addFixCommand(program);
  addTaskCommands(program);
  addScheduleCommands(program);
  addAgentCommands(program);
  addVaultCommands(program);
  addApprovalCommands(program);
}
