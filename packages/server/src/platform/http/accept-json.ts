import type { FastifyInstance } from 'fastify';
import { ApiError } from '../api-error.ts';
import { scan } from './scan.ts';

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
      const { excess, changed } = scan(text);
      if (excess !== null) return done(new ApiError('VALIDATION_ERROR', excess, { in: 'body', fields: [] }));
      request.changedNumber = changed;
      return parse(request, text, done);
    },
  );
}
