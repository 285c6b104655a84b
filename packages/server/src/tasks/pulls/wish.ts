import type { TaskInput } from '@agora/contract';
import { type AgentCaller, type Config, ensure, invalidField, type OwnerCaller } from '../../platform/index.ts';

/** A pull request as a task's buyer asked for it. */
export interface PullWish {
  /** `<account>/<name>` at GitHub. */
  repository: string;
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

/** Null where no pull request is wanted, or the repository is not at this GitHub. */
export function pullWish({ repo }: TaskInput, { GITHUB_BASE_URL }: Pick<Config, 'GITHUB_BASE_URL'>): PullWish | null {
  if (!repo?.pullRequest) return null;
  const repository = repositoryAt(repo.url, GITHUB_BASE_URL);
  if (repository === null) return null;
  const asked = repo.pullRequest === true ? {} : repo.pullRequest;
  const { base = null, title = null, draft = false, runChecks = false } = asked;
  return { repository, ref: repo.ref ?? null, base, title, draft, runChecks };
}

function repositoryAt(url: string, base: string): string | null {
  const [{ origin, pathname, search }, root] = [new URL(url), new URL(base)];
  const above = root.pathname.replace(/\/$/, '');
  if (origin !== root.origin || search !== '' || !pathname.startsWith(`${above}/`)) return null;
  const [, account, name] =
    /^\/([\w.-]{1,100})\/([\w.-]{1,100}?)(?:\.git)?\/?$/.exec(pathname.slice(above.length)) ?? [];
  const isName = (part = '.') => !/^\.+$/.test(part);
  return isName(account) && isName(name) ? `${account}/${name}` : null;
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
  const wish = pullWish(input, config);
  if (wish === null)
    throw invalidField(field, `takes a repository at ${config.GITHUB_BASE_URL}, as /<account>/<name>.git`);
  const isConnected = await inputs.hasToken(caller.ownerId, input.repo?.url as string);
  ensure(isConnected, 'GITHUB_NOT_CONNECTED', 'Connect a GitHub account before you ask for a pull request.');
}
