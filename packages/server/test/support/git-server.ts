import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface GitServer {
  /** Where repositories lie, and below which URL they are served. */
  root: string;
  url: string;
  /** Requests so far, by method and path. */
  seen: string[];
  close(): Promise<void>;
}

/** Runs git in a directory with an identity and a clock of its own. */
export function git(cwd: string, ...words: string[]): string {
  const env = {
    PATH: process.env.PATH,
    HOME: cwd,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.com',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.com',
    GIT_AUTHOR_DATE: '2026-01-02T03:04:05Z',
    GIT_COMMITTER_DATE: '2026-01-02T03:04:05Z',
  };
  return execFileSync('git', words, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

/** A bundle of a repository with these files. */
export function bundleOf(files: Record<string, string>): Buffer<ArrayBuffer> {
  const repo = mkdtempSync(join(tmpdir(), 'agora-bundle-'));
  try {
    git(repo, 'init', '--quiet', '--initial-branch=main');
    for (const [path, text] of Object.entries(files)) writeFileSync(join(repo, path), text);
    git(repo, 'add', '-A');
    git(repo, 'commit', '--quiet', '-m', 'one');
    git(repo, 'bundle', 'create', '.git/bundle', 'HEAD');
    return readFileSync(join(repo, '.git/bundle'));
  } finally {
    rmSync(repo, { recursive: true });
  }
}

/** Git's own server over smart HTTP, and in front of it whatever a test puts there. */
export async function startGitServer(
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean = () => false,
): Promise<GitServer> {
  const root = mkdtempSync(join(tmpdir(), 'agora-git-'));
  mkdirSync(join(root, 'home'));
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    if (!intercept(request, response)) serveGit(root, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    root,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(root, { recursive: true, force: true });
    },
  };
}

export function serveGit(root: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url as string, 'http://git');
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      HOME: join(root, 'home'),
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: request.method,
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      REMOTE_USER: '',
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
