import type { RepositoryAt } from '../forge.ts';
import type { HeldOutFiles, ProjectFile } from './project-file.ts';

const most = { files: 50, bytes: 256 * 1024 } as const;

/**
 * Reads the files that a repository has held out from agents in another one of the same account; a text where it cannot be,
 * which says what to change. The agent reads the repository itself, so that one holds nothing out.
 */
export async function heldOutFiles(
  repositoryAt: (repository: string) => RepositoryAt,
  ours: string,
  { repository, ref, path }: NonNullable<ProjectFile['heldOut']>,
): Promise<HeldOutFiles | string> {
  const accountOf = (name: string) => name.toLowerCase().split('/', 1)[0];
  if (accountOf(repository) !== accountOf(ours)) return 'names held-out files of another account';
  if (repository.toLowerCase() === ours.toLowerCase()) return 'names held-out files in the repository that agents read';
  const at = repositoryAt(repository);
  const unreadable = `names held-out files at ${path} of ${repository}, which the connected account cannot read`;
  const branch = ref ?? (await at.defaultBranch());
  const paths = await at.filesBelow(path, branch, most.files + 1);
  if (paths === null || paths.length === 0) return unreadable;
  if (paths.length > most.files) return `names more than ${most.files} held-out files`;
  const found: HeldOutFiles = {};
  let bytes = 0;
  for (const each of paths) {
    const content = await at.file(each, branch);
    if (content === null) return unreadable;
    bytes += content.length;
    if (bytes > most.bytes) return `names more than ${most.bytes / 1024} KiB of held-out files`;
    found[each.slice(path.length + 1)] = { content: content.toString('base64'), encoding: 'base64' };
  }
  return found;
}
