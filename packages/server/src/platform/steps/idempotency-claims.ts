/** That a caller has used an `Idempotency-Key` for an operation; stored together with the change it made. */
export interface Claim {
  /** SHA-256 over caller, operation and key, as hex. */
  id: string;
  requestHash: string;
  /** ISO 8601. */
  at: string;
  /**
   * A step's: the resource it is about, so that its reply can be rebuilt after a crash. Of an operation that talks to the
   * outside: the UUID under which its rule makes things, the same in every try, so that a later try finds them.
   */
  subject?: string;
}
