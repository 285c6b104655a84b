import { createHmac } from 'node:crypto';
import {
  type Account,
  type Answered,
  type Asked,
  type Forge,
  type ForgeState,
  startForge,
  type Ticket,
} from './forge-state.ts';

/** Gitea's API and webhooks, in the shapes of its documentation (docs.gitea.com/api, docs.gitea.com/usage/webhooks). */

const userOf = ({ id, login }: Account) => ({ id, login, username: login, full_name: '' });
const repositoryOf = ({ repository, url }: ForgeState, by: Account) => ({
  ...{ id: 1, full_name: repository, private: true, default_branch: 'main', html_url: `${url}/${repository}` },
  permissions: { admin: by.mayWrite, push: by.mayWrite, pull: true },
});
const labelsOf = ({ labels }: Ticket) => labels.map((name, nth) => ({ id: nth + 1, name }));
const issueOf = (ticket: Ticket, { url, repository }: ForgeState) => ({
  ...{ number: ticket.number, title: ticket.title, body: ticket.body, labels: labelsOf(ticket) },
  state: ticket.isOpen ? 'open' : 'closed',
  html_url: `${url}/${repository}/${ticket.pull ? 'pulls' : 'issues'}/${ticket.number}`,
  pull_request: ticket.pull && { merged: false },
});
const commentOf = ({ id, by, body, at }: Ticket['said'][number]) => ({ id, user: userOf(by), body, created_at: at });
const pullOf = (ticket: Ticket, state: ForgeState) => ({
  ...issueOf(ticket, state),
  draft: ticket.title.startsWith('WIP: '),
  head: {
    ref: ticket.pull?.branch,
    repo: { full_name: ticket.pull?.isFork ? 'eve/fork' : state.repository },
  },
  base: { ref: ticket.pull?.base },
});

/** A file, or what is in a directory. */
function ofTests(rest: string, { tests }: ForgeState): Answered | null {
  if (rest === '') return [200, { full_name: 'octocat/tests', default_branch: 'main', private: true }];
  const name = rest.replace('/contents/', '');
  const content = tests[name];
  if (content !== undefined) {
    return [200, { type: 'file', encoding: 'base64', content: Buffer.from(content).toString('base64') }];
  }
  const below = Object.keys(tests).filter((path) => path.startsWith(`${name}/`));
  const names = new Set(below.map((path) => path.slice(name.length + 1).split('/')[0] as string));
  const entries = [...names].map((each) => {
    const path = `${name}/${each}`;
    return { type: path in tests ? 'file' : 'dir', path, name: each };
  });
  return entries.length === 0 ? null : [200, entries];
}

function answer({ method, path, query, body, by, state }: Asked): Answered | null {
  if (path === '/user') return [200, userOf(by)];
  if (path === '/user/repos') return [200, [repositoryOf(state, by)]];
  if (path.startsWith('/repos/octocat/tests')) return ofTests(path.slice('/repos/octocat/tests'.length), state);
  const at = `/repos/${state.repository}`;
  if (!path.toLowerCase().startsWith(at.toLowerCase())) return null;
  const rest = path.slice(at.length);
  if (rest === '') return [200, repositoryOf(state, by)];
  const [, asked] = /^\/collaborators\/(\w+)\/permission$/.exec(rest) ?? [];
  if (asked !== undefined) return permissionOf(asked);
  const [, name] = /^\/contents\/(.+)$/.exec(rest) ?? [];
  if (name !== undefined) {
    const content = state.file(name, query.get('ref') ?? 'main');
    return content === null
      ? null
      : [200, { type: 'file', encoding: 'base64', content: Buffer.from(content).toString('base64') }];
  }
  const [, branch] = /^\/branches\/(.+)$/.exec(rest) ?? [];
  if (branch !== undefined) {
    const id = state.branch(decodeURIComponent(branch));
    return id === null ? null : [200, { name: decodeURIComponent(branch), commit: { id } }];
  }
  const [, commit] = /^\/statuses\/(\w+)$/.exec(rest) ?? [];
  if (commit !== undefined) {
    state.statuses.push({ commit, ...body });
    return [201, { id: state.statuses.length }];
  }
  return ofIssue(rest) ?? ofPull(rest);

  function permissionOf(login: string): Answered {
    const permission = { octocat: 'owner', ada: 'write' }[login] ?? 'read';
    // Others than its administrators learn only what they may themselves.
    return by.mayWrite || by.login === login ? [200, { permission, role_name: permission }] : [403, {}];
  }

  function ofIssue(below: string): Answered | null {
    const [, id] = /^\/issues\/comments\/(\d+)$/.exec(below) ?? [];
    const known = state.tickets.flatMap(({ said }) => said).find((each) => each.id === Number(id));
    if (id !== undefined) return known ? [200, commentOf(known)] : null;
    const [, number, more] = /^\/issues\/(\d+)(\/comments|\/timeline)?$/.exec(below) ?? [];
    const ticket = state.tickets.find((each) => each.number === Number(number));
    if (ticket === undefined) return null;
    if (more === undefined) return [200, issueOf(ticket, state)];
    if (more === '/timeline') {
      const put = ticket.labelLog.map(({ id, by: who, label, isPut }) => ({
        ...{ id, type: 'label', user: userOf(who), body: isPut ? '1' : '', label: { id: 1, name: label } },
      }));
      const entries = [...ticket.said.map((each) => ({ ...commentOf(each), type: 'comment' })), ...put];
      // No header says whether more follows.
      const from = (Number(query.get('page')) - 1) * 50;
      return [200, entries.slice(from, from + 50)];
    }
    if (method === 'POST') return [201, commentOf(state.say(ticket, body.body as string, by))];
    return [200, ticket.said.map(commentOf)];
  }

  function ofPull(below: string): Answered | null {
    const pulls = state.tickets.filter(({ pull }) => pull !== null);
    if (below === '/pulls' && method === 'POST') {
      const { head, base, title, body: text } = body as Record<string, string>;
      if (state.branch(head as string) === null) return null;
      if (pulls.some(({ pull }) => pull?.branch === head)) return [409, { message: 'pull request already exists' }];
      const pull = { branch: head as string, base: base as string, isFork: false };
      const ticket = state.open({ number: nextNumber(state), title: title as string, body: text as string, pull });
      return [201, pullOf(ticket, state)];
    }
    const [, number] = /^\/pulls\/(\d+)$/.exec(below) ?? [];
    const [, base, head] = /^\/pulls\/([^/]+)\/(.+)$/.exec(below) ?? [];
    const found = pulls.find((each) =>
      number === undefined
        ? each.pull?.base === decodeURIComponent(base ?? '') && each.pull.branch === decodeURIComponent(head ?? '')
        : each.number === Number(number),
    );
    return found ? [200, pullOf(found, state)] : null;
  }
}

/** Issues and pull requests are numbered together. */
const nextNumber = ({ tickets }: ForgeState) => tickets.length + 1;

export const startGitea = (now: () => Date) =>
  startForge({ now, repository: 'octocat/alpha', prefix: '/api/v1', scheme: 'token' }, answer);

interface Hook {
  secret: string;
  id: string;
}

function sent(event: string, type: string, payload: object, { secret, id }: Hook) {
  const body = JSON.stringify(payload);
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const headers = {
    'content-type': 'application/json',
    'x-gitea-delivery': id,
    'x-gitea-event': event,
    'x-gitea-event-type': type,
    'x-gitea-signature': signature,
    'x-github-delivery': id,
    'x-github-event': event,
    'x-hub-signature-256': `sha256=${signature}`,
  };
  return { headers, body };
}

const about = ({ state }: Forge, ticket: Ticket, by: Account) => ({
  ...{ issue: issueOf(ticket, state), repository: repositoryOf(state, by), sender: userOf(by) },
});

export const giteaHooks = {
  nextNumber: (forge: Forge, _isPull: boolean) => nextNumber(forge.state),
  commented(forge: Forge, ticket: Ticket, said: Ticket['said'][number], hook: Hook) {
    const type = ticket.pull ? 'pull_request_comment' : 'issue_comment';
    const payload = { action: 'created', ...about(forge, ticket, said.by), comment: commentOf(said) };
    return sent('issue_comment', type, { ...payload, is_pull: ticket.pull !== null }, hook);
  },
  /** It does not say which label has changed. */
  labelled: (forge: Forge, ticket: Ticket, hook: Hook) =>
    sent(
      'issues',
      'issue_label',
      { action: 'label_updated', number: ticket.number, ...about(forge, ticket, forge.octocat) },
      hook,
    ),
  unsigned: ({ headers, body }: { headers: Record<string, string>; body: string }) => {
    const { 'x-gitea-signature': _, 'x-hub-signature-256': __, ...others } = headers;
    return { headers: others, body };
  },
};
