import { createHash, createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto';

/** A public key as a JWK set has it (RFC 8037). */
export interface PublicJwk {
  kty: 'OKP';
  crv: 'Ed25519';
  x: string;
  kid: string;
  use: 'sig';
  alg: 'EdDSA';
}

/** A key that signs what the installation states. */
export interface SigningKey {
  kid: string;
  /** 32 bytes. */
  publicKey: Buffer;
  pem: string;
  /**
   * A text, signed: a JWS in compact form (RFC 7515). `type` names in the header the kind of the whole (`typ`) and of
   * its payload (`cty`). So a statement of one kind never passes for another.
   */
  signJws(type: { typ: string; cty?: string }, payload: string): string;
}

/** The bytes before the 32 of an Ed25519 private key in PKCS #8. */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

export const newSeed = (): Buffer => randomBytes(32);

/** The key of a seed of 32 bytes. */
export function keyOfSeed(seed: Buffer): SigningKey {
  const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(privateKey);
  const publicKey = spki.export({ format: 'der', type: 'spki' }).subarray(-32);
  const kid = createHash('sha256').update(publicKey).digest('hex').slice(0, 16);
  const encoded = (part: string) => Buffer.from(part).toString('base64url');
  return {
    kid,
    publicKey,
    pem: spki.export({ format: 'pem', type: 'spki' }) as string,
    signJws(type, payload) {
      const signed = `${encoded(JSON.stringify({ alg: 'EdDSA', kid, ...type }))}.${encoded(payload)}`;
      return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
    },
  };
}

export const jwkOf = ({ kid, publicKey }: Pick<SigningKey, 'kid' | 'publicKey'>): PublicJwk => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x: publicKey.toString('base64url'),
  kid,
  use: 'sig',
  alg: 'EdDSA',
});
