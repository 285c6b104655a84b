export { createOwnerAuthentication } from './authentication.ts';
export { hashCredential, type NewCredential, newCredential } from './credentials.ts';
export type { AuthDeps } from './deps.ts';
export { authRoutes } from './routes.ts';
