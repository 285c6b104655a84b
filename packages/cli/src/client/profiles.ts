import type { JsonOption } from '../options.ts';
import { print, safeLine, table } from '../print.ts';
import { defaultProfile, profileNamed, profilesFile, readProfiles, writeProfiles } from '../profiles.ts';

/** Prints the profiles without their secrets. */
export function listProfilesCommand(options: JsonOption): void {
  const { current, profiles } = readProfiles();
  const found = Object.entries(profiles).map(([name, { url, email, token, agentKey, trustKey }]) => ({
    name,
    isCurrent: name === current,
    url,
    email: email ?? null,
    holds: [token && 'owner token', agentKey && 'agent key', trustKey && 'trust key'].filter(Boolean) as string[],
  }));
  print(options, { file: profilesFile(), profiles: found }, () => {
    if (found.length === 0) return 'There is no profile yet; `agora login` makes one.';
    const rows = found.map(({ name, isCurrent, url, email, holds }) => [
      isCurrent ? '*' : '',
      name,
      url,
      safeLine(email ?? ''),
      holds.join(', '),
    ]);
    return table(['', 'name', 'server', 'account', 'holds'], rows);
  });
}

export function useProfileCommand(name: string, options: JsonOption): void {
  const all = readProfiles();
  const { url } = profileNamed(name, all);
  writeProfiles({ ...all, current: name });
  print(options, { current: name, url }, `${name} (${url}) is used where no other profile is named.`);
}

export function removeProfileCommand(name: string, options: JsonOption): void {
  const all = readProfiles();
  profileNamed(name, all);
  const { [name]: _, ...profiles } = all.profiles;
  writeProfiles({ current: all.current === name ? defaultProfile : all.current, profiles });
  print(
    options,
    { removed: name },
    `${name} is forgotten. What it held stays valid on the server until it is revoked.`,
  );
}
