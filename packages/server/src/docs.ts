import { apiChangelog, apiPrefix, openApiDocument } from '@agora/contract';
import helmet from '@fastify/helmet';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { publicCounter } from './platform/http/index.ts';
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
  await app.register(async (page) => {
    // One view of the page is a dozen files, which nobody should pay for with requests.
    page.addHook('onRequest', publicCounter(deps, 0));
    await page.register(helmet, { contentSecurityPolicy: false });
    await page.register(swagger, { mode: 'static', specification: { document: {} as never } });
    await page.register(swaggerUi, {
      routePrefix: '/docs',
      transformSpecification: document,
      transformSpecificationClone: false,
      uiConfig: { docExpansion: 'list', persistAuthorization: true },
      theme: { title: 'Agora API', css: [{ filename: 'theme.css', content: css }] },
    });
  });
}
