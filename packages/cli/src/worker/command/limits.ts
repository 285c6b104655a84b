/** A workspace that is copied to the worker's machine: the sandbox streams 64 MiB of one command at most. */
const workspaceLimits = { bytes: 60 * 1024 * 1024, files: 10_000 } as const;

/** Thrown where a workspace is too large, on either side. */
export function ensureWithin({ bytes, files }: { bytes: number; files: number }): void {
  if (files > workspaceLimits.files) throw new Error(`The workspace has more than ${workspaceLimits.files} files`);
  if (bytes > workspaceLimits.bytes) throw new Error(`The workspace has more than ${workspaceLimits.bytes} bytes`);
}

/** Whether a path is, or lies below, one of the names at the top of the workspace. */
export const isHidden = (path: string, hidden: readonly string[]): boolean =>
  hidden.includes(plainName(path.split('/', 1)[0] as string));

/** Some file systems take names that differ in case, or by characters that nobody sees, for the same. */
const plainName = (name: string) => name.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '').toLowerCase();

/** What is known of a file or directory of the workspace, by its path with `/`. */
export type Entries = Map<string, { digest: string; executable: boolean } | 'directory'>;
