import { z } from 'zod';
import { type AskOptions, type GitHubApi, GitHubRefusal } from '../api.ts';

const user = z.object({ login: z.string().max(100) }).nullable();
const comment = z.object({ body: z.string().nullable(), user });
const issue = z.object({
  title: z.string(),
  body: z.string().nullable(),
  state: z.string(),
  html_url: z.string().max(1_000),
  labels: z.array(z.object({ name: z.string() })),
  pull_request: z.unknown().optional(),
});
const pull = z.object({
  state: z.string(),
  head: z.object({ ref: z.string().max(300), repo: z.object({ full_name: z.string() }).nullable() }),
});
const file = z.object({ type: z.literal('file'), encoding: z.literal('base64'), content: z.string() });
const reference = z.object({ object: z.object({ sha: z.string().regex(/^[0-9a-f]{40}$/) }) });

/** Comments of an issue are read a page of 100 at a time, so many pages of it, and so many characters of each. */
const mostPages = 5;
const mostChars = 10_000;

/** A repository at GitHub as the connected account sees it. What is not there, or not any more, is null. */
export function issuesAt(api: GitHubApi, token: string, repository: string, signal: AbortSignal) {
  const ask = <T>(path: string, schema: z.ZodType<T>, options: AskOptions = {}) =>
    api.ask(token, `/repos/${repository}${path}`, schema, { ...options, signal });
  const get = async <T>(path: string, schema: z.ZodType<T>): Promise<T | null> => {
    const found = await nullWhereGone(ask(path, schema));
    return found?.value ?? null;
  };
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
    async comments(number: number, since: string | null) {
      const all: z.output<typeof comment>[] = [];
      for (let page = 1; page <= mostPages; page++) {
        const query = new URLSearchParams({ per_page: '100', page: String(page), ...(since && { since }) });
        const { value, hasNext } = await ask(`/issues/${number}/comments?${query}`, z.array(comment));
        all.push(...value.map(({ body, user }) => ({ user, body: body?.slice(0, mostChars) ?? null })));
        if (!hasNext) break;
      }
      return all;
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
