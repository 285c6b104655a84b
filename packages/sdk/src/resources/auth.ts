import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { Body, ItemOf, Query, Reply, RequestOptions } from '../types.ts';
import { Resource } from './resource.ts';

type Session = Reply<'auth.signIn'> & { token: string };

/** Owner accounts, sessions and developer tokens. */
export class Auth extends Resource {
  /**
   * Creates an owner account and a session; returns `{ owner, token, expiresAt }`. ConflictError (DUPLICATE) if the
   * e-mail address is taken.
   *
   * @throws BadRequestError (CAPTCHA_REQUIRED, CAPTCHA_FAILED), ConflictError (DUPLICATE)
   */
  signUp(body: Body<'auth.signUp'> & { cookie?: false }, options?: RequestOptions): ApiPromise<Session>;
  /**
   * With `cookie: true`, for browsers: the session is in a cookie and `token` is null.
   *
   * @throws BadRequestError (CAPTCHA_REQUIRED, CAPTCHA_FAILED), ConflictError (DUPLICATE)
   */
  signUp(body: Body<'auth.signUp'>, options?: RequestOptions): ApiPromise<Reply<'auth.signUp'>>;
  signUp(body: Body<'auth.signUp'>, options?: RequestOptions): ApiPromise<Reply<'auth.signUp'>> {
    return this.http.request({ method: 'POST', path: '/auth/sign-up', auth: 'public', body }, options);
  }

  /**
   * Starts a session; returns `{ owner, token, expiresAt }`. AuthenticationError if e-mail or password is wrong, and
   * (TOTP_REQUIRED, TOTP_INVALID) if `code` is missing or wrong for an account with a second factor.
   * PermissionDeniedError (OWNER_SUSPENDED) if the account is suspended.
   *
   * @throws BadRequestError (CAPTCHA_REQUIRED, CAPTCHA_FAILED), AuthenticationError (INVALID_CREDENTIALS,
   * TOTP_REQUIRED, TOTP_INVALID), PermissionDeniedError (OWNER_SUSPENDED)
   */
  signIn(body: Body<'auth.signIn'> & { cookie?: false }, options?: RequestOptions): ApiPromise<Session>;
  /**
   * With `cookie: true`, for browsers: the session is in a cookie and `token` is null.
   *
   * @throws BadRequestError (CAPTCHA_REQUIRED, CAPTCHA_FAILED), AuthenticationError (INVALID_CREDENTIALS,
   * TOTP_REQUIRED, TOTP_INVALID), PermissionDeniedError (OWNER_SUSPENDED)
   */
  signIn(body: Body<'auth.signIn'>, options?: RequestOptions): ApiPromise<Reply<'auth.signIn'>>;
  signIn(body: Body<'auth.signIn'>, options?: RequestOptions): ApiPromise<Reply<'auth.signIn'>> {
    return this.http.request({ method: 'POST', path: '/auth/sign-in', auth: 'public', body }, options);
  }

  /**
   * What a page needs to show the challenge, `{ provider, siteKey }`; `siteKey` is null where no browser is challenged.
   */
  captcha(options?: RequestOptions): ApiPromise<Reply<'auth.captcha'>> {
    return this.http.request({ method: 'GET', path: '/auth/captcha', auth: 'public' }, options);
  }

  /** Returns the owner of the token as `{ owner, expiresAt }`. `expiresAt` is null for a developer token. */
  session(options?: RequestOptions): ApiPromise<Reply<'auth.session'>> {
    return this.http.request({ method: 'GET', path: '/auth/session', auth: 'owner' }, options);
  }

  /**
   * Ends this session. BadRequestError (WRONG_STATE) with a developer token: revoke it with `revokeToken` instead.
   *
   * @throws BadRequestError (WRONG_STATE)
   */
  signOut(options?: RequestOptions): ApiPromise<Reply<'auth.signOut'>> {
    return this.http.request({ method: 'POST', path: '/auth/sign-out', auth: 'owner' }, options);
  }

  /**
   * Verifies the e-mail address by the token that was mailed. BadRequestError (MAILED_TOKEN_INVALID) if it does not count.
   *
   * @throws BadRequestError (MAILED_TOKEN_INVALID)
   */
  verifyEmail(body: Body<'auth.verifyEmail'>, options?: RequestOptions): ApiPromise<Reply<'auth.verifyEmail'>> {
    return this.http.request({ method: 'POST', path: '/auth/verify-email', auth: 'public', body }, options);
  }

  /**
   * Has another token mailed. BadRequestError (WRONG_STATE) if the address is verified.
   *
   * @throws BadRequestError (WRONG_STATE)
   */
  resendVerification(options?: RequestOptions): ApiPromise<Reply<'auth.resendVerification'>> {
    return this.http.request({ method: 'POST', path: '/auth/verify-email/resend', auth: 'owner' }, options);
  }

  /**
   * Has a token mailed that resets the password. Succeeds whether there is such an account or not.
   *
   * @throws BadRequestError (CAPTCHA_REQUIRED, CAPTCHA_FAILED)
   */
  forgotPassword(
    body: Body<'auth.forgotPassword'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'auth.forgotPassword'>> {
    return this.http.request({ method: 'POST', path: '/auth/password/forgot', auth: 'public', body }, options);
  }

  /**
   * Sets a new password by the token that was mailed, and ends all sessions: `{ ended, kept, endToken }`. If the address was
   * not verified before, all credentials end, else they do with `endCredentials`. BadRequestError (MAILED_TOKEN_INVALID).
   *
   * @throws BadRequestError (MAILED_TOKEN_INVALID)
   */
  resetPassword(body: Body<'auth.resetPassword'>, options?: RequestOptions): ApiPromise<Reply<'auth.resetPassword'>> {
    return this.http.request({ method: 'POST', path: '/auth/password/reset', auth: 'public', body }, options);
  }

  /**
   * Ends all credentials that a reset has kept, by the `endToken` of its reply. BadRequestError (MAILED_TOKEN_INVALID).
   *
   * @throws BadRequestError (MAILED_TOKEN_INVALID)
   */
  endCredentials(
    body: Body<'auth.endCredentials'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'auth.endCredentials'>> {
    const path = '/auth/password/reset/end-credentials';
    return this.http.request({ method: 'POST', path, auth: 'public', body }, options);
  }

  /**
   * Changes the password and ends all other sessions. AuthenticationError (INVALID_CREDENTIALS) if the old one is wrong.
   *
   * @throws AuthenticationError (INVALID_CREDENTIALS)
   */
  changePassword(
    body: Body<'auth.changePassword'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'auth.changePassword'>> {
    return this.http.request({ method: 'POST', path: '/auth/password', auth: 'owner', body }, options);
  }

  /**
   * In development, the newest mails to the own address, which were kept instead of sent: `{ catching, mails }`.
   * BadRequestError (WRONG_STATE) with a developer token.
   *
   * @throws BadRequestError (WRONG_STATE)
   */
  caughtMail(options?: RequestOptions): ApiPromise<Reply<'auth.caughtMail'>> {
    return this.http.request({ method: 'GET', path: '/auth/caught-mail', auth: 'owner' }, options);
  }

  /** Returns `{ enabled, enabledAt, recoveryCodesLeft }` of the second factor. */
  totp(options?: RequestOptions): ApiPromise<Reply<'auth.totp'>> {
    return this.http.request({ method: 'GET', path: '/auth/totp', auth: 'owner' }, options);
  }

  /**
   * Makes the secret of an authenticator app, `{ secret, uri }`, which is returned only once. `confirmTotp` turns it on.
   * AuthenticationError if the password is wrong, BadRequestError (WRONG_STATE) if there is a second factor.
   *
   * @throws AuthenticationError (INVALID_CREDENTIALS), BadRequestError (WRONG_STATE)
   */
  beginTotp(body: Body<'auth.beginTotp'>, options?: RequestOptions): ApiPromise<Reply<'auth.beginTotp'>> {
    return this.http.request({ method: 'POST', path: '/auth/totp', auth: 'owner', body }, options);
  }

  /**
   * Turns the second factor on by a code of the app; returns `{ recoveryCodes }`, only once. AuthenticationError
   * (TOTP_INVALID) if the code is wrong, BadRequestError (WRONG_STATE) if none was begun in the last ten minutes.
   *
   * @throws AuthenticationError (TOTP_INVALID), BadRequestError (WRONG_STATE)
   */
  confirmTotp(body: Body<'auth.confirmTotp'>, options?: RequestOptions): ApiPromise<Reply<'auth.confirmTotp'>> {
    return this.http.request({ method: 'POST', path: '/auth/totp/confirm', auth: 'owner', body }, options);
  }

  /**
   * Makes new recovery codes, which are returned only once. AuthenticationError if password or code is wrong.
   *
   * @throws AuthenticationError (INVALID_CREDENTIALS, TOTP_INVALID), BadRequestError (WRONG_STATE)
   */
  renewRecoveryCodes(
    body: Body<'auth.renewRecoveryCodes'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'auth.renewRecoveryCodes'>> {
    return this.http.request({ method: 'POST', path: '/auth/totp/recovery-codes', auth: 'owner', body }, options);
  }

  /**
   * Turns the second factor off. AuthenticationError if password or code is wrong.
   *
   * @throws AuthenticationError (INVALID_CREDENTIALS, TOTP_INVALID), BadRequestError (WRONG_STATE)
   */
  disableTotp(body: Body<'auth.disableTotp'>, options?: RequestOptions): ApiPromise<Reply<'auth.disableTotp'>> {
    return this.http.request({ method: 'POST', path: '/auth/totp/disable', auth: 'owner', body }, options);
  }

  /**
   * Deletes the account for good. AuthenticationError if password or code is wrong, ConflictError (ACCOUNT_NOT_EMPTY) while
   * work or money is open: `error.details.obstacles` lists what to settle first.
   *
   * @throws AuthenticationError (INVALID_CREDENTIALS, TOTP_REQUIRED, TOTP_INVALID), BadRequestError (WRONG_STATE),
   * ConflictError (ACCOUNT_NOT_EMPTY)
   */
  deleteAccount(body: Body<'auth.deleteAccount'>, options?: RequestOptions): ApiPromise<Reply<'auth.deleteAccount'>> {
    return this.http.request({ method: 'POST', path: '/auth/delete-account', auth: 'owner', body }, options);
  }

  /** Lists the owner's sessions. */
  listSessions(
    query: Query<'auth.listSessions'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'auth.listSessions'>> {
    return this.http.list({ method: 'GET', path: '/auth/sessions', auth: 'owner', query }, options);
  }

  /**
   * Ends one session. NotFoundError if there is no such session.
   *
   * @throws NotFoundError (SESSION_NOT_FOUND)
   */
  endSession(sessionId: string, options?: RequestOptions): ApiPromise<Reply<'auth.endSession'>> {
    return this.http.request({ method: 'DELETE', path: path`/auth/sessions/${sessionId}`, auth: 'owner' }, options);
  }

  /** Ends all sessions but this one. */
  endOtherSessions(options?: RequestOptions): ApiPromise<Reply<'auth.endOtherSessions'>> {
    return this.http.request({ method: 'DELETE', path: '/auth/sessions', auth: 'owner' }, options);
  }

  /**
   * Creates a developer token. Its secret, `token`, is returned only once. PermissionDeniedError (TOKEN_LIMIT_REACHED)
   * above the limit.
   *
   * @throws PermissionDeniedError (EMAIL_NOT_VERIFIED, TOKEN_LIMIT_REACHED)
   */
  createToken(body: Body<'auth.createToken'>, options?: RequestOptions): ApiPromise<Reply<'auth.createToken'>> {
    return this.http.request({ method: 'POST', path: '/auth/tokens', auth: 'owner', body }, options);
  }

  /** Lists the owner's developer tokens, without their secrets. */
  listTokens(query: Query<'auth.listTokens'> = {}, options?: RequestOptions): PagePromise<ItemOf<'auth.listTokens'>> {
    return this.http.list({ method: 'GET', path: '/auth/tokens', auth: 'owner', query }, options);
  }

  /**
   * Revokes a developer token at once. NotFoundError if there is no such token.
   *
   * @throws NotFoundError (TOKEN_NOT_FOUND)
   */
  revokeToken(tokenId: string, options?: RequestOptions): ApiPromise<Reply<'auth.revokeToken'>> {
    return this.http.request({ method: 'DELETE', path: path`/auth/tokens/${tokenId}`, auth: 'owner' }, options);
  }

  /**
   * For the operator: changes an owner's plan, suspends or reinstates the account, or ends its second factor. Returns the owner. NotFoundError
   * if there is no such owner.
   *
   * @throws NotFoundError (OWNER_NOT_FOUND)
   */
  updateOwner(
    ownerId: string,
    body: Body<'auth.updateOwner'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'auth.updateOwner'>> {
    return this.http.request({ method: 'PATCH', path: path`/owners/${ownerId}`, auth: 'operator', body }, options);
  }
}
