import { apiChangelog, apiPrefix, openApiDocument } from '@agora/contract';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { notFound, publicCounter } from './platform/http/index.ts';
import { packageVersion } from './platform/index.ts';

/** The framework's logo and the address bar are of no use here; the switch between light and dark stays. */
const css = `
.swagger-ui .topbar-wrapper .link, .swagger-ui .topbar .download-url-wrapper { display: none; }
.swagger-ui .topbar { padding: 4px 0; }
`;

/** Made when it is first asked for: together these take a third of the CPU time of a start. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

// Once in a process, for one that starts several servers.
const description = once(() => openApiDocument(packageVersion));
const changelog = once(apiChangelog);

/** The OpenAPI document, what changes in the API, and a page to read it and to try operations. */
export async function mountDocs(app: FastifyInstance, deps: Parameters<typeof publicCounter>[0]): Promise<void> {
  const countPublic = publicCounter(deps);
  const document = once(() => ({ ...description(), servers: [{ url: deps.config.PUBLIC_URL ?? '/' }] }));
  const text = once(() => JSON.stringify(document()));
  app.get(`${apiPrefix}/openapi.json`, { onRequest: countPublic }, async (_request, reply) => {
    reply.header('content-type', 'application/json; charset=utf-8');
    return text();
  });
  app.get(`${apiPrefix}/changelog`, { onRequest: countPublic }, async (_request, reply) => {
    reply.header('content-type', 'text/markdown; charset=utf-8');
    return changelog();
  });
  const page = once(() => openPage(document));
  const refuseUnknown = notFound(deps);
  const showPage = async (request: FastifyRequest, reply: FastifyReply) => {
    const { method, url, headers } = request;
    const shown = await (await page()).inject({ method: method as 'GET', url, headers });
    if (shown.statusCode === 404) return refuseUnknown(request, reply);
    return reply.code(shown.statusCode).headers(shown.headers).send(shown.rawPayload);
  };
  // One view of the page is a dozen files, which nobody should pay for with requests.
  for (const path of ['/docs', '/docs/*']) app.get(path, { onRequest: publicCounter(deps, 0) }, showPage);
}

/** An application of its own, because a server that nobody asks for the page starts without it. */
async function openPage(document: () => object): Promise<FastifyInstance> {
  const page = fastify();
  await page.register(import('@fastify/helmet'), { contentSecurityPolicy: false });
  await page.register(import('@fastify/swagger'), { mode: 'static', specification: { document: {} as never } });
  await page.register(import('@fastify/swagger-ui'), {
    routePrefix: '/docs',
    transformSpecification: document,
    transformSpecificationClone: false,
    uiConfig: { docExpansion: 'list', persistAuthorization: true },
    theme: { title: 'Agora API', css: [{ filename: 'theme.css', content: css }] },
  });
  await page.ready();
  return page;
}
