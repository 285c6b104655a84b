export { createSigning, reencryptSigningKey, rotateSigningKey, type Signing } from './signing.ts';
