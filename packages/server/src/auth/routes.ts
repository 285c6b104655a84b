import { type Route, route } from '../platform/index.ts';
import { readCaughtMail } from './caught-mail.ts';
import { changePassword, forgotPassword } from './change-password.ts';
import type { ResetDeps, SignInDeps } from './deps.ts';
import { createToken, listOwnTokens, revokeToken } from './developer-tokens.ts';
import { resendVerification, verifyEmail } from './email.ts';
import { changeOwner } from './owner.ts';
import { endCredentials, resetPassword } from './reset-password.ts';
import { readSession, signOut } from './session.ts';
import { endOtherSessions, endSession, listOwnSessions } from './sessions.ts';
import { signIn } from './sign-in.ts';
import { signUp } from './sign-up.ts';
import { beginTotp, confirmTotp, disableTotp, readTotp, renewRecoveryCodes } from './totp/totp.ts';

export function authRoutes(deps: SignInDeps & ResetDeps): Route[] {
  return [
    route('auth.signUp', (call) => signUp(deps, call)),
    route('auth.signIn', (call) => signIn(deps, call)),
    route('auth.captcha', async () => {
      const { siteKey } = deps.captcha;
      return { provider: siteKey === null ? null : ('turnstile' as const), siteKey };
    }),
    route('auth.session', (call) => readSession(deps, call)),
    route('auth.signOut', (call) => signOut(deps, call)),
    route('auth.verifyEmail', verifyEmail),
    route('auth.resendVerification', (call) => resendVerification(deps, call)),
    route('auth.forgotPassword', (call) => forgotPassword(deps, call)),
    route('auth.resetPassword', (call) => resetPassword(deps, call)),
    route('auth.endCredentials', (call) => endCredentials(deps, call)),
    route('auth.changePassword', (call) => changePassword(deps, call)),
    route('auth.caughtMail', (call) => readCaughtMail(deps, call)),
    route('auth.totp', (call) => readTotp(deps, call)),
    route('auth.beginTotp', (call) => beginTotp(deps, call)),
    route('auth.confirmTotp', (call) => confirmTotp(deps, call)),
    route('auth.renewRecoveryCodes', (call) => renewRecoveryCodes(deps, call)),
    route('auth.disableTotp', (call) => disableTotp(deps, call)),
    route('auth.listSessions', (call) => listOwnSessions(deps, call)),
    route('auth.endSession', endSession),
    route('auth.endOtherSessions', endOtherSessions),
    route('auth.createToken', (call) => createToken(deps, call)),
    route('auth.listTokens', (call) => listOwnTokens(deps, call)),
    route('auth.revokeToken', (call) => revokeToken(call)),
    route('auth.updateOwner', ({ tx, params, body, now: at, correlationId }) =>
      changeOwner(tx, { ...body, owner: params.ownerId, at, correlationId }),
    ),
  ];
}
