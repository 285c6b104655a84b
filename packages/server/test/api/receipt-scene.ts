import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { canonicalJson } from '@agora-market/contract';
import type { Receipt } from '@agora-market/sdk';

export type Entries = Receipt['entries'];

/** Numbers and hashes made anew over the events, as the installation makes them. */
export function rechained(taskId: string, entries: Entries): Entries {
  let previous = createHash('sha256').update(taskId).digest('hex');
  return entries.map(({ event }, at) => {
    previous = createHash('sha256')
      .update(`${previous}\n${canonicalJson({ number: at + 1, event })}`)
      .digest('hex');
    return { number: at + 1, event, hash: previous };
  });
}

/** The same events in a receipt as version 0.1.0 made it, signed by a key of its own. */
export function inFirstFormat(taskId: string, entries: Entries) {
  const pair = generateKeyPairSync('ed25519');
  const raw = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const keyId = createHash('sha256').update(raw).digest('hex').slice(0, 16);
  const statement = {
    format: 'agora-receipt-1',
    taskId,
    status: 'completed',
    issuedAt: '2026-11-21T12:00:00.000Z',
    algorithm: 'Ed25519',
    keyId,
    publicKey: raw.toString('base64'),
    count: entries.length,
    head: entries.at(-1)?.hash ?? '',
  };
  const signature = sign(null, Buffer.from(canonicalJson(statement)), pair.privateKey).toString('base64');
  const jwk = {
    kty: 'OKP',
    crv: 'Ed25519',
    x: raw.toString('base64url'),
    kid: keyId,
    use: 'sig',
    alg: 'EdDSA',
  } as const;
  return { receipt: { ...statement, entries, signature }, publicKey: raw.toString('base64'), keys: { keys: [jwk] } };
}
