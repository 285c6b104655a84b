import { apiPrefix, deprecations, endingAreas, type Operation } from '@agora/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../api-error.ts';
import type { Config } from '../config/config.ts';
import { usesField } from './uses-field.ts';

type End = Pick<NonNullable<Operation['deprecated']>, 'sunset' | 'setting'>;

/** When something ends: as the contract says, unless the operator has set another date. */
export const endOf = ({ sunset, setting }: End, config: Config): Date => new Date(setting ? config[setting] : sunset);

/** The announcement's headers (RFC 8594). `true` as the header's drafts did; RFC 9745 would have the announcement's date. */
const announce = (end: Date, reply: Pick<FastifyReply, 'header'>) =>
  reply.header('deprecation', 'true').header('sunset', end.toUTCString());

/** Announces that an operation or area ends, when (RFC 8594), and its successor. */
export function announceEnd(
  { deprecated }: Pick<Operation, 'deprecated'>,
  config: Config,
  params: unknown,
  reply: Pick<FastifyReply, 'header'>,
): void {
  if (!deprecated) return;
  announce(endOf(deprecated, config), reply);
  const successor = deprecated.successor?.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent((params as Record<string, string> | undefined)?.[name] ?? ''),
  );
  if (successor) reply.header('link', `<${apiPrefix}${successor}>; rel="successor-version"`);
}

const sunsetRefusal = (what: string, end: Date, instead: string | null | undefined, details = {}) => {
  const sunset = end.toISOString();
  const advice = instead ? ` Use ${instead} instead.` : '';
  return new ApiError('ENDPOINT_SUNSET', `${what} ended on ${sunset.slice(0, 10)}.${advice}`, { sunset, ...details });
};

/** The refusal of an operation or area that has ended; null if it still works. */
export function refusalOfEnded(
  { deprecated }: Pick<Operation, 'deprecated'>,
  config: Config,
  now: Date,
): ApiError | null {
  if (!deprecated) return null;
  const end = endOf(deprecated, config);
  if (now < end) return null;
  const { successor } = deprecated;
  return sunsetRefusal('This endpoint', end, successor && apiPrefix + successor);
}

/** Is told what a caller uses that ends; `subject` names it as the contract's `deprecations` do. */
export interface Uses {
  used(ownerId: string, subject: string): void;
}

type UseReader = (request: FastifyRequest, reply: Pick<FastifyReply, 'header' | 'getHeader'>) => void;

/**
 * Reads what a request to an operation uses that ends: notes it for the owner, and announces fields in the reply's
 * headers, the earliest end first of all. Throws 410 for a field that has ended. Null where nothing of the operation ends.
 */
export function readerOfUses(operation: Operation, config: Config, uses: Uses): UseReader | null {
  const ending = deprecations([operation]).map((what) => ({ ...what, end: endOf(what, config) }));
  if (ending.length === 0) return null;
  const byEnd = ending.sort((a, b) => a.end.getTime() - b.end.getTime());
  return (request, reply) => {
    const used = byEnd.filter(({ field }) => field === null || usesField(field, request));
    const [first] = used;
    if (first) announce(first.end, reply);
    const { caller } = request;
    for (const { subject } of used) if ('ownerId' in caller) uses.used(caller.ownerId, subject);
    const ended = used.find(({ field, end }) => field !== null && field.in !== 'reply' && end <= request.arrivedAt);
    if (!ended?.field) return;
    const path = ended.field.path.join('.');
    throw sunsetRefusal(`The field ${path}`, ended.end, ended.instead, { in: ended.field.in, field: path });
  };
}

/** The area that ends as a whole and has a path in it, also where the path is no operation. */
export function endingAreaOf({ url = '' }: Pick<FastifyRequest['raw'], 'url'>) {
  const given = url.split(/[?#;]/, 1)[0] as string;
  const isIn = (path: string) => endingAreas.find((area) => path === area.path || path.startsWith(`${area.path}/`));
  try {
    return isIn(given) ?? isIn(decodeURIComponent(given));
  } catch {
    return undefined;
  }
}
