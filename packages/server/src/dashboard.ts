import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createPreloads } from './dashboard-preloads.ts';
import { isKnown, notFound, publicCounter } from './platform/http/index.ts';
import { type Config, type Logger, sessionCookie } from './platform/index.ts';

type Deps = Parameters<typeof publicCounter>[0] & { log: Logger; dashboard?: string | undefined };

/** Where `vite build` puts the dashboard, seen from the sources and from the build alike. Packed, it comes with the server. */
const builtHere = fileURLToPath(new URL('../build/dashboard/', import.meta.url));

const howToBuild = 'The dashboard is not built. Build it with "npm run setup", then load this page again.';

/** Places of programs and files: what is unknown there is refused, never answered with a page. */
const forPrograms = /^(api|mcp|a2a|docs|\.well-known|assets)(\/|$)/;

/**
 * Serves the dashboard: its files, and its one page at every path that a browser opens and nothing else has. The
 * page's own code knows which of them exist. One view is a dozen files, so nobody pays for them with requests.
 */
export async function mountDashboard(app: FastifyInstance, deps: Deps): Promise<void> {
  const { config, log, dashboard: directory = builtHere } = deps;
  const countNothing = publicCounter(deps, 0);
  const refuse = notFound(deps);
  const headers = securityHeaders(config);
  const cookie = sessionCookie(config);
  const index = join(directory, 'index.html');
  // Looked at each time, so that a build that ends while the server runs is served from then on.
  const readTemplate = readWhenChanged(index, (text) => text);
  const preloads = createPreloads(readWhenChanged(join(directory, '.vite', 'manifest.json'), JSON.parse));
  if (!existsSync(index)) log.warn(howToBuild);
  await app.register((scope) => serveFiles(scope, directory, headers, { countNothing, refuse }));
  app.get('/*', { onRequest: (request, reply) => (isPage(request) ? countNothing : refuse)(request, reply) }, show);

  async function show(request: FastifyRequest, reply: FastifyReply) {
    const template = await readTemplate();
    if (template === null && pathOf(request) !== '') return refuse(request, reply);
    reply.headers(headers);
    if (template === null) return reply.code(503).type('text/plain; charset=utf-8').send(`${howToBuild}\n`);
    const isVisitor = cookie.read(request.headers) === undefined;
    const page = render(template, config, isVisitor, await preloads(pathOf(request), isVisitor));
    reply.header('vary', 'cookie').type('text/html; charset=utf-8');
    // Private, as all that owners read: a visitor's page is another.
    return isKnown({ auth: 'owner' }, page, request, reply) ? reply.code(304).send() : reply.send(page);
  }
}

/** The path below the root, decoded. */
const pathOf = ({ params }: FastifyRequest): string => (params as { '*': string })['*'];

/** Whether a path is one to open in a browser, where the request also comes from one. */
const isPage = (request: FastifyRequest): boolean =>
  pathOf(request) === '' ||
  (request.headers.accept?.includes('text/html') === true && !forPrograms.test(pathOf(request)));

type Answer = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Serves the built files. Names below `/assets/` change with the content, so these files may be kept for good. */
async function serveFiles(
  scope: FastifyInstance,
  directory: string,
  headers: Record<string, string>,
  { countNothing, refuse }: { countNothing: Answer; refuse: Answer },
): Promise<void> {
  scope.addHook('onRequest', async (request, reply) => {
    await countNothing(request, reply);
    reply.headers(headers);
  });
  // Paths that lead elsewhere are as unknown as the others.
  scope.setErrorHandler((error: { statusCode?: number }, request, reply) => {
    if ((error.statusCode ?? 500) >= 500) throw error;
    return refuse(request, reply);
  });
  await scope.register(fastifyStatic, {
    root: join(directory, 'assets'),
    prefix: '/assets/',
    preCompressed: true,
    index: false,
    immutable: true,
    maxAge: '365d',
    suppressWarning: true,
  });
  scope.get('/favicon.svg', (_request, reply) =>
    reply.sendFile('favicon.svg', directory, { maxAge: '1d', immutable: false }),
  );
}

/** The page, told where it is served and what its code needs before its first request. */
function render(template: string, config: Config, isVisitor: boolean, links: string): string {
  const facts = {
    'data-refund-window-ms': config.REFUND_WINDOW_MS,
    'data-earnings-hold-ms': config.EARNINGS_HOLD_MS,
    'data-dispute-window-ms': config.DISPUTE_WINDOW_MS,
    'data-env': config.AGORA_ENV,
    ...(isVisitor && { 'data-visitor': '' }),
    ...(hasCaptcha(config) && { 'data-captcha': '' }),
  };
  const attributes = Object.entries(facts).map(([name, value]) => ` ${name}="${escaped(value)}"`);
  // A proxy in front takes the path of PUBLIC_URL away, so only the browser needs to know it.
  const { pathname } = new URL(config.PUBLIC_URL ?? 'http://localhost/');
  const base = `<base href="${escaped(pathname.replace(/\/*$/, '/'))}">`;
  return template
    .replace('<html', () => `<html${attributes.join('')}`)
    .replace('<head>', () => `<head>${base}`)
    .replace('</head>', () => `${links}</head>`);
}

const escaped = (value: string | number): string =>
  String(value).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const hasCaptcha = ({ TURNSTILE_SITE_KEY }: Config): boolean => TURNSTILE_SITE_KEY !== undefined;

/** Nothing runs, loads, frames or is sent to but what is served here, and the challenge where there is one. */
function securityHeaders(config: Config): Record<string, string> {
  const turnstile = hasCaptcha(config) ? ' https://challenges.cloudflare.com' : '';
  const policy = [
    "default-src 'self'",
    `script-src 'self'${turnstile}`,
    ...(turnstile ? [`frame-src${turnstile}`] : []),
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'self'",
    "frame-ancestors 'none'",
    "form-action 'self'",
  ];
  return {
    'content-security-policy': policy.join('; '),
    // Not `no-referrer`: with it browsers hide the origin of a change from the very server it is sent to.
    'referrer-policy': 'same-origin',
    'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
    'cross-origin-opener-policy': 'same-origin',
  };
}

/** Reads and parses a file only when it has changed; null where there is none, or none that can be parsed. */
function readWhenChanged<T>(path: string, parse: (text: string) => T): () => Promise<T | null> {
  let last: { stamp: string; value: T | null } | undefined;
  return async () => {
    try {
      const { mtimeMs, size } = await stat(path);
      const stamp = `${mtimeMs} ${size}`;
      if (last?.stamp !== stamp) last = { stamp, value: parseOrNull(await readFile(path, 'utf8'), parse) };
      return last.value;
    } catch {
      return null;
    }
  };
}

/** A file that is still being written is parsed when it has changed again. */
function parseOrNull<T>(text: string, parse: (text: string) => T): T | null {
  try {
    return parse(text);
  } catch {
    return null;
  }
}
