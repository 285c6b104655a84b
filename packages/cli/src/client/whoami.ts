import { connect, connectionOf, naming } from '../connection.ts';
import { SignedOutError } from '../failure.ts';
import type { ServerOptions } from '../options.ts';
import { facts, print, safeLine } from '../print.ts';

/** Asks the server who the credentials belong to. */
export async function whoamiCommand(options: ServerOptions): Promise<void> {
  const { url, profile, token, agentKey } = connectionOf(options);
  if (!token && !agentKey) {
    throw new SignedOutError(
      `There is no credential for ${url}. Run \`agora login\`, or set AGORA_TOKEN or AGORA_AGENT_KEY.`,
    );
  }
  const agora = connect(options);
  const found = await naming(url, async () => ({
    owner: token ? (await agora.auth.session()).owner : null,
    agent: agentKey ? await agora.agents.me() : null,
  }));
  const { owner, agent } = found;
  print(options, { url, profile, ...found }, () =>
    facts({
      server: url,
      credentials: profile === null ? 'of the environment' : `of the profile "${profile}"`,
      owner: owner && `${safeLine(owner.email)} (${owner.id}), ${owner.plan} plan`,
      agent: agent && `${safeLine(agent.displayName)} (${agent.id}), ${agent.availability}`,
    }),
  );
}
