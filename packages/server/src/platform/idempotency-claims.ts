/** That a caller has used an `Idempotency-Key` for an operation; stored together with the change it made. */
export interface Claim {
  /** SHA-256 over caller, operation and key, as hex. */
  id: string;
  requestHash: string;
  /** ISO 8601. */
  at: string;
  /** The resource the request is about, so that its reply can be rebuilt after a crash. */
  subject?: string;
}

/**
 * A UUID (version 8: of our own making) from the first bytes of a claim. What a rule makes under it is found again when
 * the request is repeated after a crash or a lost reply.
 */
export function uuidOfClaim({ id }: Claim): string {
  const bytes = Buffer.from(id.slice(0, 32), 'hex');
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
