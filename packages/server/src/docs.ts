import { apiPrefix, openApiDocument } from '@agora/contract';
import helmet from '@fastify/helmet';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { packageVersion } from './version.ts';

/** The framework's logo and the address bar are of no use here; the switch between light and dark stays. */
const css = `
.swagger-ui .topbar-wrapper .link, .swagger-ui .topbar .download-url-wrapper { display: none; }
.swagger-ui .topbar { padding: 4px 0; }
`;

/** The OpenAPI document, and a page to read it and to try operations. */
export async function mountDocs(
  app: FastifyInstance,
  options: { publicUrl: string | undefined; countPublic(request: FastifyRequest, reply: FastifyReply): Promise<void> },
): Promise<void> {
  const document = { ...openApiDocument(packageVersion), servers: [{ url: options.publicUrl ?? '/' }] };
  const text = JSON.stringify(document);
  app.get(`${apiPrefix}/openapi.json`, { onRequest: options.countPublic }, async (_request, reply) => {
    reply.header('content-type', 'application/json; charset=utf-8');
    return text;
  });
  // Whoever opens the printed address in a browser gets a page to read.
  app.get('/', { onRequest: options.countPublic }, async (_request, reply) => reply.redirect('/docs'));
  await app.register(async (page) => {
    // One view of the page is a dozen files, which nobody should pay for with requests; the headers say so.
    page.addHook('onRequest', async (_request, reply) => {
      reply.header('x-ratelimit-limit', 0).header('x-ratelimit-remaining', 0);
    });
    await page.register(helmet, { contentSecurityPolicy: false });
    await page.register(swagger, { mode: 'static', specification: { document: document as never } });
    await page.register(swaggerUi, {
      routePrefix: '/docs',
      uiConfig: { docExpansion: 'list', persistAuthorization: true },
      theme: { title: 'Agora API', css: [{ filename: 'theme.css', content: css }] },
    });
  });
}
