export { createOwnerAuthentication } from './authentication.ts';
export { authQueue } from './change-password.ts';
export { hashCredential, newCredential } from './credentials.ts';
export { purgeMailedTokens } from './mailed-tokens.ts';
export { createOperatorAuthentication } from './operator.ts';
export { changeOwner } from './owner.ts';
export { authRoutes } from './routes.ts';
export { purgeSessions } from './sql.ts';
export { reencryptTotp } from './totp/reencrypt.ts';
