import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmulator } from 'emulate';
import type { Program } from '../demo/server.ts';
import type { RealProject } from './projects.ts';

/** GitHub on this machine: an emulator that others wrote has its API, and git itself serves the repositories. */

const account = 'ada';
const token = 'github_pat_of_ada';
/** The same for the commit at both places. */
const person = { name: 'Ada', email: 'ada@example.com', date: '2026-01-02T03:04:05Z' };

export interface Forge extends Program {
  token: string;
  /** Of the server. */
  settings: Record<string, string>;
  /** Puts the project there, and then its slip. Gives the name of the repository. */
  publish(project: RealProject): Promise<string>;
  /** A request to the API of a repository. */
  ask(method: string, path: string, body?: unknown): Promise<Reply>;
}

// biome-ignore lint/suspicious/noExplicitAny: what GitHub's API answers, of which the demo reads a few fields
type Reply = any;

export async function startForge(names: readonly string[]): Promise<Forge> {
  const repos = names.map((name) => ({ owner: account, name, auto_init: true }));
  const emulator = await createEmulator({
    service: 'github',
    port: 0,
    seed: {
      tokens: { [token]: { login: account, scopes: ['repo'] } },
      github: { users: [{ login: account, name: person.name }], repos },
    },
  });
  const root = mkdtempSync(join(tmpdir(), 'agora-forge-'));
  const server = createServer((request, response) => {
    if (request.url?.startsWith(`/${account}/`)) serveGit(root, request, response);
    else void passOn(emulator.url, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function ask(method: string, path: string, body?: unknown): Promise<Reply> {
    const reply = await fetch(`${url}/api/repos/${account}/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${path} at the forge: ${reply.status} ${text}`);
    return JSON.parse(text);
  }

  return {
    token,
    settings: { GITHUB_API_BASE: `${url}/api`, GITHUB_BASE_URL: url },
    ask,
    async publish({ name, sources, slip }) {
      const path = join(root, account, `${name}.git`);
      mkdirSync(path, { recursive: true });
      cpSync(sources, path, { recursive: true });
      git(path, 'init', '--quiet', '--initial-branch=main');
      commit(path, 'Take over the project');
      const parent = await mirror(ask, name, path, []);
      const file = join(path, slip.path);
      const text = readFileSync(file, 'utf8');
      if (!text.includes(slip.from)) throw new Error(`${slip.path} of ${name} has no "${slip.from}".`);
      writeFileSync(file, text.replace(slip.from, slip.to));
      commit(path, slip.message);
      await mirror(ask, name, path, [parent]);
      return `${account}/${name}`;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await emulator.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function git(cwd: string, ...words: string[]): string {
  const { name, email, date } = person;
  const env = {
    ...{ PATH: process.env.PATH, HOME: cwd, GIT_CONFIG_NOSYSTEM: '1' },
    ...{ GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: date },
    ...{ GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email, GIT_COMMITTER_DATE: date },
  };
  return execFileSync('git', words, { cwd, env, encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 }).trim();
}

function commit(path: string, message: string): void {
  git(path, 'add', '-A', '-f');
  git(path, 'commit', '--quiet', '-m', message);
}

/** Makes the same commit in the emulator, by the API. */
async function mirror(ask: Forge['ask'], name: string, path: string, parents: string[]): Promise<string> {
  const tree: unknown[] = [];
  for (const entry of git(path, 'ls-tree', '-r', 'HEAD').split('\n')) {
    const [, mode, sha, file] = /^(\d+) blob ([0-9a-f]+)\t(.*)$/.exec(entry) as RegExpExecArray;
    const content = readFileSync(join(path, file as string)).toString('base64');
    await ask('POST', `${name}/git/blobs`, { content, encoding: 'base64' });
    tree.push({ path: file, mode, type: 'blob', sha });
  }
  const { sha } = await ask('POST', `${name}/git/trees`, { tree });
  const message = `${git(path, 'log', '-1', '--format=%B')}\n`;
  const of = { author: person, committer: person };
  const made = await ask('POST', `${name}/git/commits`, { message, tree: sha, parents, ...of });
  const head = git(path, 'rev-parse', 'HEAD');
  if (made.sha !== head) throw new Error(`The commit of ${name} has become another one at the forge.`);
  await ask('PATCH', `${name}/git/refs/heads/main`, { sha: head, force: true });
  return head;
}

async function passOn(emulator: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const body = Buffer.concat(parts);
  const reply = await fetch(emulator + (request.url as string).replace(/^\/api/, ''), {
    method: request.method as string,
    headers: request.headers as Record<string, string>,
    redirect: 'manual',
    ...(body.length > 0 && { body }),
  });
  const link = reply.headers.get('link');
  response.writeHead(reply.status, { 'content-type': 'application/json', ...(link !== null && { link }) });
  response.end(await reply.text());
}

/** Git's own server over HTTP, for reading. */
function serveGit(root: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url as string, 'http://git');
  const backend = spawn('git', ['-c', 'safe.directory=*', 'http-backend'], {
    env: {
      ...{ PATH: process.env.PATH, HOME: root, GIT_PROJECT_ROOT: root, GIT_HTTP_EXPORT_ALL: '1' },
      ...{ REQUEST_METHOD: request.method, PATH_INFO: pathname, QUERY_STRING: search.slice(1), REMOTE_USER: '' },
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      ...(request.headers['content-encoding'] && { HTTP_CONTENT_ENCODING: request.headers['content-encoding'] }),
      ...(request.headers['git-protocol'] && { GIT_PROTOCOL: String(request.headers['git-protocol']) }),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(backend.stdin);
  backend.stdin.on('error', () => undefined);
  let head = Buffer.alloc(0);
  let isBody = false;
  backend.stdout.on('data', (chunk: Buffer) => {
    if (isBody) return void response.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) return;
    isBody = true;
    for (const line of head.toString('latin1', 0, end).split('\r\n')) {
      const [name = '', value = ''] = line.split(': ');
      if (name === 'Status') response.statusCode = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.write(head.subarray(end + 4));
  });
  backend.on('close', () => response.end());
}
