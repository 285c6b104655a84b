import { hostname } from 'node:os';
import { Agora, AgoraError, AuthenticationError, NotFoundError } from '@agora-market/sdk';
import { ask, askSecret, secretFromStdin } from '../ask.ts';
import { addressOf, commandRetryMs, connectionOf, defaultUrl, naming } from '../connection.ts';
import { UsageError } from '../failure.ts';
import type { ServerOptions } from '../options.ts';
import { print, safeLine } from '../print.ts';
import { checkProfileName, type Profile, profileNamed, readProfiles, writeProfiles } from '../profiles.ts';

interface Account extends ServerOptions {
  email?: string;
  passwordStdin?: boolean;
}

const passwordOption = 'Give the password with --password-stdin.';

/** Creates an account and keeps a token of it. */
export async function signUpCommand(options: Account & { name?: string }): Promise<void> {
  const place = placeOf(options);
  const name = options.name ?? (await ask('Name: ', 'Give your name with --name.'));
  const { email, password } = await credentialsOf(options);
  await naming(
    place.url,
    async () => {
      const { token } = await new Agora({ baseUrl: place.url, retryForMs: commandRetryMs }).auth.signUp({
        name,
        email,
        password,
      });
      await keepOwner(options, place, token);
    },
    adviseLogin,
  );
}

const adviseLogin = ({ code }: AgoraError) =>
  code === 'DUPLICATE' ? 'The address has an account: sign in with `agora login`.' : null;

/** Signs in, or keeps a credential that the caller has. */
export async function loginCommand(
  options: Account & { code?: string; token?: boolean; agentKey?: boolean },
): Promise<void> {
  if (options.token && options.agentKey) throw new UsageError('Give --token or --agent-key, one at a time.');
  const place = placeOf(options);
  if (options.token) return keepToken(options, place);
  if (options.agentKey) return keepAgentKey(options, place);
  const { email, password } = await credentialsOf(options);
  await naming(place.url, async () =>
    keepOwner(options, place, await signIn(place.url, email, password, options.code)),
  );
}

async function credentialsOf(options: Account): Promise<{ email: string; password: string }> {
  const email = options.email ?? (await ask('E-mail: ', 'Give the address with --email.'));
  const password = options.passwordStdin
    ? await secretFromStdin('--password-stdin')
    : await askSecret('Password: ', passwordOption);
  return { email, password };
}

/** The token of a new session. The code of a second factor is asked for only where the account has one. */
async function signIn(baseUrl: string, email: string, password: string, code?: string): Promise<string> {
  const { auth } = new Agora({ baseUrl, retryForMs: commandRetryMs });
  try {
    return (await auth.signIn({ email, password, ...(code && { code }) })).token;
  } catch (error) {
    const isAsked = error instanceof AuthenticationError && error.code === 'TOTP_REQUIRED' && process.stdin.isTTY;
    if (!isAsked) throw error;
    const asked = await ask('Code of the second factor: ', 'Give it with --code.');
    return (await auth.signIn({ email, password, code: asked })).token;
  }
}

interface Place {
  name: string;
  url: string;
  former: Profile | undefined;
}

/** The profile to write to, which need not be there yet. */
function placeOf({ url, profile }: ServerOptions): Place {
  const all = readProfiles();
  const name = checkProfileName(profile ?? all.current);
  const former = Object.hasOwn(all.profiles, name) ? all.profiles[name] : undefined;
  const kept = profile === undefined ? connectionOf({}).url : (former?.url ?? process.env.AGORA_URL ?? defaultUrl);
  return { name, url: addressOf(url ?? kept), former };
}

/**
 * A session ends after a week without use; so the profile gets a developer token, which the owner can see and revoke
 * among the others, and the session is ended. An owner whose address is not verified gets no token: its profile keeps the
 * session.
 */
async function keepOwner(options: ServerOptions, place: Place, sessionToken: string): Promise<void> {
  const session = new Agora({ baseUrl: place.url, ownerToken: sessionToken, retryForMs: commandRetryMs });
  let isKept = false;
  try {
    const { owner } = await session.auth.session();
    const made = await tokenOf(session);
    await revokeFormer(session, place);
    isKept = made === null;
    save(
      place,
      made === null ? { token: sessionToken, isSession: true, email: owner.email } : { ...made, email: owner.email },
    );
    const kept = made === null ? `session. Verify the address, then sign in again for a token that lasts` : 'token';
    const said = `Signed in to ${place.url} as ${safeLine(owner.email)}. The profile "${place.name}" keeps the ${kept}.`;
    print(options, { url: place.url, profile: place.name, owner, tokenId: made?.tokenId ?? null }, said);
  } finally {
    if (!isKept) await session.auth.signOut().catch(() => {});
  }
}

/** A new developer token; null for an owner that must verify its address first. */
async function tokenOf(session: Agora): Promise<{ token: string; tokenId: string } | null> {
  try {
    const { token, id } = await session.auth.createToken({ name: `agora on ${hostname()}`.slice(0, 200) });
    return { token, tokenId: id };
  } catch (error) {
    if (error instanceof AgoraError && error.code === 'EMAIL_NOT_VERIFIED') return null;
    throw error;
  }
}

/** What an earlier sign-in made for this profile would stay valid and be of no use. */
async function revokeFormer(session: Agora, { url, former }: Place): Promise<void> {
  if (former?.url !== url) return;
  if (former.isSession) return endMade(former);
  if (former.tokenId === undefined) return;
  await session.auth.revokeToken(former.tokenId).catch((error) => {
    // It was of another account, or is revoked.
    if (!(error instanceof NotFoundError)) throw error;
  });
}

async function keepToken(options: ServerOptions, place: Place): Promise<void> {
  const token = await givenSecret('Developer token: ', '--token');
  await naming(place.url, async () => {
    const { owner } = await new Agora({
      baseUrl: place.url,
      ownerToken: token,
      retryForMs: commandRetryMs,
    }).auth.session();
    save(place, { token, email: owner.email });
    const said = `The profile "${place.name}" keeps the token of ${safeLine(owner.email)} at ${place.url}.`;
    print(options, { url: place.url, profile: place.name, owner }, said);
  });
}

async function keepAgentKey(options: ServerOptions, place: Place): Promise<void> {
  const agentKey = await givenSecret('Agent key: ', '--agent-key');
  await naming(place.url, async () => {
    const agent = await new Agora({ baseUrl: place.url, agentKey, retryForMs: commandRetryMs }).agents.me();
    saveAgentKey(place, agentKey);
    const said = `The profile "${place.name}" keeps the key of ${agent.id} at ${place.url}.`;
    print(options, { url: place.url, profile: place.name, agent }, said);
  });
}

const givenSecret = (question: string, option: string): Promise<string> =>
  process.stdin.isTTY ? askSecret(question, `Give it on standard input with ${option}.`) : secretFromStdin(option);

/** Replaces the owner's part of a profile; keys of agents stay if the server is the same. */
function save({ name, url, former }: Place, owner: Pick<Profile, 'token' | 'tokenId' | 'isSession' | 'email'>): void {
  const { agentKey, trustKey } = former?.url === url ? former : ({} as Partial<Profile>);
  const all = readProfiles();
  const profile = { url, ...owner, ...(agentKey && { agentKey }), ...(trustKey && { trustKey }) };
  writeProfiles({ ...all, profiles: { ...all.profiles, [name]: profile } });
}

/** Keeps an agent's key beside what the profile has of the same server. */
export function saveAgentKey({ name, url }: Pick<Place, 'name' | 'url'>, agentKey: string): void {
  const all = readProfiles();
  const former = all.profiles[name];
  const profile = former?.url === url ? { ...former, agentKey } : { url, agentKey };
  writeProfiles({ ...all, profiles: { ...all.profiles, [name]: profile } });
}

/** Ends what `agora login` made, on the server and here. */
export async function logoutCommand(options: ServerOptions & { local?: boolean }): Promise<void> {
  const all = readProfiles();
  const name = options.profile ?? all.current;
  const profile = profileNamed(name, all);
  const { tokenId, isSession, url } = profile;
  const isOurs = tokenId !== undefined || isSession === true;
  if (isOurs && !options.local) await naming(url, () => endMade(profile));
  const { [name]: _, ...profiles } = all.profiles;
  writeProfiles({ ...all, profiles });
  const ended = isOurs && !options.local;
  const rest = ended
    ? `Its ${isSession ? 'session has ended' : 'token is revoked'}.`
    : 'What it held stays valid on the server.';
  print(
    options,
    { profile: name, url, revoked: ended },
    `Signed out of ${url}: the profile "${name}" is gone. ${rest}`,
  );
}

/** Ends the token or session that `agora login` made for a profile. */
async function endMade({ url, token = '', tokenId }: Profile): Promise<void> {
  const { auth } = new Agora({ baseUrl: url, ownerToken: token, retryForMs: commandRetryMs });
  const ending = tokenId === undefined ? auth.signOut() : auth.revokeToken(tokenId);
  await ending.catch((error: AgoraError) => {
    // It has ended already.
    if (!(error instanceof AuthenticationError || error instanceof NotFoundError)) throw error;
  });
}
