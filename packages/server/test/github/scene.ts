import { createHmac, generateKeyPairSync, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createEmulator } from 'emulate';
import { makePair } from '../api/scene.ts';
import { startGitServer } from '../support/git-server.ts';
import type { TestOwner, TestServer } from '../support/harness.ts';

/** The token of the account `octocat`; every other one is refused. */
export const goodToken = 'github_pat_of_octocat';
/** The token of `eve`, who may comment and nothing more. */
export const strangersToken = 'github_pat_of_eve';

/** The GitHub App of the operator; the emulator checks its signatures. */
export const theApp = {
  id: 4711,
  installation: 815,
  slug: 'agora-app',
  webhookSecret: 'secret of the App',
  privateKey: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }) as string,
};

/**
 * GitHub on this machine: an emulator that others wrote has its API and its sign-in; git's own server has the
 * repositories below `/octocat`, private ones for the good token alone. The emulator takes any token for somebody's, so
 * the wrong ones are refused in front of it.
 */
export async function startGitHub() {
  const emulator = await createEmulator({
    service: 'github',
    port: 0,
    seed: {
      tokens: {
        [goodToken]: { login: 'octocat', scopes: ['repo'] },
        [strangersToken]: { login: 'eve', scopes: ['repo'] },
      },
      github: {
        users: [
          { login: 'octocat', name: 'The Octocat' },
          { login: 'eve', name: 'Eve' },
        ],
        oauth_apps: [{ client_id: 'app', client_secret: 'app-secret', name: 'Agora', redirect_uris: ['http://page/'] }],
        apps: [
          {
            ...{ app_id: theApp.id, slug: theApp.slug, name: 'Agora', private_key: theApp.privateKey },
            permissions: {
              checks: 'write',
              contents: 'write',
              issues: 'write',
              pull_requests: 'write',
              metadata: 'read',
            },
            installations: [{ installation_id: theApp.installation, account: 'octocat' }],
          },
        ],
        repos: ['alpha', 'beta', 'gamma'].map((name) => ({
          owner: 'octocat',
          name,
          private: name !== 'beta',
          auto_init: true,
        })),
      },
    },
  });
  const issued = new Set([goodToken, strangersToken]);
  /** Answers of the API from now on, instead of the emulator's. */
  let answer: ((response: ServerResponse) => void) | null = null;
  /** Sees requests of the API after the emulator has; if it says true, nobody hears of the answer. */
  let watcher: ((request: IncomingMessage) => boolean) | null = null;
  /** What the emulator does not know: the installations that a person sees, and who administers an organization. */
  const people = {
    installations: [] as object[],
    repositories: [] as object[],
    memberships: {} as Record<string, object>,
  };
  /** The forms that asked for a token. */
  const exchanges: URLSearchParams[] = [];
  const git = await startGitServer((request, response) => {
    const { pathname } = new URL(request.url as string, 'http://github');
    if (pathname.startsWith('/octocat/')) return isRefused(request, response, pathname, issued);
    void passOn(request, response, pathname);
    return true;
  });

  const pulls = pullsAsIssues(emulator.url);

  async function passOn(request: IncomingMessage, response: ServerResponse, pathname: string) {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts);
    const token = /^Bearer ([\w.-]+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (answer !== null) return answer(response);
    // Signatures of the App, which the emulator judges.
    const isApp = token?.startsWith('eyJ') === true;
    if (pathname.startsWith('/api/') && !isApp && !issued.has(token ?? ''))
      return void response.writeHead(401).end('{}');
    const ofPull = await pulls.answer(request, pathname.replace(/^\/api/, ''), body);
    const ofPerson = personsReply(pathname.replace(/^\/api/, ''));
    if (ofPerson !== null) return void response.writeHead(200, { 'content-type': 'application/json' }).end(ofPerson);
    if (ofPull !== null) return void response.writeHead(200, { 'content-type': 'application/json' }).end(ofPull);
    if (pathname === '/login/oauth/access_token') exchanges.push(new URLSearchParams(body.toString()));
    const reply = await fetch(emulator.url + (request.url as string).replace(/^\/api/, ''), {
      method: request.method as string,
      headers: { ...(request.headers as Record<string, string>) },
      redirect: 'manual',
      ...(body.length > 0 && { body }),
    });
    const text = await reply.text();
    if (pathname.startsWith('/api/') && watcher?.(request)) return;
    const made = /"(?:access_)?token":"([\w-]+)"/.exec(text)?.[1];
    if (made !== undefined) issued.add(made);
    const link = reply.headers.get('link');
    response.writeHead(reply.status, { 'content-type': 'application/json', ...(link !== null && { link }) }).end(text);
  }

  function personsReply(path: string): string | null {
    if (path === '/user/installations') return JSON.stringify({ installations: people.installations });
    // The emulator does not know these of an installation.
    if (path === '/installation/repositories')
      return JSON.stringify({ total_count: 1, repositories: people.repositories });
    const membership = people.memberships[/^\/user\/memberships\/orgs\/(\w+)$/.exec(path)?.[1] ?? ''];
    return membership === undefined ? null : JSON.stringify(membership);
  }

  return {
    url: git.url,
    root: git.root,
    seen: git.seen,
    exchanges,
    people,
    /** Settings of an operator that has set up the App. */
    appSettings: {
      ...{ GITHUB_APP_ID: String(theApp.id), GITHUB_APP_PRIVATE_KEY: theApp.privateKey },
      ...{
        GITHUB_APP_WEBHOOK_SECRET: theApp.webhookSecret,
        GITHUB_CLIENT_ID: 'app',
        GITHUB_CLIENT_SECRET: 'app-secret',
      },
    },
    settings: { GITHUB_API_BASE: `${git.url}/api`, GITHUB_BASE_URL: git.url, OUTBOUND_ALLOW_LOOPBACK: true },
    agree: (page: string) => agreed(emulator.url, page),
    watch(next: typeof watcher) {
      watcher = next;
    },
    /** GitHub does the next such request and keeps its answer for ever; resolves when it is done. */
    hold: (method: string, path: RegExp): Promise<void> =>
      new Promise((hold) => {
        watcher = (request) => {
          if (request.method !== method || !path.test(request.url as string)) return false;
          watcher = null;
          hold();
          return true;
        };
      }),
    answer(next: typeof answer) {
      answer = next;
    },
    /** The token ends, as if it was revoked at GitHub. */
    revoke: (token: string) => issued.delete(token),
    restore: (token: string) => issued.add(token),
    async close() {
      await git.close();
      await emulator.close();
    },
  };
}

/**
 * At GitHub a pull request is an issue too, with comments; the emulator knows it as a pull request alone. Gives the reply to
 * a request about such an issue, and null for any other.
 */
function pullsAsIssues(url: string) {
  const comments: { at: string; id: number; body: string; user: { login: string } }[] = [];
  return {
    async answer({ method, headers }: IncomingMessage, path: string, body: Buffer): Promise<string | null> {
      const known = comments.find(({ id }) => path.endsWith(`/issues/comments/${id}`));
      if (known !== undefined) return JSON.stringify(known);
      const [, at, number, more] = /^(\/repos\/[^/]+\/[^/]+)\/issues\/(\d+)(\/comments)?$/.exec(path) ?? [];
      if (at === undefined) return null;
      const asked = { headers: { authorization: headers.authorization as string } };
      const found = await fetch(`${url}${at}/pulls/${number}`, asked);
      const pull = (await found.json()) as Record<string, unknown>;
      if (!found.ok) return null;
      if (more === undefined) return JSON.stringify({ ...pull, labels: [], pull_request: {} });
      if (method === 'GET') return JSON.stringify(comments.filter((comment) => comment.at === path));
      const { login } = (await (await fetch(`${url}/user`, asked)).json()) as { login: string };
      const comment = {
        at: path,
        id: 1_000_000 + comments.length,
        body: JSON.parse(body.toString()).body,
        user: { login },
      };
      comments.push(comment);
      return JSON.stringify(comment);
    },
  };
}

/** The party as a client of another server. */
export const partyAt = <T extends { agora: TestOwner['agora'] }>(baseUrl: string, party: T): T => ({
  ...party,
  agora: party.agora.withOptions({ baseUrl }),
});

/** A new pair at a server that knows this GitHub, with the buyer connected unless told otherwise. */
export async function partiesAt(server: TestServer, url: string, { connected = true } = {}) {
  const pair = await makePair(server);
  const [buyer, agent] = [partyAt(url, pair.buyer), partyAt(url, pair.agent)];
  if (connected) await buyer.agora.github.connect({ token: goodToken });
  return { buyer, agent };
}

/** Where the owner agrees at GitHub: the code that its browser then brings. */
async function agreed(base: string, page: string): Promise<{ code: string; state: string }> {
  const asked = new URL(page).searchParams;
  const form = { login: 'octocat', redirect_uri: 'http://page/', scope: asked.get('scope') ?? '' };
  const reply = await fetch(`${base}/login/oauth/callback`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({
      ...form,
      client_id: asked.get('client_id') ?? '',
      state: asked.get('state') ?? '',
    }),
  });
  const sent = new URL(reply.headers.get('location') as string).searchParams;
  return { code: sent.get('code') as string, state: sent.get('state') as string };
}

export type FakeGitHub = Awaited<ReturnType<typeof startGitHub>>;

/** As GitHub shows the installation to a person (docs.github.com, REST API: apps, installations). */
export const installation = { id: theApp.installation, app_id: theApp.id, app_slug: theApp.slug };

/** octocat has installed the App at its account, which this gives. */
export async function installAt(github: FakeGitHub): Promise<{ id: number; login: string; type: string }> {
  const headers = { authorization: `Bearer ${goodToken}` };
  const { id } = await (await fetch(`${github.settings.GITHUB_API_BASE}/user`, { headers })).json();
  const account = { id, login: 'octocat', type: 'User' };
  github.people.installations = [{ ...installation, account }];
  return account;
}

/** A webhook's message. */
export interface Message {
  headers: Record<string, string>;
  body: string;
}

/** What GitHub tells the App. */
export function appHook(
  event: string,
  payload: object,
  sent: { secret?: string; id?: string; installation?: number } = {},
): Message {
  const { secret = theApp.webhookSecret, id = randomUUID(), installation: from = theApp.installation } = sent;
  const body = JSON.stringify({
    ...{ repository: { full_name: 'octocat/alpha' }, installation: { id: from }, ...payload },
  });
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const headers = { 'content-type': 'application/json', 'x-github-event': event, 'x-github-delivery': id };
  return { headers: { ...headers, 'x-hub-signature-256': `sha256=${signature}` }, body };
}

/** Sends it to a webhook of a server, and gives the status of the reply. */
export async function postTo(url: string, place: string, message: Message): Promise<number> {
  const reply = await fetch(`${url}/api/v1/github/${place}/webhook`, { method: 'POST', ...message });
  await reply.arrayBuffer();
  return reply.status;
}

/** What a server has said, each with its kind in front. */
export const saidIn = (comments: readonly { body: string }[]): string[] =>
  comments
    .filter(({ body }) => body.startsWith('<!-- agora '))
    .map(({ body }) => body.replace(/^<!-- agora \S+ (\w+) -->\n/, '$1: '));

/** As GitHub: a private repository is not there for others, and a wrong token is refused even where none is needed. */
function isRefused(request: IncomingMessage, response: ServerResponse, path: string, issued: Set<string>): boolean {
  const [kind, encoded = ''] = (request.headers.authorization ?? '').split(' ');
  const [user, token = ''] = Buffer.from(encoded, 'base64').toString().split(':');
  const isKnown = kind === 'Basic' && user === 'x-access-token' && issued.has(token);
  if (isKnown || (request.headers.authorization === undefined && path.startsWith('/octocat/beta'))) return false;
  response.writeHead(401, { 'www-authenticate': 'Basic realm="GitHub"' }).end();
  return true;
}
