import type { FastifyInstance } from 'fastify';
import { refusalUnparsed } from './parse.ts';

/** Keeps the raw text beside the parsed body: idempotency hashes it, and the check for bad escapes reads it. */
export function acceptJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('text/plain');
  app.addContentTypeParser(
    ['application/json', 'application/a2a+json'],
    { parseAs: 'string' },
    (request, body, done) => {
      const text = body as string;
      // Clients that always send the header do so for empty bodies too.
      if (text.trim() === '') return done(null, undefined);
      request.rawBody = text;
      const refusal = refusalUnparsed(text);
      if (refusal) return done(refusal);
      return parse(request, text, done);
    },
  );
}
