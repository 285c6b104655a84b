import type { TaskInput } from '@agora-market/contract';
import { type AgentCaller, type Config, ensure, invalidField, type OwnerCaller } from '../../platform/index.ts';

/** A pull request as a task's buyer asked for it. */
export interface PullWish {
  url: string;
  /** Branch, tag or commit that was asked for; null is the default branch. */
  ref: string | null;
  base: string | null;
  title: string | null;
  draft: boolean;
  /** Whether workflows run on the change before anybody has read it. */
  runChecks: boolean;
}

const field = 'input.repo.pullRequest';

export const isWanted = ({ repo }: TaskInput): boolean => Boolean(repo?.pullRequest);

/** Null where no pull request is wanted. */
export function pullWish({ repo }: TaskInput): PullWish | null {
  if (!repo?.pullRequest) return null;
  const asked = repo.pullRequest === true ? {} : repo.pullRequest;
  const { base = null, title = null, draft = false, runChecks = false } = asked;
  return { url: repo.url, ref: repo.ref ?? null, base, title, draft, runChecks };
}

/** The full name of a repository below the address of its forge; null where it is none. */
export function repositoryAt(url: string, root: string, mostParts = 2): string | null {
  const [{ origin, pathname, search }, base] = [new URL(url), new URL(root)];
  const above = base.pathname.replace(/\/$/, '');
  if (origin !== base.origin || search !== '' || !pathname.startsWith(`${above}/`)) return null;
  const path = pathname
    .slice(above.length + 1)
    .replace(/\/$/, '')
    .replace(/\.git$/, '');
  const isName = (part: string) => /^[\w.-]{1,100}$/.test(part) && !/^\.+$/.test(part);
  const parts = path.split('/');
  return parts.length >= 2 && parts.length <= mostParts && parts.every(isName) ? path : null;
}

interface Deps {
  config: Config;
  inputs: { hasToken(ownerId: string, url: string): Promise<boolean> };
}

/** Refuses at submission a pull request that can never be opened. Whether GitHub takes it shows once the task is completed. */
export async function checkPullRequest(
  { config, inputs }: Deps,
  caller: OwnerCaller | AgentCaller,
  input: TaskInput,
): Promise<void> {
  if (!isWanted(input)) return;
  // An agent must not bring its owner's account to write where others want it to.
  if (caller.kind === 'agent') throw invalidField(field, 'is for tasks that an owner submits itself');
  const url = input.repo?.url as string;
  const isConnected = await inputs.hasToken(caller.ownerId, url);
  const isAtGitHub = new URL(url).origin === new URL(config.GITHUB_BASE_URL).origin;
  if (isAtGitHub ? repositoryAt(url, config.GITHUB_BASE_URL) === null : !isConnected) {
    const place = `${config.GITHUB_BASE_URL}, as /<account>/<name>.git, or at a forge that you have connected`;
    throw invalidField(field, `takes a repository at ${place}`);
  }
  ensure(isConnected, 'GITHUB_NOT_CONNECTED', 'Connect a GitHub account before you ask for a pull request.');
}
