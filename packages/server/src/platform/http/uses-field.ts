import type { EndingField } from '@agora/contract';
import type { FastifyRequest } from 'fastify';

/** Whether a value has something at a path, in which `[]` stands for any item of a list. */
function has(value: unknown, [step, ...below]: readonly string[]): boolean {
  if (step === undefined) return value !== undefined;
  if (step === '[]') return Array.isArray(value) && value.some((item) => has(item, below));
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.hasOwn(value, step) &&
    has((value as Record<string, unknown>)[step], below)
  );
}

/** Whether a request uses a field. One of the reply goes to everybody who asks, so all of them use it. */
export const usesField = (
  { in: where, path }: EndingField,
  { query, body }: Pick<FastifyRequest, 'query' | 'body'>,
): boolean => where === 'reply' || has(where === 'query' ? query : body, path);
