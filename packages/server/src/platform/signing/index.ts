export { createSigning, rotateSigningKey, type Signing } from './signing.ts';
