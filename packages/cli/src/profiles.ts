import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import envPaths from 'env-paths';
import { UsageError } from './failure.ts';

/** What is known of one server: its address and the credentials for it, and for no other. */
export interface Profile {
  url: string;
  /** Developer token of an owner, or its session. */
  token?: string;
  /** Of the token, if `agora login` made it; `agora logout` revokes it then. */
  tokenId?: string;
  /** The token is the session of a sign-in; `agora logout` ends it. */
  isSession?: true;
  email?: string;
  agentKey?: string;
  trustKey?: string;
}

export interface Profiles {
  /** The one that counts where no other is named. */
  current: string;
  profiles: Record<string, Profile>;
}

export const defaultProfile = 'default';

/** Where profiles are kept: `~/.config/agora` on Linux, or below XDG_CONFIG_HOME. */
export const profilesFile = (): string => join(envPaths('agora', { suffix: '' }).config, 'profiles.json');

/** All profiles; none where the file is not there yet. Throws if it is damaged, for it holds the only copy of keys. */
export function readProfiles(): Profiles {
  const file = profilesFile();
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { current: defaultProfile, profiles: {} };
    throw new Error(`The profiles in ${file} cannot be read: ${message}.`, { cause: error });
  }
  const found = parsed(text);
  if (found === null) {
    throw new Error(`The profiles in ${file} are damaged. Repair the file, or delete it and run \`agora login\`.`);
  }
  return found;
}

function parsed(text: string): Profiles | null {
  try {
    const { current, profiles } = JSON.parse(text);
    const isWhole =
      typeof current === 'string' &&
      typeof profiles === 'object' &&
      Object.values(profiles as object).every((each) => URL.canParse(each?.url));
    return isWhole ? { current, profiles } : null;
  } catch {
    return null;
  }
}

/** Replaces the file at once and for this user alone, so that nobody reads a key or half a file. */
export function writeProfiles(profiles: Profiles): void {
  const file = profilesFile();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const partial = `${file}.${randomUUID()}`;
  try {
    writeFileSync(partial, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(partial, file);
  } catch (error) {
    rmSync(partial, { force: true });
    throw new Error(`The profiles cannot be written to ${file}: ${(error as Error).message}.`, { cause: error });
  }
}

/** A profile by its name; throws with the names that there are. */
export function profileNamed(name: string, { profiles }: Profiles): Profile {
  const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (found !== undefined) return found;
  const names = Object.keys(profiles);
  const known = names.length === 0 ? 'There is none yet; `agora login` makes one.' : `There are: ${names.join(', ')}.`;
  throw new UsageError(`There is no profile "${name}". ${known}`);
}

/** A name for a new profile. */
export function checkProfileName(name: string): string {
  if (/^[\w.-]{1,50}$/.test(name) && name !== '__proto__') return name;
  throw new UsageError('A profile’s name has up to 50 letters, digits, dots, dashes and underscores.');
}
