import { apiPrefix, openApiDocument } from '@agora/contract';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { packageVersion } from './version.ts';

/** The OpenAPI document and a page to read and try it. */
export async function mountDocs(app: FastifyInstance, publicUrl: string | undefined): Promise<void> {
  const document = { ...openApiDocument(packageVersion), servers: [{ url: publicUrl ?? '/' }] };
  const text = JSON.stringify(document);
  app.get(`${apiPrefix}/openapi.json`, async (_request, reply) => {
    reply.header('content-type', 'application/json; charset=utf-8');
    return text;
  });
  await app.register(swagger, { mode: 'static', specification: { document: document as never } });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: { docExpansion: 'list', persistAuthorization: true },
  });
}
