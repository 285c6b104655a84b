export { type Reencrypted, reencryptColumn, type Secrets, sumOf } from './reencrypt.ts';
export { createSigning, reencryptSigningKey, rotateSigningKey, type Signing } from './signing.ts';
