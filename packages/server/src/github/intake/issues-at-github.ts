import { z } from 'zod';
import { type AskOptions, type GitHubApi, GitHubRefusal } from '../api.ts';

/** What there is of an issue is read a page of 100 at a time, so many pages of it, and so many characters of a comment. */
const mostPages = 5;
const mostChars = 10_000;

const user = z.object({ login: z.string().max(100) }).nullable();
const comment = z.object({ body: z.string().nullable(), user });
const shortened = comment.extend({
  body: z
    .string()
    .transform((text) => text.slice(0, mostChars))
    .nullable(),
});
const issue = z.object({
  title: z.string(),
  body: z.string().nullable(),
  state: z.string(),
  html_url: z.string().max(1_000),
  labels: z.array(z.object({ name: z.string() })),
  pull_request: z.unknown().optional(),
});
const event = z.object({
  event: z.string(),
  actor: user,
  label: z.object({ name: z.string() }).nullish(),
});
const pull = z.object({
  state: z.string(),
  head: z.object({ ref: z.string().max(300), repo: z.object({ full_name: z.string() }).nullable() }),
});
/** A directory or a link of the name is no file. */
const file = z
  .object({ type: z.literal('file'), encoding: z.literal('base64'), content: z.string() })
  .nullable()
  .catch(null);
const reference = z.object({ object: z.object({ sha: z.string().regex(/^[0-9a-f]{40}$/) }) });

/** A repository at GitHub as the connected account sees it. What is not there, or not any more, is null. */
export function issuesAt(api: GitHubApi, token: string, repository: string, signal: AbortSignal) {
  const ask = <T>(path: string, schema: z.ZodType<T>, options: AskOptions = {}) =>
    api.ask(token, `/repos/${repository}${path}`, schema, { ...options, signal });
  const get = async <T>(path: string, schema: z.ZodType<T>): Promise<T | null> => {
    const found = await nullWhereGone(ask(path, schema));
    return found?.value ?? null;
  };
  async function list<T>(path: string, schema: z.ZodType<T>, query: Record<string, string>): Promise<T[]> {
    const all: T[] = [];
    for (let page = 1; page <= mostPages; page++) {
      const asked = new URLSearchParams({ per_page: '100', page: String(page), ...query });
      const { value, hasNext } = await ask(`${path}?${asked}`, z.array(schema));
      all.push(...value);
      if (!hasNext) break;
    }
    return all;
  }
  return {
    defaultBranch: async () => (await ask('', z.object({ default_branch: z.string().max(300) }))).value.default_branch,
    /** Whether somebody may push to it. */
    async mayWrite(login: string): Promise<boolean> {
      const found = await get(
        `/collaborators/${encodeURIComponent(login)}/permission`,
        z.object({ permission: z.string() }),
      );
      return found !== null && ['admin', 'write'].includes(found.permission);
    },
    issue: (number: number) => get(`/issues/${number}`, issue),
    pull: (number: number) => get(`/pulls/${number}`, pull),
    comment: (id: number) => get(`/issues/comments/${id}`, comment),
    /** Those of an issue since then, oldest first. */
    comments: (number: number, since: string | null) =>
      list(`/issues/${number}/comments`, shortened, since === null ? {} : { since }),
    /** Who put the label on the issue last; null where GitHub does not say. */
    async labelledBy(number: number, name: string): Promise<string | null> {
      const events = await list(`/issues/${number}/events`, event, {});
      return (
        events.findLast(({ event: kind, label }) => kind === 'labeled' && label?.name === name)?.actor?.login ?? null
      );
    },
    async file(path: string, ref: string): Promise<string | null> {
      const found = await get(`/contents/${path}?ref=${encodeURIComponent(ref)}`, file);
      return found && Buffer.from(found.content, 'base64').toString('utf8');
    },
    async commitOf(branch: string): Promise<string | null> {
      return (await get(`/git/ref/heads/${branch}`, reference))?.object.sha ?? null;
    },
    say: (number: number, body: string) =>
      ask(`/issues/${number}/comments`, z.unknown(), { method: 'POST', body: { body } }),
    setStatus: (sha: string, status: object) =>
      ask(`/statuses/${sha}`, z.unknown(), { method: 'POST', body: { ...status, context: 'agora' } }),
  };
}

export type GitHubIssues = ReturnType<typeof issuesAt>;

const nullWhereGone = <T>(asking: Promise<T>): Promise<T | null> =>
  asking.catch((error) => {
    if (error instanceof GitHubRefusal && [404, 410].includes(error.answered)) return null;
    throw error;
  });
