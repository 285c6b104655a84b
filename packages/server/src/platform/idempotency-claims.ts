import type { Queryable } from './db.ts';

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

/** Records claims; a claim that exists already fails the transaction with 23505 on `idempotency_keys_pkey`. */
export const insertClaims = (db: Queryable, claims: Claim[]) =>
  db.query({
    name: 'idempotency_claim',
    text: `insert into idempotency_keys (id, request_hash, created_at, subject)
      select decode(c.id, 'hex'), decode(c."requestHash", 'hex'), c.at, c.subject
      from json_to_recordset($1::json) as c(id text, "requestHash" text, at timestamptz, subject uuid)`,
    values: [JSON.stringify(claims)],
  });
