import { forgeNames } from '@agora/contract';
import { ApiError, type Clock, type Config, publicUrl } from '../platform/index.ts';
import { pushBranch } from '../tasks/index.ts';
import { ForgeRefusal, printable } from './api.ts';
import type { Access, Branch } from './forge.ts';

/** Makes a branch by a push, for forges whose API has no way to make every commit. One of the name stays as it is. */
export type Push = (
  access: Access,
  repository: string,
  branch: Branch,
  commitOf: (branch: string) => Promise<string | null>,
  signal: AbortSignal,
) => Promise<void>;

export const createPush =
  ({ config, clock }: { config: Config; clock: Clock }): Push =>
  async ({ forge, root, token }, repository, { name, commit, message, changes }, commitOf, signal) => {
    if ((await commitOf(name)) !== null) return;
    const timestamp = Math.floor(clock.now().getTime() / 1000);
    const author = { name: 'Agora', email: `agora@${new URL(publicUrl(config)).hostname}`, timestamp };
    const url = `${root}/${repository}.git`;
    const end = await pushBranch(config, { url, token, commit, branch: name, message, author, changes }, signal);
    // Another try was faster.
    if (end === null || (await commitOf(name)) !== null) return;
    if ('refused' in end) throw new ForgeRefusal('GITHUB_ERROR', undefined, 422, printable(end.refused), false);
    if (end.failed === 'unreachable' || end.failed === 'timed_out')
      throw new ApiError('GITHUB_ERROR', `${forgeNames[forge]} could not be reached. Try again.`);
    const answered = end.failed === 'not_found' || end.failed === 'ref_not_found' ? 404 : 422;
    throw new ForgeRefusal('GITHUB_ERROR', undefined, answered, '', false);
  };
