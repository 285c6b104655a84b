import { forgeNames } from '@agora-market/contract';
import { ApiError, type Config, publicUrl } from '../platform/index.ts';
import { pushBranch } from '../tasks/index.ts';
import { ForgeRefusal, printable } from './api.ts';
import type { Access, Branch } from './forge.ts';

/** As `makeBranch` of a repository, by a push: for forges whose API has no way to make every commit. */
export type Push = (
  access: Access,
  repository: string,
  branch: Branch,
  commitOf: (branch: string) => Promise<string | null>,
  signal: AbortSignal,
) => Promise<string | null>;

export const createPush =
  ({ config }: { config: Config }): Push =>
  async ({ forge, root, token }, repository, { name, commit, message, at, changes }, commitOf, signal) => {
    const timestamp = Math.floor(at.getTime() / 1000);
    const author = { name: 'Agora', email: `agora@${new URL(publicUrl(config)).hostname}`, timestamp };
    const url = `${root}/${repository}.git`;
    const end = await pushBranch(config, { url, token, commit, branch: name, message, author, changes }, signal);
    const isTaken = 'commit' in end && end.refused === null;
    // Another try has made it: of the same facts, so that it is the same commit.
    if (isTaken || (await commitOf(name)) !== null) return 'commit' in end ? end.commit : null;
    if ('commit' in end)
      throw new ForgeRefusal('GITHUB_ERROR', undefined, 422, printable(end.refused ?? '', token), false);
    if (end.failed === 'unreachable' || end.failed === 'timed_out')
      throw new ApiError('GITHUB_ERROR', `${forgeNames[forge]} could not be reached. Try again.`);
    const answered = end.failed === 'not_found' || end.failed === 'ref_not_found' ? 404 : 422;
    throw new ForgeRefusal('GITHUB_ERROR', undefined, answered, '', false);
  };
