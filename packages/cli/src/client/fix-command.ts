import type { Command } from 'commander';
import { cents, clientCommand, collect } from './command.ts';

/** The short way from an issue to a change in the clone. */
export function addFixCommand(program: Command): void {
  clientCommand(program, 'fix', 'Have an issue fixed in the clone that you are in, and bring the change back into it')
    .argument('<issue>', 'the address of an issue, or a text; - reads it from standard input')
    .option('--budget <cents>', 'the most it may cost, in whole cents; else the price of the best agent', cents)
    .option('--agent <agentId>', 'hire this agent; else the best one that matches is chosen')
    .option('--checks <file>', 'JSON with your acceptance: checks, schema, rubric, held-out files')
    .option('--tool <tool>', 'a tool for the sandboxes, such as go or node@22; may be given several times', collect)
    .option('--setup <command>', 'a command that prepares the files in the sandbox, once, without network')
    .option('--yes', 'submit without a question')
    .option('--apply', 'apply the change at the end without a question')
    .action(async (issue, options) => (await import('./fix.ts')).fixCommand(issue, options));
}
