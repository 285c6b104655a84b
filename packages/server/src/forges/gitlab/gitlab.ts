import { z } from 'zod';
import { type Answer, type AskOptions, type ForgeApi, nullWhereGone, pagesOf } from '../api.ts';
import {
  type Access,
  type Delivery,
  type Forge,
  type Person,
  placeOfLine,
  type Remark,
  type RepositoryAt,
  type Spot,
  type Told,
  wantedLabel,
} from '../forge.ts';
import type { Push } from '../push.ts';
import { mostChars, sha } from '../repos-api.ts';
import { asking, bodyOf, deliveryIdOf, isEqual, spotNumber } from '../signatures.ts';

/** GitLab, where a repository is a project and a pull request a merge request with numbers of its own. */

/** Who may push: developers and those above them. */
const developer = 30;

const user = z.object({ id: z.int(), username: z.string().max(255) });
const project = z.object({
  path_with_namespace: z
    .string()
    .regex(/^[\w.-]+(?:\/[\w.-]+)+$/)
    .max(300),
  visibility: z.string().optional(),
  default_branch: z.string().max(300).nullish(),
  permissions: z
    .object({
      project_access: z.object({ access_level: z.int() }).nullable(),
      group_access: z.object({ access_level: z.int() }).nullable(),
    })
    .optional(),
});
const issue = z.object({
  title: z.string(),
  description: z.string().nullable(),
  state: z.string(),
  web_url: z.string().max(1_000),
  labels: z.array(z.string()),
  confidential: z.boolean().optional(),
});
const mergeRequest = issue.extend({
  source_branch: z.string().max(300),
  source_project_id: z.int().nullable(),
  target_project_id: z.int(),
});
const note = z.object({
  body: z.string().transform((text) => text.slice(0, mostChars)),
  author: user.nullable(),
  system: z.boolean(),
  internal: z.boolean().optional(),
  confidential: z.boolean().nullish(),
  // Of a line of a merge request.
  position: z.object({ new_path: z.string().max(1_000).nullish(), new_line: z.int().nullish() }).nullish(),
  created_at: z.string(),
});
const labelEvent = z.object({
  id: z.int(),
  user: user.nullable(),
  action: z.string(),
  label: z.object({ name: z.string() }).nullable(),
});
const opened = z.object({ web_url: z.url().max(1_000) });

type Ask = <T>(path: string, schema: z.ZodType<T>, options?: AskOptions) => Promise<Answer<T>>;

const personOf = ({ id, username }: z.output<typeof user>): Person => ({ name: username, key: String(id) });
const remarkOf = ({ author, body, position }: z.output<typeof note>): Remark => ({
  ...{ by: author && personOf(author), body },
  ...(position?.new_path && { place: placeOfLine(position.new_path, position.new_line) }),
});
/** Members alone read it, and agents are none. */
const isHidden = ({ internal, confidential }: z.output<typeof note>): boolean =>
  internal === true || confidential === true;

export function createGitLab(api: ForgeApi, push: Push): Forge {
  const asker =
    ({ root, token }: Pick<Access, 'root' | 'token'>, below = '', signal?: AbortSignal): Ask =>
    (path, schema, options = {}) => {
      const line = { forge: 'gitlab', base: `${root}/api/v4`, headers: { authorization: `Bearer ${token}` } } as const;
      return api.ask(line, `${below}${path}`, schema, { ...options, ...(signal && { signal }) });
    };
  const projectAt = (repository: string) => `/projects/${encodeURIComponent(repository)}`;
  return {
    loginOf: async (access) => (await asker(access)('/user', user)).value.username,
    async find(access, repository) {
      const found = await nullWhereGone(asker(access)(projectAt(repository), project));
      if (found === null) return null;
      const { path_with_namespace: fullName, permissions } = found.value;
      const levels = [permissions?.project_access, permissions?.group_access].map((given) => given?.access_level ?? 0);
      // Neither says what an administrator may.
      return { fullName, canWrite: permissions === undefined || Math.max(...levels) >= developer };
    },
    async list(access, page, pageSize) {
      const query = `membership=true&min_access_level=${developer}&order_by=path&sort=asc&per_page=${pageSize}&page=${page}`;
      const { value, hasNext } = await asker(access)(`/projects?${query}`, z.array(project));
      const found = value.map((each) => ({
        fullName: each.path_with_namespace,
        isPrivate: each.visibility !== 'public',
        defaultBranch: each.default_branch ?? '',
      }));
      return { found, hasNext };
    },
    at: (access, repository, signal) =>
      projectOf(asker(access, projectAt(repository), signal), (branch, commitOf) =>
        push(access, repository, branch, commitOf, signal),
      ),
    isSigned: (secret, { headers }) => isEqual(secret, headers['x-gitlab-token']),
    read: readDelivery,
  };
}

function projectOf(
  ask: Ask,
  makeBranch: (branch: Parameters<Push>[2], commitOf: Parameters<Push>[3]) => ReturnType<Push>,
): RepositoryAt {
  const get = async <T>(path: string, schema: z.ZodType<T>, options?: AskOptions): Promise<T | null> =>
    (await nullWhereGone(ask(path, schema, options)))?.value ?? null;
  const all = <T>(path: string, schema: z.ZodType<T>, query: Record<string, string> = {}): Promise<T[]> =>
    pagesOf((page) =>
      ask(`${path}?${new URLSearchParams({ per_page: '100', page: String(page), ...query })}`, z.array(schema), {
        isLong: true,
      }),
    );
  const pathOfSpot = ({ number, isPull }: Spot) => `/${isPull ? 'merge_requests' : 'issues'}/${number}`;
  const commitOf = async (branch: string) =>
    (await get(`/repository/branches/${encodeURIComponent(branch)}`, z.object({ commit: z.object({ id: sha }) })))
      ?.commit.id ?? null;
  return {
    async defaultBranch() {
      const { value } = await ask('', project);
      return value.default_branch ?? 'main';
    },
    async mayWrite({ key }) {
      const member = z.object({ access_level: z.int(), state: z.string().optional() });
      const found = await get(`/members/all/${encodeURIComponent(key)}`, member);
      return found !== null && found.access_level >= developer && (found.state ?? 'active') === 'active';
    },
    async issue(spot) {
      const found = await get(pathOfSpot(spot), issue);
      // Members alone read it, and agents are none.
      if (found === null || found.confidential === true) return null;
      const { title, description, web_url: url, state, labels } = found;
      return { title, body: description ?? '', url, labels, isOpen: state === 'opened', isPull: spot.isPull };
    },
    async pull(number) {
      const found = await get(`/merge_requests/${number}`, mergeRequest);
      return (
        found && {
          isOpen: found.state === 'opened',
          branch: found.source_branch,
          isOwn: found.source_project_id === found.target_project_id,
        }
      );
    },
    async comment(spot, { id }) {
      const found = await get(`${pathOfSpot(spot)}/notes/${id}`, note);
      return found === null || found.system || isHidden(found) ? null : remarkOf(found);
    },
    async comments(spot, since) {
      const newest = await all(`${pathOfSpot(spot)}/notes`, note, { sort: 'desc', order_by: 'created_at' });
      return newest
        .toReversed()
        .filter((each) => !each.system && !isHidden(each))
        .filter(({ created_at }) => since === null || Date.parse(created_at) >= since.getTime())
        .map(remarkOf);
    },
    async labelling(spot, name) {
      const events = await all(`${pathOfSpot(spot)}/resource_label_events`, labelEvent);
      const last = events.findLast(({ action, label }) => action === 'add' && label?.name === name);
      return last?.user ? { by: personOf(last.user), id: last.id } : null;
    },
    async file(path, ref) {
      const schema = z.object({ encoding: z.literal('base64'), content: z.string() });
      const query = new URLSearchParams({ ref });
      const found = await get(`/repository/files/${encodeURIComponent(path)}?${query}`, schema, { isLong: true });
      return found && Buffer.from(found.content, 'base64');
    },
    async filesBelow(path, ref, most) {
      const entry = z.object({ type: z.string(), path: z.string().max(1_000) });
      const found = await nullWhereGone(all('/repository/tree', entry, { path, ref, recursive: 'true' }));
      const files = found?.filter(({ type }) => type === 'blob').map((each) => each.path);
      return files?.slice(0, most) ?? null;
    },
    commitOf,
    async say(spot, body) {
      await ask(`${pathOfSpot(spot)}/notes`, z.unknown(), { method: 'POST', body: { body } });
    },
    async tellVerdict(commit, { title, url }) {
      const body = { state: 'success', name: 'agora', description: title, target_url: url };
      await ask(`/statuses/${commit}`, z.unknown(), { method: 'POST', body });
    },
    async pullOf(branch, base) {
      const query = new URLSearchParams({ source_branch: branch, target_branch: base, state: 'all' });
      return (await ask(`/merge_requests?${query}`, z.array(opened))).value[0]?.web_url ?? null;
    },
    makeBranch: (branch) => makeBranch(branch, commitOf),
    async openPull({ branch, base, title, body, isDraft }) {
      const sent = {
        ...{ source_branch: branch, target_branch: base, description: body },
        title: isDraft ? `Draft: ${title}` : title,
      };
      return (await ask('/merge_requests', opened, { method: 'POST', body: sent })).value.web_url;
    },
  };
}

const label = z.object({ title: z.string() });
const has = (labels: z.output<typeof label>[]) => labels.some(({ title }) => title === wantedLabel);
const inProject = { project: z.object({ path_with_namespace: z.string().max(300) }) };
const labelled = z
  .object({
    ...inProject,
    object_kind: z.literal('issue'),
    object_attributes: z.object({ iid: spotNumber, action: z.string() }),
    changes: z.object({
      labels: z.object({ previous: z.array(label).default([]), current: z.array(label) }).optional(),
    }),
    labels: z.array(label).default([]),
  })
  .refine(({ object_attributes, changes, labels }) =>
    object_attributes.action === 'open'
      ? has(labels)
      : changes.labels !== undefined && has(changes.labels.current) && !has(changes.labels.previous),
  );
const commented = z.object({
  ...inProject,
  object_kind: z.literal('note'),
  object_attributes: z.object({
    id: z.int().min(1),
    note: asking,
    noteable_type: z.enum(['Issue', 'MergeRequest']),
    action: z.literal('create').optional(),
  }),
  issue: z.object({ iid: spotNumber }).optional(),
  merge_request: z.object({ iid: spotNumber }).optional(),
});

/** GitLab tells of confidential issues and notes under other names, which are not taken. */
function readDelivery(delivery: Delivery): Told | null {
  // Both stay as they are when it is sent again; older versions have the second alone.
  const deliveryId = deliveryIdOf(delivery, 'idempotency-key', 'x-gitlab-event-uuid');
  const event = delivery.headers['x-gitlab-event'];
  if (deliveryId === null) return null;
  if (event === 'Issue Hook') {
    const found = bodyOf(delivery, labelled);
    if (found === null) return null;
    const spot = { number: found.object_attributes.iid, isPull: false };
    return { deliveryId, repository: found.project.path_with_namespace, spot, comment: null };
  }
  const found = event === 'Note Hook' ? bodyOf(delivery, commented) : null;
  const isPull = found?.object_attributes.noteable_type === 'MergeRequest';
  const number = (isPull ? found?.merge_request : found?.issue)?.iid;
  if (!found || number === undefined) return null;
  const spot = { number, isPull };
  const comment = { id: found.object_attributes.id, kind: 'comment' as const };
  return { deliveryId, repository: found.project.path_with_namespace, spot, comment };
}
