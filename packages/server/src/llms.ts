import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { publicCounter } from './platform/http/index.ts';

/** Where `npm run setup` puts them, seen from the sources and from the build alike. Packed, they come with the server. */
const builtHere = fileURLToPath(new URL('../build/llms/', import.meta.url));

type Deps = Parameters<typeof publicCounter>[0] & { llms?: string | undefined };

/** What models read: `/llms.txt`, `/llms-full.txt` and the pages that the first names (https://llmstxt.org). */
export async function mountLlms(app: FastifyInstance, deps: Deps): Promise<void> {
  const { llms: root = builtHere } = deps;
  if (!existsSync(root)) return;
  await app.register(async (scope) => {
    scope.addHook('onRequest', publicCounter(deps, 0));
    // A route for each file, so that all other paths stay with the API and the dashboard.
    await scope.register(fastifyStatic, { root, wildcard: false, index: false, maxAge: '1h' });
  });
}
