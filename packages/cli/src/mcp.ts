import type { Command } from 'commander';
import { connect } from './connection.ts';
import { closeAtEnd } from './grace.ts';
import { profileOption, type ServerOptions, urlOption } from './options.ts';

const help = `
Programs that use models start this command themselves: https://modelcontextprotocol.io. Credentials come from
AGORA_TOKEN, AGORA_AGENT_KEY and AGORA_TRUST_KEY, or a profile; only the tools that they allow are offered.`;

/** Adds `agora mcp`. */
export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('Offer the service to a model, by the Model Context Protocol over standard input and output')
    .addOption(urlOption())
    .addOption(profileOption())
    .addHelpText('after', help)
    .action(mcpCommand);
}

/** Serves until the client closes its end, SIGTERM or SIGINT. Standard output belongs to the protocol. */
async function mcpCommand(options: ServerOptions): Promise<void> {
  // Loaded here, so that no other command waits for it.
  const { serveMcpOnStdio } = await import('@agora-market/mcp');
  const close = serveMcpOnStdio({ agora: connect(options) }, (error) => console.error(`agora mcp: ${error.message}`));
  const grace = closeAtEnd(5_000, close);
  // The client has gone. Calls under way were cancelled, and nobody reads their replies.
  process.stdin.once('end', () => grace.close());
}
