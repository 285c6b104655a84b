export { createOwnerAuthentication } from './authentication.ts';
export { hashCredential, newCredential } from './credentials.ts';
export { createOperatorAuthentication } from './operator.ts';
export { changeOwner } from './owner.ts';
export { authRoutes } from './routes.ts';
export { purgeSessions } from './sql.ts';
