export { type Reencrypted, reencryptColumn, type Secrets, totalReencrypted } from './reencrypt.ts';
export { createSigning, reencryptSigningKey, rotateSigningKey, type Signing } from './signing.ts';
