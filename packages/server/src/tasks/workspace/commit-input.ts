import type { Sandbox } from '../../sandbox/index.ts';

/** Git data lies beside the workspace, so that no copy of the work holds it. */
const place = '/tmp/agora-base.git';

/**
 * The workspace becomes a work tree of a repository with one commit: what the buyer submitted, without history and remote.
 * Where the sandbox has no Git, or the commit takes too long, there is none.
 */
const script = [
  'command -v git > /dev/null || exit 0',
  `export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_DIR=${place}`,
  'export GIT_AUTHOR_NAME=Agora GIT_AUTHOR_EMAIL=agora@localhost GIT_COMMITTER_NAME=Agora GIT_COMMITTER_EMAIL=agora@localhost',
  // Also what .gitignore names: it was committed.
  'git -c init.defaultBranch=base init -q && git config core.bare false && git config core.logAllRefUpdates false',
  'git -c core.looseCompression=1 --work-tree=/input add -A -f && git --work-tree=/input commit -q --allow-empty -m "The input of the task"',
  `rm -rf /workspace/.git && echo "gitdir: ${place}" > /workspace/.git`,
].join(' && ');

const commitMs = 15_000;

/** The work is delivered without it: where it is judged and unpacked, its data does not lie. */
export const forgetCommit = (sandbox: Sandbox): Promise<unknown> =>
  sandbox.exec({ command: 'rm -rf /workspace/.git', timeoutMs: commitMs }).catch(() => undefined);

/** Agents and their tools then see their work as `git diff`. */
export async function commitInput(sandbox: Sandbox): Promise<void> {
  const made = await sandbox.exec({ command: script, timeoutMs: commitMs, cwd: '/input' });
  if (made.exitCode !== 0 || made.timedOut) await sandbox.exec({ command: `rm -rf ${place}`, timeoutMs: commitMs });
}
