import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Config } from '../../src/platform/index.ts';
import { siteKey } from '../support/turnstile.ts';
import { type SecondApp, serverForFile, startSecondApp } from './scene.ts';

/** How the server hands out the dashboard: its page and its files. The pages themselves are tested in a browser. */

const server = serverForFile();
const script = `document.title = 'Agora'; // ${'x'.repeat(2000)}`;
const template = '<!doctype html>\n<html lang="en"><head><title>Agora</title></head><body></body></html>\n';

let directory: string;
const opened: SecondApp[] = [];
/** A server of the planted dashboard; closed at the end. */
async function serving(config: Partial<Config> = {}, dashboard = directory): Promise<string> {
  const second = await startSecondApp(server, { config: { ...server.config, ...config }, dashboard });
  opened.push(second);
  return second.url;
}

let url: string;
beforeAll(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'agora-dashboard-')), 'dist');
  for (const name of ['assets', '.vite']) await mkdir(join(directory, name), { recursive: true });
  const files = {
    'index.html': template,
    '.vite/manifest.json': JSON.stringify({
      'src/pages/start/StartPage.tsx': { file: 'assets/start-1.js', imports: ['_base.js'] },
      'src/pages/task/TaskPage.tsx': { file: 'assets/task-1.js', imports: ['_base.js', '_parts.js'] },
      'src/app/owner-frame.ts': { file: 'assets/frame-1.js', imports: ['_parts.js'] },
      '_base.js': { file: 'assets/base-1.js' },
      '_parts.js': { file: 'assets/parts-1.js', imports: ['_base.js'] },
    }),
    'favicon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'assets/main-4f2a.js': script,
    'assets/main-4f2a.js.br': brotliCompressSync(script),
    'assets/main-4f2a.js.gz': gzipSync(script),
    'assets/plain-77aa.css': 'h1 { color: red }',
    '../secret.txt': 'not for you',
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content);
  url = await serving();
});
afterAll(async () => {
  for (const { app } of opened) await app.close();
  await rm(join(directory, '..'), { recursive: true, force: true });
});

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const open = (path: string, headers: Record<string, string> = {}, base = url) =>
  fetch(`${base}${path}`, { headers: { ...browser, ...headers } });

interface Raw {
  status: number;
  headers: Record<string, unknown>;
  body: Buffer;
}

/** Sends the path as it is: `fetch` resolves dots, and unpacks what it gets. */
const raw = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  new Promise<Raw>((resolve, reject) => {
    const sent = httpRequest(new URL(url), { path, headers, method }, async (response) => {
      const parts: Buffer[] = [];
      for await (const part of response) parts.push(part);
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) });
    });
    sent.on('error', reject).end();
  });

describe('the page', () => {
  test.each(['/', '/tasks', '/tasks/task_1?status=failed', '/apiary', '/agents/a.b'])('is at %s', async (path) => {
    const answer = await open(path);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await answer.text()).toContain('<title>Agora</title>');
  });

  test.each([
    ['/', false, ['start', 'base']],
    ['/agents', false, []],
    ['/', true, ['frame', 'parts', 'base', 'start']],
    ['/tasks/tsk_1', true, ['frame', 'parts', 'base', 'task']],
    ['/vault', true, ['frame', 'parts', 'base']],
  ] as const)('at %s (owner: %s) names the files it begins with: %j', async (path, isOwner, names) => {
    const page = await (await open(path, isOwner ? { cookie: 'agora-session=ac_sess_x' } : {})).text();
    const links = [
      ...page.matchAll(/<link rel="modulepreload" href="\.\/assets\/(\w+)-1\.js" fetchpriority="low">/g),
    ].map(([, name]) => name);
    expect(links).toEqual(names);
    expect(page.includes('href="./api/v1/auth/session"')).toBe(isOwner);
  });

  test('is at / for programs too, which find it at no other path', async () => {
    expect((await open('/', { accept: '*/*' })).status).toBe(200);
    expect((await open('/tasks', { accept: '*/*' })).status).toBe(404);
    expect((await open('/tasks', { accept: 'application/json' })).status).toBe(404);
  });

  test.each([
    '/api',
    '/api/v1/nothing',
    '/api/v2/tasks',
    '/%61pi/v1/nothing',
    '/mcp/x',
    '/docs/nothing',
    '/.well-known/nothing',
    '/assets',
    '/assets/',
    '/assets/gone-1234.js',
  ])('is not at %s, which is refused as ever', async (path) => {
    const answer = await open(path);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ success: false, error: { code: 'ROUTE_NOT_FOUND' } });
  });

  test('answers nothing but GET and HEAD', async () => {
    const head = await fetch(`${url}/tasks`, { method: 'HEAD', headers: browser });
    const get = await open('/tasks');
    expect(head.status).toBe(200);
    for (const name of ['content-length', 'content-type', 'etag', 'content-security-policy'])
      expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
    expect(await head.text()).toBe('');
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      expect((await fetch(`${url}/tasks`, { method, headers: browser })).status).toBe(404);
  });

  test('is asked for each time, and sent only where it has changed', async () => {
    const first = await open('/');
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    expect(first.headers.get('vary')).toBe('cookie');
    const etag = first.headers.get('etag') as string;
    const again = await open('/', { 'if-none-match': etag });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    expect((await open('/', { 'if-none-match': etag, cookie: 'agora-session=x' })).status).toBe(200);
  });

  test('knows what it needs before its first request', async () => {
    const visited = await (await open('/')).text();
    expect(visited).toContain(
      '<html data-refund-window-ms="600000" data-earnings-hold-ms="900000" data-dispute-window-ms="1209600000" data-env="development" data-visitor="" lang="en">',
    );
    expect(visited).toContain('<head><base href="/">');
    const signedIn = await (await open('/', { cookie: 'theme=dark; agora-session=ses_1' })).text();
    expect(signedIn).not.toContain('data-visitor');
  });

  test('is told of its own path where a proxy serves it below one', async () => {
    const base = async (PUBLIC_URL: string) =>
      /<base[^>]*>/.exec(await (await open('/tasks', {}, await serving({ PUBLIC_URL }))).text())?.[0];
    expect(await base('https://example.com/agora')).toBe('<base href="/agora/">');
    expect(await base('https://example.com/a&b"><script>/')).toBe('<base href="/a&#38;b%22%3E%3Cscript%3E/">');
  });

  test('below a path has the cookie of that path', async () => {
    const base = await serving({ PUBLIC_URL: 'https://example.com/agora' });
    const page = async (cookie: string) => (await open('/', { cookie }, base)).text();
    expect(await page('__Secure-agora-session=x')).not.toContain('data-visitor');
    expect(await page('agora-session=x')).toContain('data-visitor');
  });
});

describe('what a browser may do with it', () => {
  const policy = (answer: Response) => answer.headers.get('content-security-policy');

  test('is nothing with other hosts', async () => {
    const answer = await open('/');
    expect(policy(answer)).toBe(
      "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
        "object-src 'none'; base-uri 'self'; frame-ancestors 'none'; form-action 'self'",
    );
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('camera=()'),
    });
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  test('is the challenge, where there is one', async () => {
    const guarded = await serving({ TURNSTILE_SITE_KEY: siteKey, TURNSTILE_SECRET_KEY: 'secret' });
    const answer = await open('/', {}, guarded);
    expect(policy(answer)).toContain(
      "script-src 'self' https://challenges.cloudflare.com; frame-src https://challenges.cloudflare.com; style-src 'self'",
    );
    expect(await answer.text()).toContain(' data-captcha=""');
    expect(await (await open('/')).text()).not.toContain('data-captcha');
  });

  test('is the same with a picture that is opened by itself', async () => {
    const answer = await open('/favicon.svg');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    expect(policy(answer)).toBe(policy(await open('/')));
    expect(answer.headers.get('cache-control')).toBe('public, max-age=86400');
  });
});

describe('a file of the build', () => {
  test.each([
    ['br', 'br, gzip', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
  ])('is sent as it was compressed with %s', async (encoding, accepted, unpack) => {
    const { status, headers, body } = await raw('/assets/main-4f2a.js', { 'accept-encoding': accepted });
    expect([status, headers['content-encoding'], headers.vary]).toEqual([200, encoding, 'accept-encoding']);
    expect(headers['content-type']).toMatch(/^(text|application)\/javascript/);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(headers['set-cookie']).toBeUndefined();
    expect(unpack(body).toString()).toBe(script);
  });

  test('is sent as it is to whoever takes no other, and where no other was made', async () => {
    const plain = await raw('/assets/main-4f2a.js');
    expect([plain.headers['content-encoding'], plain.body.toString()]).toEqual([undefined, script]);
    const small = await raw('/assets/plain-77aa.css', { 'accept-encoding': 'br' });
    expect([small.headers['content-encoding'], small.headers.vary]).toEqual([undefined, 'accept-encoding']);
    expect(small.headers['content-type']).toBe('text/css; charset=utf-8');
  });

  test('is not sent again to whoever has it, nor its content for HEAD', async () => {
    const { headers } = await raw('/assets/main-4f2a.js');
    const again = await raw('/assets/main-4f2a.js', { 'if-none-match': String(headers.etag) });
    expect([again.status, again.body.length]).toEqual([304, 0]);
    const head = await raw('/assets/main-4f2a.js', {}, 'HEAD');
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, `${script.length}`, 0]);
  });

  test.each([
    '/assets/../index.html',
    '/assets/../../secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/assets/%252e%252e/%252e%252e/secret.txt',
    '/assets/....//secret.txt',
    '/assets//etc/passwd',
    '/assets/%00',
    '/assets/main-4f2a.js%00.css',
    '/assets/%zz',
    '/favicon.svg/../../secret.txt',
    '/../secret.txt',
    '/index.html',
    `/assets/${'a'.repeat(5000)}`,
  ])('is no way to other files: %s', async (path) => {
    const answer = await raw(path, { accept: '*/*', 'accept-encoding': 'br' });
    expect([answer.status, JSON.parse(answer.body.toString()).error.code]).toEqual([404, 'ROUTE_NOT_FOUND']);
  });
});

test('pages and files are not counted, and a path that is unknown is counted once', async () => {
  const limited = await serving({ RATE_LIMIT_PUBLIC: 3 });
  const left = async (path: string) => (await open(path, {}, limited)).headers.get('x-ratelimit-remaining');
  for (const path of ['/', '/tasks', '/favicon.svg', '/assets/main-4f2a.js', '/']) expect(await left(path)).toBe('3');
  expect([await left('/api/nothing'), await left('/assets/gone.js'), await left('/docs/gone')]).toEqual([
    '2',
    '1',
    '0',
  ]);
  expect((await open('/assets/gone.js', {}, limited)).status).toBe(429);
  expect((await open('/api/nothing', {}, limited)).status).toBe(429);
  expect((await open('/', {}, limited)).status).toBe(200);
});
