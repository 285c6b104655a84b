import {
  type Account,
  type Answered,
  type Asked,
  type Forge,
  type ForgeState,
  startForge,
  type Ticket,
} from './forge-state.ts';

/** GitLab's API and webhooks, in the shapes of its documentation (docs.gitlab.com/api, …/user/project/integrations/webhook_events). */

const userOf = ({ id, login }: Account) => ({ id, username: login, name: login, state: 'active' });
const levelOf = ({ mayWrite, login }: Pick<Account, 'mayWrite' | 'login'>) =>
  login === 'octocat' ? 40 : mayWrite ? 30 : 20;
const projectOf = ({ repository, url }: ForgeState, by: Account) => ({
  ...{ id: 7, path_with_namespace: repository, visibility: 'private', default_branch: 'main' },
  ...{ web_url: `${url}/${repository}` },
  permissions: { project_access: { access_level: levelOf(by) }, group_access: null },
});
const issueOf = (ticket: Ticket, { url, repository }: ForgeState) => ({
  ...{ id: 1_000 + ticket.number, iid: ticket.number, project_id: 7, title: ticket.title, description: ticket.body },
  ...{ state: ticket.isOpen ? 'opened' : 'closed', labels: ticket.labels, confidential: ticket.isConfidential },
  web_url: `${url}/${repository}/-/${ticket.pull ? 'merge_requests' : 'issues'}/${ticket.number}`,
});
const mergeRequestOf = (ticket: Ticket, state: ForgeState) => ({
  ...issueOf(ticket, state),
  ...{ source_branch: ticket.pull?.branch, target_branch: ticket.pull?.base },
  ...{ source_project_id: ticket.pull?.isFork ? 8 : 7, target_project_id: 7 },
  draft: ticket.title.startsWith('Draft: '),
});
const noteOf = ({ id, by, body, at, isInternal, line }: Ticket['said'][number]) => ({
  ...(line && { type: 'DiffNote', position: { new_path: line.path, new_line: line.number, position_type: 'text' } }),
  ...{ id, body, author: userOf(by), system: false, internal: isInternal, confidential: isInternal, created_at: at },
});

function ofTests(rest: string, query: URLSearchParams, { tests }: ForgeState): Answered | null {
  if (rest === '') return [200, { path_with_namespace: 'group/tests', default_branch: 'main' }];
  if (rest === '/repository/tree') {
    const below = Object.keys(tests).filter((path) => path.startsWith(`${query.get('path')}/`));
    const entries = below.map((path) => ({ id: 'x', type: 'blob', mode: '100644', path }));
    return entries.length === 0
      ? null
      : [200, [{ id: 'y', type: 'tree', path: `${query.get('path')}/deep` }, ...entries]];
  }
  const content = tests[decodeURIComponent(rest.replace('/repository/files/', ''))];
  return content === undefined ? null : [200, { encoding: 'base64', content: Buffer.from(content).toString('base64') }];
}

function answer({ method, path, query, body, by, state }: Asked): Answered | null {
  if (path === '/user') return [200, userOf(by)];
  if (path === '/projects') return [200, [projectOf(state, by)]];
  if (path.startsWith('/projects/group%2Ftests'))
    return ofTests(path.slice('/projects/group%2Ftests'.length), query, state);
  const at = `/projects/${encodeURIComponent(state.repository)}`;
  if (!path.startsWith(at)) return null;
  const rest = path.slice(at.length);
  if (rest === '') return [200, projectOf(state, by)];
  const [, member] = /^\/members\/all\/(\d+)$/.exec(rest) ?? [];
  if (member === '11') return [200, { ...userOf({ ...by, id: 11, login: 'octocat' }), access_level: 40 }];
  if (member === '12') return [200, { ...userOf({ ...by, id: 12, login: 'eve' }), access_level: 20 }];
  if (member !== undefined) return member === '13' ? [200, { id: 13, state: 'active', access_level: 30 }] : null;
  const [, name] = /^\/repository\/files\/(.+)$/.exec(rest) ?? [];
  if (name !== undefined) {
    const content = state.file(decodeURIComponent(name), query.get('ref') ?? 'main');
    return content === null ? null : [200, { encoding: 'base64', content: Buffer.from(content).toString('base64') }];
  }
  const [, branch] = /^\/repository\/branches\/(.+)$/.exec(rest) ?? [];
  if (branch !== undefined) {
    const id = state.branch(decodeURIComponent(branch));
    return id === null ? [404, { message: '404 Branch Not Found' }] : [200, { name: branch, commit: { id } }];
  }
  const [, commit] = /^\/statuses\/(\w+)$/.exec(rest) ?? [];
  if (commit !== undefined) {
    state.statuses.push({ commit, ...body });
    return [201, { id: state.statuses.length }];
  }
  if (rest === '/merge_requests') return method === 'POST' ? openMergeRequest() : listMergeRequests();
  return ofTicket();

  function openMergeRequest(): Answered {
    const { source_branch, target_branch, title, description } = body as Record<string, string>;
    const known = state.tickets.find(({ pull }) => pull?.branch === source_branch);
    if (known) return [409, { message: ['Another open merge request already exists for this source branch'] }];
    const pull = { branch: source_branch as string, base: target_branch as string, isFork: false };
    const number = nextNumber(state, true);
    const ticket = state.open({ number, title: title as string, body: description as string, pull });
    return [201, mergeRequestOf(ticket, state)];
  }

  function listMergeRequests(): Answered {
    const found = state.tickets.filter(
      ({ pull }) => pull?.branch === query.get('source_branch') && pull.base === query.get('target_branch'),
    );
    return [200, found.map((each) => mergeRequestOf(each, state))];
  }

  function ofTicket(): Answered | null {
    const [, kind, number, more, id] =
      /^\/(issues|merge_requests)\/(\d+)(\/notes|\/resource_label_events)?(?:\/(\d+))?$/.exec(rest) ?? [];
    const isPull = kind === 'merge_requests';
    const ticket = state.tickets.find((each) => each.number === Number(number) && (each.pull !== null) === isPull);
    if (ticket === undefined) return null;
    if (more === undefined) return [200, isPull ? mergeRequestOf(ticket, state) : issueOf(ticket, state)];
    if (more === '/resource_label_events') {
      const events = ticket.labelLog.map((each) => ({
        ...{ id: each.id, user: userOf(each.by), action: each.isPut ? 'add' : 'remove', label: { name: each.label } },
      }));
      return [200, events];
    }
    if (method === 'POST') return [201, noteOf(state.say(ticket, body.body as string, by))];
    if (id === undefined) {
      const all = ticket.said.map(noteOf);
      return [200, query.get('sort') === 'desc' ? all.toReversed() : all];
    }
    const found = ticket.said.find((each) => each.id === Number(id));
    return found ? [200, noteOf(found)] : null;
  }
}

/** Issues and merge requests have numbers of their own. */
const nextNumber = ({ tickets }: ForgeState, isPull: boolean) =>
  tickets.filter(({ pull }) => (pull !== null) === isPull).length + 1;

export const startGitLab = (now: () => Date) =>
  startForge({ now, repository: 'group/sub/alpha', prefix: '/api/v4', scheme: 'Bearer' }, answer);

interface Hook {
  secret: string;
  id: string;
}

const sent = (event: string, payload: object, { secret, id }: Hook) => ({
  headers: {
    'content-type': 'application/json',
    'x-gitlab-event': event,
    'x-gitlab-token': secret,
    'x-gitlab-event-uuid': id,
    'idempotency-key': id,
  },
  body: JSON.stringify(payload),
});

const project = ({ state }: Forge) => ({ project: { id: 7, path_with_namespace: state.repository } });

export const gitlabHooks = {
  nextNumber: (forge: Forge, isPull: boolean) => nextNumber(forge.state, isPull),
  commented(forge: Forge, ticket: Ticket, { id, body, by, isInternal }: Ticket['said'][number], hook: Hook) {
    const isPull = ticket.pull !== null;
    const object = { id, note: body, noteable_type: isPull ? 'MergeRequest' : 'Issue', action: 'create' };
    const where = { [isPull ? 'merge_request' : 'issue']: { iid: ticket.number, title: ticket.title } };
    const isHidden = isInternal || ticket.isConfidential;
    const payload = { object_kind: 'note', user: userOf(by), ...project(forge), object_attributes: object, ...where };
    return sent(isHidden ? 'Confidential Note Hook' : 'Note Hook', payload, hook);
  },
  labelled(forge: Forge, ticket: Ticket, hook: Hook) {
    const current = ticket.labels.map((title) => ({ id: 1, title }));
    const changes = { labels: { previous: current.slice(0, -1), current } };
    const object = { id: 1_000 + ticket.number, iid: ticket.number, action: 'update', state: 'opened' };
    const payload = { object_kind: 'issue', ...project(forge), object_attributes: object, labels: current, changes };
    return sent('Issue Hook', payload, hook);
  },
  unsigned: ({ headers, body }: { headers: Record<string, string>; body: string }) => {
    const { 'x-gitlab-token': _, ...others } = headers;
    return { headers: others, body };
  },
};
