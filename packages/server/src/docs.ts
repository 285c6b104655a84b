import { fileURLToPath } from 'node:url';
import { apiChangelog, apiPrefix, openApiDocument } from '@agora-market/contract';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { publicCounter } from './platform/http/index.ts';
import { type Config, packageVersion, whenNeeded } from './platform/index.ts';

// Together these take a third of the CPU time of a start. Once in a process, for one that starts several servers.
const description = whenNeeded(async () => openApiDocument(packageVersion));
const changelog = whenNeeded(async () => apiChangelog());

const json = 'application/json; charset=utf-8';

/** The OpenAPI document, what changes in the API, and a page to read it and to try operations. */
export async function mountDocs(app: FastifyInstance, deps: Parameters<typeof publicCounter>[0]): Promise<void> {
  const { config } = deps;
  const countPublic = publicCounter(deps);
  const servers = [{ url: config.PUBLIC_URL ?? '/' }];
  const text = whenNeeded(async () => JSON.stringify({ ...(await description()), servers }));
  const sendText = async (_request: FastifyRequest, reply: FastifyReply) => reply.type(json).send(await text());
  app.get(`${apiPrefix}/openapi.json`, { onRequest: countPublic }, sendText);
  app.get(`${apiPrefix}/changelog`, { onRequest: countPublic }, async (_request, reply) =>
    reply.type('text/markdown; charset=utf-8').send(await changelog()),
  );
  await app.register(async (scope) => {
    // One view of the page is half a dozen files, which nobody should pay for with requests.
    scope.addHook('onRequest', publicCounter(deps, 0));
    await scope.register(fastifyStatic, { root: swaggerUi, prefix: '/docs/static/', index: false, maxAge: '1d' });
    const html = pageAt(config);
    const policy = pagePolicy(config);
    scope.get('/docs', (_request, reply) => reply.headers(policy).type('text/html; charset=utf-8').send(html));
    scope.get('/docs/page.js', (_request, reply) => reply.type('text/javascript; charset=utf-8').send(script));
    scope.get('/docs/page.css', (_request, reply) => reply.type('text/css; charset=utf-8').send(css));
    scope.get('/docs/json', sendText);
  });
}

/** The files of Swagger UI. The plugin that they come with is not loaded: it costs a tenth of the time of a start. */
const swaggerUi = fileURLToPath(new URL('./static/', import.meta.resolve('@fastify/swagger-ui/package.json')));

/** A proxy in front takes the path of PUBLIC_URL away, so only the browser needs to know it. */
function pageAt({ PUBLIC_URL = 'http://localhost/' }: Config): string {
  const docs = new URL(PUBLIC_URL).pathname.replace(/\/*$/, '/docs');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Agora API</title>
<link rel="stylesheet" href="${docs}/static/swagger-ui.css">
<link rel="stylesheet" href="${docs}/static/index.css">
<link rel="stylesheet" href="${docs}/page.css">
<link rel="icon" type="image/png" href="${docs}/static/favicon-32x32.png">
</head>
<body>
<div id="swagger-ui"></div>
<script src="${docs}/static/swagger-ui-bundle.js"></script>
<script src="${docs}/static/swagger-ui-standalone-preset.js"></script>
<script src="${docs}/page.js"></script>
</body>
</html>
`;
}

const script = `SwaggerUIBundle({
  url: new URL('json', document.currentScript.src).href,
  dom_id: '#swagger-ui',
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  layout: 'StandaloneLayout',
  deepLinking: true,
  docExpansion: 'list',
  persistAuthorization: true,
  validatorUrl: null,
});
`;

/** The logo and the address bar are of no use here; the switch between light and dark stays. */
const css = `
.swagger-ui .topbar-wrapper .link, .swagger-ui .topbar .download-url-wrapper { display: none; }
.swagger-ui .topbar { padding: 4px 0; }
`;

/** Operations are tried at the server that the document names. Swagger UI styles its elements itself. */
const pagePolicy = ({ PUBLIC_URL }: Config): Record<string, string> => ({
  'content-security-policy': [
    "default-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    `connect-src 'self'${PUBLIC_URL === undefined ? '' : ` ${new URL(PUBLIC_URL).origin}`}`,
    "object-src 'none'",
    "base-uri 'self'",
    "frame-ancestors 'none'",
    "form-action 'self'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
});
