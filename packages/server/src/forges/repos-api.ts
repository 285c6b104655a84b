import { z } from 'zod';
import { type Answer, type AskOptions, nullWhereGone, pagesOf } from './api.ts';
import {
  type IssueAt,
  type Labelling,
  type Person,
  type PullAt,
  placeOfLine,
  type Remark,
  type RepositoryAt,
  type Spot,
} from './forge.ts';

/** What GitHub's API has of a repository, and Gitea's alike. */

/** Gitea gives 50 entries a page at most, the oldest first. */
const mostTimelinePages = 40;
/** What there is of a comment is read so far. */
export const mostChars = 10_000;

export const sha = z.string().regex(/^[0-9a-f]{40}$/);
const user = z.object({ login: z.string().max(100) }).nullable();
const comment = z.object({
  ...{ body: z.string().nullable(), user },
  // Of a line of a pull request.
  ...{ path: z.string().max(1_000).nullish(), line: z.int().nullish() },
});
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
  labels: z.array(z.object({ name: z.string() })).nullable(),
  pull_request: z.unknown().optional(),
});
const event = z.object({
  id: z.int(),
  event: z.string(),
  actor: user,
  label: z.object({ name: z.string() }).nullish(),
});
const timelineEntry = z.object({
  id: z.int(),
  type: z.string(),
  user,
  body: z.string().nullish(),
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
const listing = z.array(z.object({ type: z.string(), path: z.string().max(1_000) }));
const repositoryReply = z.object({
  full_name: z.string().regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/),
  permissions: z.object({ push: z.boolean() }).optional(),
});
export const listed = z.array(
  repositoryReply.pick({ full_name: true }).extend({ private: z.boolean(), default_branch: z.string().max(300) }),
);
export const pullReply = z.object({ html_url: z.url().max(1_000) });

export type Ask = <T>(path: string, schema: z.ZodType<T>, options?: AskOptions) => Promise<Answer<T>>;

const personOf = ({ login }: { login: string }): Person => ({ name: login, key: login });

const remarkOf = ({ body, user: by }: z.output<typeof comment>): Remark => ({
  by: by && personOf(by),
  body: body ?? '',
});

/** How both differ. */
export interface Dialect {
  /** The parameter for the size of a page. */
  size: 'per_page' | 'limit';
  /** Permissions that include pushing. */
  writers: string[];
}

export async function loginOf(ask: Ask): Promise<string> {
  return (await ask('/user', z.object({ login: z.string().min(1).max(100) }))).value.login;
}

export async function find(ask: Ask, repository: string) {
  const found = await nullWhereGone(ask(`/repos/${repository}`, repositoryReply));
  return found && { fullName: found.value.full_name, canWrite: found.value.permissions?.push !== false };
}

export async function list(ask: Ask, path: string, schema: z.ZodType<z.output<typeof listed>>) {
  const { value, hasNext } = await ask(path, schema);
  const found = value.map((each) => ({
    fullName: each.full_name,
    isPrivate: each.private,
    defaultBranch: each.default_branch,
  }));
  return { found, hasNext };
}

type Shared = Pick<
  RepositoryAt,
  'defaultBranch' | 'mayWrite' | 'issue' | 'pull' | 'comment' | 'comments' | 'file' | 'filesBelow' | 'say'
>;

export function sharedApi(ask: Ask, repository: string, { size, writers }: Dialect) {
  const get = async <T>(path: string, schema: z.ZodType<T>, options?: AskOptions): Promise<T | null> =>
    (await nullWhereGone(ask(path, schema, options)))?.value ?? null;
  const pageOf = <T>(path: string, schema: z.ZodType<T>, page: number, query: Record<string, string> = {}) => {
    const asked = new URLSearchParams({ [size]: '100', page: String(page), ...query });
    return ask(`${path}?${asked}`, z.array(schema), { isLong: true });
  };
  const all = <T>(path: string, schema: z.ZodType<T>, query: Record<string, string>): Promise<T[]> =>
    pagesOf((page) => pageOf(path, schema, page, query));
  /** The first page has the oldest; the last one may have few. */
  async function newestOf<T>(path: string, schema: z.ZodType<T>): Promise<T[]> {
    const first = await pageOf(path, schema, 1);
    const last = first.lastPage ?? 1;
    const numbers = [last - 1, last].filter((page) => page > 1);
    const later = await Promise.all(numbers.map((page) => pageOf(path, schema, page)));
    return [...(last > 2 ? [] : first.value), ...later.flatMap(({ value }) => value)];
  }
  const shared: Shared = {
    defaultBranch: async () => (await ask('', z.object({ default_branch: z.string().max(300) }))).value.default_branch,
    async mayWrite({ key }) {
      const path = `/collaborators/${encodeURIComponent(key)}/permission`;
      const found = await get(path, z.object({ permission: z.string() }));
      return found !== null && writers.includes(found.permission);
    },
    async issue({ number }): Promise<IssueAt | null> {
      const found = await get(`/issues/${number}`, issue);
      return (
        found && {
          ...{ title: found.title, body: found.body ?? '', url: found.html_url, isOpen: found.state === 'open' },
          isPull: found.pull_request !== undefined && found.pull_request !== null,
          labels: (found.labels ?? []).map(({ name }) => name),
        }
      );
    },
    async pull(number): Promise<PullAt | null> {
      const found = await get(`/pulls/${number}`, pull);
      if (found === null) return null;
      const { ref, repo } = found.head;
      const isOwn = repo?.full_name.toLowerCase() === repository.toLowerCase();
      return { isOpen: found.state === 'open', branch: ref, isOwn };
    },
    async comment({ number }, { id, kind }) {
      const path = {
        comment: `/issues/comments/${id}`,
        line: `/pulls/comments/${id}`,
        review: `/pulls/${number}/reviews/${id}`,
      };
      const found = await get(path[kind], comment);
      if (found === null || !found.path) return found && remarkOf(found);
      return { ...remarkOf(found), place: placeOfLine(found.path, found.line) };
    },
    async comments({ number }, since) {
      const path = `/issues/${number}/comments`;
      const found = await (since === null
        ? newestOf(path, shortened)
        : all(path, shortened, { since: since.toISOString() }));
      return found.map(remarkOf);
    },
    async file(path, ref) {
      const found = await get(`/contents/${pathOf(path)}?ref=${encodeURIComponent(ref)}`, file, { isLong: true });
      return found && Buffer.from(found.content, 'base64');
    },
    async filesBelow(path, ref, most) {
      const found: string[] = [];
      const waiting = [path];
      for (let asked = 0; asked < most && found.length < most; asked++) {
        const at = waiting.shift();
        if (at === undefined) break;
        const below = await get(`/contents/${pathOf(at)}?ref=${encodeURIComponent(ref)}`, listing);
        if (below === null) return null;
        for (const each of below) {
          if (each.type === 'dir') waiting.push(each.path);
          else if (each.type === 'file') found.push(each.path);
        }
      }
      return found.slice(0, most);
    },
    async say({ number }, body) {
      await ask(`/issues/${number}/comments`, z.unknown(), { method: 'POST', body: { body } });
    },
  };
  return {
    ...shared,
    get,
    /** By the events of an issue, as GitHub has them. */
    async labellingByEvents({ number }: Spot, name: string): Promise<Labelling | null> {
      const events = await newestOf(`/issues/${number}/events`, event);
      const last = events.findLast(({ event: kind, label }) => kind === 'labeled' && label?.name === name);
      return last?.actor ? { by: personOf(last.actor), id: last.id } : null;
    },
    /** By its timeline, as Gitea has it: a label that was put has the text 1, and one that was taken none. */
    async labellingByTimeline({ number }: Spot, name: string): Promise<Labelling | null> {
      const isOurs = ({ type, body, label }: z.output<typeof timelineEntry>) =>
        type === 'label' && body === '1' && label?.name === name;
      let last: z.output<typeof timelineEntry> | undefined;
      // Gitea does not say whether more follows, and leaves out of a page what the account may not read.
      for (let page = 1; page <= mostTimelinePages; page++) {
        const { value } = await pageOf(`/issues/${number}/timeline`, timelineEntry, page);
        if (value.length === 0) break;
        last = value.findLast(isOurs) ?? last;
      }
      return last?.user ? { by: personOf(last.user), id: last.id } : null;
    },
  };
}

export const pathOf = (branch: string): string => branch.split('/').map(encodeURIComponent).join('/');
