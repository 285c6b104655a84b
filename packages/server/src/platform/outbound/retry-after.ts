/**
 * How long (ms) a reply asks to wait by its header `Retry-After`: seconds, or a date that counts from `now`. Null where it says neither.
 * RFC 9110, section 10.2.3.
 */
export function retryAfterMs(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  const waitMs = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now.getTime();
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : null;
}
