/**
 * An event's id as UUIDv7: its time in milliseconds, then its number in the log (62 bits). Unique because the number is,
 * and always the same for the same event, so that it need not be stored.
 */
export function eventUuid(at: string, seq: number): string {
  const time = Date.parse(at).toString(16).padStart(12, '0');
  const number = ((1n << 63n) | BigInt(seq)).toString(16).padStart(16, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-${number.slice(0, 4)}-${number.slice(4)}`;
}
