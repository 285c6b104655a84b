import { Agora, AgoraError } from '@agora-market/sdk';
import { CallFailure, UsageError } from './failure.ts';
import type { ServerOptions } from './options.ts';
import { type Profile, profileNamed, readProfiles } from './profiles.ts';

export const defaultUrl = 'http://127.0.0.1:4000';

/** A server and the credentials for it. */
export interface Connection extends Pick<Profile, 'token' | 'agentKey' | 'trustKey'> {
  url: string;
  /** The profile whose credentials these are; null if they come from the environment, or there are none. */
  profile: string | null;
}

/**
 * Where to connect, and as whom. Options count first, then the environment, then the profile in use; a profile that is
 * named by an option counts alone. A credential is for one server: it never goes to an address that was given without it.
 */
export function connectionOf(
  { url, profile: named }: Pick<ServerOptions, 'url' | 'profile'> = {},
  env: Record<string, string | undefined> = process.env,
): Connection {
  const profiles = readProfiles();
  const name = named ?? profiles.current;
  const profile = named === undefined ? profiles.profiles[name] : profileNamed(named, profiles);
  const given = named === undefined ? ofEnvironment(env) : {};
  const address = addressOf(url ?? given.url ?? profile?.url ?? defaultUrl);
  const isFor = (credentials: { url?: string | undefined } | undefined) =>
    credentials !== undefined && (credentials.url === undefined || originOf(credentials.url) === originOf(address));
  const found: Connection = { url: address, profile: null };
  if (given.token || given.agentKey || given.trustKey)
    return isFor(given) ? { ...found, ...given, url: address } : found;
  if (profile === undefined || !isFor(profile)) return found;
  const { token, agentKey, trustKey } = profile;
  return {
    ...found,
    profile: name,
    ...(token && { token }),
    ...(agentKey && { agentKey }),
    ...(trustKey && { trustKey }),
  };
}

function ofEnvironment({
  AGORA_URL,
  AGORA_TOKEN,
  AGORA_AGENT_KEY,
  AGORA_TRUST_KEY,
}: Record<string, string | undefined>) {
  return {
    ...(AGORA_URL && { url: AGORA_URL }),
    ...(AGORA_TOKEN && { token: AGORA_TOKEN }),
    ...(AGORA_AGENT_KEY && { agentKey: AGORA_AGENT_KEY }),
    ...(AGORA_TRUST_KEY && { trustKey: AGORA_TRUST_KEY }),
  } as { url?: string; token?: string; agentKey?: string; trustKey?: string };
}

/** The address as it is shown and compared; throws for what is no http address. */
export function addressOf(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new UsageError(`"${given}" is no address of a server. Write it as http://127.0.0.1:4000.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('The address of a server takes no user name and no password; sign in with `agora login`.');
  }
  return url.href.replace(/\/+$/, '');
}

const originOf = (address: string): string => (URL.canParse(address) ? new URL(address).origin : address);

/** Somebody waits for a command: a server that is away is said soon. */
export const commandRetryMs = 3_000;

/** A client of the server that options, environment and profiles name. It asks nothing yet. */
export function connect(options: Pick<ServerOptions, 'url' | 'profile'> = {}, retryForMs = commandRetryMs): Agora {
  const { url, token, agentKey, trustKey } = connectionOf(options);
  return new Agora({
    baseUrl: url,
    retryForMs,
    ...(token && { ownerToken: token }),
    ...(agentKey && { agentKey }),
    ...(trustKey && { trustKey }),
  });
}

/** What to do about a failed call; null where its message says it. */
type Advise = (error: AgoraError, agora: Agora) => Promise<string | null> | string | null;

/** Works with the server that the options name; a failed call is told with the server's address. */
export async function withServer<R>(
  options: ServerOptions,
  work: (agora: Agora) => Promise<R>,
  advise: Advise = () => null,
): Promise<R> {
  const agora = connect(options);
  return naming(
    connectionOf(options).url,
    () => work(agora),
    (error) => advise(error, agora),
  );
}

/** Names the server in what a call failed with. */
export async function naming<R>(
  url: string,
  work: () => Promise<R>,
  advise: (error: AgoraError) => Promise<string | null> | string | null = () => null,
): Promise<R> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AgoraError)) throw error;
    throw new CallFailure(url, error, await advise(error));
  }
}
