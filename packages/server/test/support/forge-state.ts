import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { git, startGitServer } from './git-server.ts';

/** A small forge on this machine: its issues and accounts in memory, its one repository by git's own server. */

export interface Account {
  id: number;
  login: string;
  token: string;
  mayWrite: boolean;
}

interface Said {
  id: number;
  by: Account;
  body: string;
  at: string;
  /** For members alone. */
  isInternal: boolean;
  /** The line of a file that it is about. */
  line?: { path: string; number: number };
}

export interface Ticket {
  number: number;
  title: string;
  body: string;
  isOpen: boolean;
  isConfidential: boolean;
  labels: string[];
  labelLog: { id: number; by: Account; label: string; isPut: boolean }[];
  said: Said[];
  /** Of a pull request. */
  pull: { branch: string; base: string; isFork: boolean } | null;
}

export interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  body: Record<string, unknown>;
  by: Account;
  state: ForgeState;
}

/** The status and the body of a reply. */
export type Answered = [status: number, body: unknown];

export interface ForgeState {
  url: string;
  /** The full name of the repository. */
  repository: string;
  /** Files of another repository of the account, named `tests`. */
  tests: Record<string, string>;
  tickets: Ticket[];
  statuses: { commit: string; [field: string]: unknown }[];
  branch(name: string): string | null;
  branches(): string[];
  file(path: string, ref: string): string | null;
  open(fields: Partial<Ticket> & { title: string }): Ticket;
  say(ticket: Ticket, body: string, by?: Account, isInternal?: boolean): Said;
  label(ticket: Ticket, label: string, by?: Account): void;
}

/** Puts `.agora.yml` or another file on the default branch. */
export function commitFile(path: string, name: string, content: string): void {
  writeFileSync(join(path, name), content);
  git(path, 'add', '-A');
  git(path, 'commit', '--quiet', '-m', `change ${name}`);
}

function makeRepository(path: string): void {
  mkdirSync(join(path, 'src'), { recursive: true });
  git(path, 'init', '--quiet', '--initial-branch=main');
  git(path, 'config', 'http.receivepack', 'true');
  writeFileSync(join(path, 'README'), 'alpha\n');
  writeFileSync(join(path, 'src/old.js'), 'old\n');
  writeFileSync(join(path, 'src/run.sh'), 'echo\n');
  chmodSync(join(path, 'src/run.sh'), 0o755);
  git(path, 'add', '-A');
  git(path, 'commit', '--quiet', '-m', 'one');
}

/** What answers is done, and nobody hears of it. */
const mute = (response: ServerResponse, then: () => void) => Object.assign(response, { write: () => true, end: then });

/** Like `git`, and null where it fails. */
function gitOrNull(path: string, ...words: string[]): string | null {
  try {
    return git(path, ...words);
  } catch {
    return null;
  }
}

/** `answer` has the API of one kind of forge; null is 404. */
export async function startForge(
  { repository, prefix, scheme, now }: { repository: string; prefix: string; scheme: string; now: () => Date },
  answer: (asked: Asked) => Answered | null,
) {
  const accounts: Account[] = [
    { id: 11, login: 'octocat', token: 'glpat-of_octocat.01', mayWrite: true },
    { id: 12, login: 'eve', token: 'glpat-of_eve.01', mayWrite: false },
    { id: 13, login: 'ada', token: 'glpat-of_ada.01', mayWrite: true },
  ];
  const [octocat, eve, ada] = accounts as [Account, Account, Account];
  let lastId = 100;
  /** Sees requests after the forge has done them; if it says true, nobody hears of the answer. */
  let watcher: ((request: IncomingMessage) => boolean) | null = null;
  /** What to do in place of the answer to a request, once the forge has done it; null where it is answered. */
  const fateOf = (request: IncomingMessage): (() => void) | null => {
    if (holder?.isIt(request)) {
      const { hold } = holder;
      holder = null;
      return hold;
    }
    return watcher?.(request) ? () => void request.socket.destroy() : null;
  };
  /** Of the request whose answer is kept for ever. */
  let holder: { isIt(request: IncomingMessage): boolean; hold(): void } | null = null;
  const server = await startGitServer((request, response) => {
    const { pathname } = new URL(request.url as string, 'http://forge');
    if (pathname.startsWith(prefix)) void reply(request, response);
    else {
      const fate = pathname.endsWith('/git-receive-pack') ? fateOf(request) : null;
      if (fate !== null) mute(response, fate);
      return isRefused(request, response);
    }
    return true;
  });
  const path = join(server.root, `${repository}.git`);
  makeRepository(path);

  const state: ForgeState = {
    url: server.url,
    repository,
    ...{ tests: {}, tickets: [], statuses: [] },
    branch: (name) => gitOrNull(path, 'rev-parse', '--verify', '--quiet', `refs/heads/${name}`),
    branches: () => git(path, 'for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n'),
    file: (name, ref) => gitOrNull(path, 'show', `${ref}:${name}`),
    open(fields) {
      const ticket: Ticket = {
        ...{ number: 0, body: '', isOpen: true, isConfidential: false, labels: [], labelLog: [], said: [], pull: null },
        ...fields,
      };
      state.tickets.push(ticket);
      return ticket;
    },
    say(ticket, body, by = octocat, isInternal = false) {
      lastId += 1;
      const said = { id: lastId, by, body, at: now().toISOString(), isInternal };
      ticket.said.push(said);
      return said;
    },
    label(ticket, label, by = octocat) {
      lastId += 1;
      ticket.labels.push(label);
      ticket.labelLog.push({ id: lastId, by, label, isPut: true });
    },
  };

  const accountOf = (token: string | undefined) => accounts.find((each) => each.token === token);

  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const [kind, token] = (request.headers.authorization ?? '').split(' ');
    const by = kind === scheme ? accountOf(token) : undefined;
    if (by === undefined) return void response.writeHead(401).end('{"message":"401 Unauthorized"}');
    const { pathname, searchParams: query } = new URL(request.url as string, 'http://forge');
    const text = Buffer.concat(parts).toString();
    const asked = { method: request.method as string, path: pathname.slice(prefix.length), query, by, state };
    const [status, body] = answer({ ...asked, body: text === '' ? {} : JSON.parse(text) }) ?? [404, {}];
    const fate = fateOf(request);
    if (fate !== null) return fate();
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  /** Git's requests: the repository is private, and eve may not push. */
  function isRefused(request: IncomingMessage, response: ServerResponse): boolean {
    const [, encoded = ''] = (request.headers.authorization ?? '').split(' ');
    const by = accountOf(Buffer.from(encoded, 'base64').toString().split(':')[1]);
    if (by && (by.mayWrite || !request.url?.includes('receive-pack'))) return false;
    response.writeHead(401, { 'www-authenticate': 'Basic realm="Forge"' }).end();
    return true;
  }

  return {
    ...{ state, path, octocat, eve, ada, url: server.url, seen: server.seen },
    watch(next: typeof watcher) {
      watcher = next;
    },
    /** The forge does the next such request and keeps its answer for ever; resolves when it is done. */
    hold: (method: string, path: RegExp): Promise<void> =>
      new Promise((hold) => {
        holder = { hold, isIt: (request) => request.method === method && path.test(request.url as string) };
      }),
    close: () => server.close(),
  };
}

export type Forge = Awaited<ReturnType<typeof startForge>>;
