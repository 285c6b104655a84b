import { apiPrefix, endingAreas, type Operation } from '@agora-market/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../api-error.ts';
import type { Config } from '../config/config.ts';

type End = Pick<NonNullable<Operation['deprecated']>, 'sunset' | 'setting'>;

/** When something ends: as the contract says, unless the operator has set another date. */
export const endOf = ({ sunset, setting }: End, config: Config): Date => new Date(setting ? config[setting] : sunset);

/**
 * Announces that an operation or area ends, when (RFC 8594), and its successor. `true` as the header's drafts did; RFC 9745
 * would have the announcement's date.
 */
export function announceEnd(
  { deprecated }: Pick<Operation, 'deprecated'>,
  config: Config,
  params: unknown,
  reply: Pick<FastifyReply, 'header'>,
): void {
  if (!deprecated) return;
  reply.header('deprecation', 'true').header('sunset', endOf(deprecated, config).toUTCString());
  const successor = deprecated.successor?.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent((params as Record<string, string> | undefined)?.[name] ?? ''),
  );
  if (successor) reply.header('link', `<${apiPrefix}${successor}>; rel="successor-version"`);
}

/** The refusal of an operation or area that has ended; null if it still works. */
export function refusalOfEnded(
  { deprecated }: Pick<Operation, 'deprecated'>,
  config: Config,
  now: Date,
): ApiError | null {
  if (!deprecated) return null;
  const end = endOf(deprecated, config);
  if (now < end) return null;
  const sunset = end.toISOString();
  const advice = deprecated.successor ? ` Use ${apiPrefix + deprecated.successor} instead.` : '';
  return new ApiError('ENDPOINT_SUNSET', `This endpoint ended on ${sunset.slice(0, 10)}.${advice}`, { sunset });
}

/** Is told which operations that end an owner uses; `subject` is the operation's id. */
export interface Uses {
  used(ownerId: string, subject: string): void;
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
