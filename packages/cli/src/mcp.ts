import { serveMcpOnStdio } from '@agora/mcp';
import closeWithGrace from 'close-with-grace';
import type { Command } from 'commander';
import { connect } from './connection.ts';

interface McpCommandOptions {
  url?: string;
  profile?: string;
}

const help = `
Programs that use models start this command themselves: https://modelcontextprotocol.io. Credentials come from
AGORA_TOKEN, AGORA_AGENT_KEY and AGORA_TRUST_KEY; only the tools that they allow are offered.`;

/** Adds `agora mcp`. */
export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('Offer the service to a model, by the Model Context Protocol over standard input and output')
    .option('--url <url>', 'address of the server (AGORA_URL)')
    .option('--profile <name>', 'credentials of this profile')
    .addHelpText('after', help)
    .action(mcpCommand);
}

/** Serves until the client closes its end, SIGTERM or SIGINT. Standard output belongs to the protocol. */
function mcpCommand(options: McpCommandOptions): void {
  const close = serveMcpOnStdio({ agora: connect(options) }, (error) => console.error(`agora mcp: ${error.message}`));
  const grace = closeWithGrace({ delay: 5_000 }, async ({ err }) => {
    if (err) console.error(err);
    await close();
  });
  // The client has gone. Calls under way were cancelled, and nobody reads their replies.
  process.stdin.once('end', () => grace.close());
}
