import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import type { Operations, ReplyOf } from '@agora/contract';
import { encryption } from '../../platform/index.ts';

/** The key that signs this installation's receipts. */
export interface ReceiptKey {
  algorithm: 'Ed25519';
  keyId: string;
  /** Base64 of 32 bytes. */
  publicKey: string;
  pem: string;
  /** The same public key as the standard has it (RFC 8037). */
  jwk: ReplyOf<Operations['system.jwks']>['keys'][number];
  /** Base64 of an Ed25519 signature over the text. */
  sign(text: string): string;
}

/** What comes before the 32 bytes of an Ed25519 private key in PKCS #8. */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The key of an installation: servers that share its secret have the same one. */
export const configuredReceiptKey = (config: Parameters<typeof encryption>[0]): ReceiptKey =>
  receiptKey(encryption(config).digest('receipt key'));

/** The key of a seed of 32 bytes. */
function receiptKey(seed: Buffer): ReceiptKey {
  const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey);
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const keyId = createHash('sha256').update(raw).digest('hex').slice(0, 16);
  return {
    algorithm: 'Ed25519',
    keyId,
    jwk: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url'), kid: keyId, use: 'sig', alg: 'EdDSA' },
    publicKey: raw.toString('base64'),
    pem: publicKey.export({ format: 'pem', type: 'spki' }) as string,
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64'),
  };
}
