import { type ErrorCode, errors } from '@agora-market/contract';
import { AgoraError } from '@agora-market/sdk';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { z } from 'zod';

/** A call that a tool refuses itself, in the catalogue's terms. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly details: Record<string, unknown>;

  constructor(code: ErrorCode, message: string = errors[code].message, details: Record<string, unknown> = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** Arguments that do not fit, in the same shape as the service names wrong fields. */
export function misfit(error: z.ZodError): Refusal {
  const fields = error.issues.slice(0, 20).flatMap((issue) => {
    const at = issue.path.join('.');
    if (issue.code !== 'unrecognized_keys') return [{ path: at || '(arguments)', message: issue.message }];
    return issue.keys.map((key) => ({ path: at ? `${at}.${key}` : key, message: 'is unknown; leave it out' }));
  });
  return new Refusal('VALIDATION_ERROR', undefined, { fields });
}

/** One argument that is missing or does not go with the others. */
export const wrongArgument = (path: string, message: string): Refusal =>
  new Refusal('VALIDATION_ERROR', `${path}: ${message}`, { fields: [{ path, message }] });

interface Facts {
  code: string;
  message: string;
  details: Record<string, unknown>;
  correlationId?: string | null;
  retryAfterSeconds?: number | null;
}

/**
 * The failure as a result that the model reads, with what to change. It has no structured content: many clients compare
 * that with the tool's output schema, and then show their own complaint instead. Only an abort is thrown on: nobody waits
 * for the reply then.
 */
export function refusalResult(error: unknown, signal: AbortSignal | undefined): CallToolResult {
  if (signal?.aborted) throw error;
  return { isError: true, content: [{ type: 'text', text: wordsOf(factsOf(error)) }] };
}

function factsOf(error: unknown): Facts {
  if (error instanceof Refusal) return { code: error.code, message: error.message, details: error.details };
  if (error instanceof AgoraError) {
    const { code, message, details, correlationId, retryAfterSeconds } = error;
    return { code, message, details, correlationId, retryAfterSeconds };
  }
  return { code: 'INTERNAL_ERROR', message: errors.INTERNAL_ERROR.message, details: {} };
}

function wordsOf({ code, message, details, correlationId, retryAfterSeconds }: Facts): string {
  const fields = Array.isArray(details.fields) ? (details.fields as { path: string; message: string }[]) : [];
  const { fields: _, ...others } = details;
  return [
    `${code}: ${message}`,
    ...fields.map(({ path, message: what }) => `- ${path}: ${what}`),
    Object.keys(others).length > 0 && `Details: ${JSON.stringify(others)}`,
    typeof retryAfterSeconds === 'number' && `Call again after ${retryAfterSeconds} s.`,
    correlationId && `Correlation id, for a report of the problem: ${correlationId}`,
  ]
    .filter(Boolean)
    .join('\n');
}
