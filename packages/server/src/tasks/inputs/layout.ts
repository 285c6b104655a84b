import { ApiError } from '../../platform/index.ts';
import { type ExecEnd, type OutputChunk, type Sandbox, SandboxError, setModified } from '../../sandbox/index.ts';
import { CloneRefused } from './pack.ts';
import { createTreeListing, type TreeListing } from './tree-listing.ts';

/** What was fetched of a repository. */
export interface Fetched {
  commit: string;
  /** When it was committed: the time of every file. */
  modifiedMs: number;
  /** An archive of the packs. */
  packs: Buffer;
}

export interface Laid extends TreeListing {
  archive: Buffer;
}

export interface LayoutLimits {
  /** Of all files together. */
  maxBytes: number;
  /** Directories count as files. */
  maxFiles: number;
}

const ends = { noGit: 90, noRepository: 91, badPack: 92, badTree: 93, badCheckout: 94 } as const;

/**
 * The tree is listed first, so that one that is too large ends the command before Git unpacks it. The packs stay where
 * they are. No setting of the machine counts, and a repository has none for its clones: no hook, no filter.
 */
const script = (commit: string) => `
command -v git > /dev/null || exit ${ends.noGit}
umask 022
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_ATTR_NOSYSTEM=1 LC_ALL=C
export GIT_DIR=/tmp/tree.git GIT_WORK_TREE=/workspace
git -c init.defaultBranch=base init -q --template= || exit ${ends.noRepository}
for pack in /input/*.pack; do
  name=$GIT_DIR/objects/pack/$(basename "$pack" .pack)
  ln -s "$pack" "$name.pack" || exit ${ends.noRepository}
  git -c pack.writeReverseIndex=false index-pack --threads=1 -o "$name.idx" "$pack" > /dev/null || exit ${ends.badPack}
done
git ls-tree -r -t -l -z --full-tree ${commit} || exit ${ends.badTree}
git read-tree -m -u ${commit} || exit ${ends.badCheckout}
printf '\\0'
git ls-files --eol -z ':(attr:eol=crlf)' || exit ${ends.badCheckout}
printf '\\0'
git config -z --blob ${commit}:.gitmodules --list 2> /dev/null | head -c ${modulesBytes}
`;

/** Entries of an archive have a head and a path beside their content. */
const entryBytes = 1_100;
const errorBytes = 4_096;
/** Read of a .gitmodules. */
const modulesBytes = 256 * 1024;

/**
 * Lays out the tree of a commit as Git does, with its attributes, names and links, by Git itself: in a sandbox of its
 * own, which has no network and ends afterwards.
 */
export async function layOut(
  openSandbox: () => Promise<Sandbox>,
  { commit, modifiedMs, packs }: Fetched,
  { maxBytes, maxFiles }: LayoutLimits,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Laid> {
  const deadlineMs = performance.now() + timeoutMs;
  const leftMs = () => {
    if (signal.aborted || performance.now() >= deadlineMs) throw new CloneRefused('timed_out');
    return deadlineMs - performance.now();
  };
  const sandbox = await openSandbox().catch(asUnavailable);
  try {
    await sandbox.writeInput(packs);
    const listing = createTreeListing({ maxBytes, maxFiles });
    let said = '';
    const sink = async ({ stream, bytes }: OutputChunk) => {
      if (stream === 'stdout') listing.take(bytes);
      else said = (said + bytes.toString('latin1')).slice(-errorBytes);
    };
    const end = await sandbox.execStreamed({ command: script(commit), timeoutMs: leftMs() }, sink, signal);
    if (end.timedOut || signal.aborted) throw new CloneRefused('timed_out');
    refuse(end, said);
    const archive = await sandbox.exportWorkspace(maxBytes + maxFiles * entryBytes, leftMs());
    await setModified(archive, modifiedMs);
    return { archive, ...listing.end() };
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    if (error.code === 'TOO_LARGE' || error.code === 'NO_SPACE') throw new CloneRefused('too_large', { cause: error });
    if (error.code === 'TIMED_OUT') throw new CloneRefused('timed_out', { cause: error });
    throw asUnavailable(error);
  } finally {
    await sandbox.destroy().catch(() => undefined);
  }
}

function asUnavailable(error: unknown): never {
  if (!(error instanceof SandboxError)) throw error;
  const message = `The buyer's repository is laid out in a sandbox, and that failed: ${error.message}`;
  throw new ApiError('SANDBOX_UNAVAILABLE', message, {}, { cause: error });
}

const noGit =
  "The sandboxes of this server have no git, which lays out buyers' repositories. Its operator installs git, or names an image with git in SANDBOX_DOCKER_IMAGE.";

/** Killed, as happens to what needs more memory than a sandbox has. */
const killed = 137;

/** How the commands ended, in our words. */
function refuse({ exitCode, truncated }: ExecEnd, said: string): void {
  if (exitCode === 0 && !truncated) return;
  const cause = new Error(`git in the sandbox ended with ${exitCode}: ${said}`);
  if (exitCode === ends.noGit) throw new ApiError('SANDBOX_UNAVAILABLE', noGit, {}, { cause });
  if (truncated) throw new CloneRefused('too_many_files', { cause });
  if (exitCode === killed || /No space left|quota exceeded|Out of memory|signal 9/i.test(said)) {
    throw new CloneRefused('too_large', { cause });
  }
  if (exitCode === ends.badPack || exitCode === ends.badTree) throw new CloneRefused('damaged', { cause });
  if (exitCode === ends.badCheckout) {
    const isLacking = /unable to read|missing|not a valid object|bad object|corrupt/.test(said);
    throw new CloneRefused(isLacking ? 'damaged' : 'unsafe_path', { cause });
  }
  throw new ApiError('SANDBOX_UNAVAILABLE', 'Git does not run in the sandboxes of this server.', {}, { cause });
}
