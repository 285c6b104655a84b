import type { PackageRegistryKind } from '@agora-market/contract';
import { askSecret, secretFromStdin } from '../ask.ts';
import { withServer } from '../connection.ts';
import type { ServerOptions } from '../options.ts';
import { print, safeLine, table } from '../print.ts';
import { type PageOptions, printPages } from './command.ts';

/** Prints the private registries of the account. */
export const listRegistriesCommand = (options: PageOptions): Promise<void> =>
  withServer(options, (agora) =>
    printPages(
      options,
      (page) => agora.packageRegistries.list(page),
      (registries) => {
        const rows = registries.map(({ kind, url, username, packages }) => [
          kind,
          safeLine(url, 200),
          safeLine(username ?? ''),
          safeLine(packages.join(' '), 200),
        ]);
        return table(['kind', 'address', 'user', 'packages'], rows);
      },
    ),
  );

/** Stores the token of one; it is never an argument, for those are seen by other users of the machine. */
export async function setRegistryCommand(
  kind: PackageRegistryKind,
  url: string,
  { username, package: packages = [], ...options }: ServerOptions & { username?: string; package?: string[] },
): Promise<void> {
  const how = 'Give the token on standard input.';
  const token = process.stdin.isTTY ? await askSecret('Token: ', how) : await secretFromStdin('The command');
  await withServer(options, async (agora) => {
    const asked = { kind, url, token, packages, ...(username !== undefined && { username }) };
    const stored = await agora.packageRegistries.set(asked);
    print(options, stored, `Stored. Packages of ${safeLine(stored.url, 200)} are fetched for your tasks alone.`);
  });
}

export const removeRegistryCommand = (kind: PackageRegistryKind, url: string, options: ServerOptions): Promise<void> =>
  withServer(options, async (agora) => {
    await agora.packageRegistries.remove({ kind, url });
    print(options, { kind, url }, 'Forgotten. Revoke its token there too.');
  });
