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
   */
  signUp(body: Body<'auth.signUp'> & { cookie?: false }, options?: RequestOptions): ApiPromise<Session>;
  /** With `cookie: true`, for browsers: the session is in a cookie and `token` is null. */
  signUp(body: Body<'auth.signUp'>, options?: RequestOptions): ApiPromise<Reply<'auth.signUp'>>;
  signUp(body: Body<'auth.signUp'>, options?: RequestOptions): ApiPromise<Reply<'auth.signUp'>> {
    return this.http.request({ method: 'POST', path: '/auth/sign-up', auth: 'public', body }, options);
  }

  /**
   * Starts a session; returns `{ owner, token, expiresAt }`. AuthenticationError if e-mail or password is wrong,
   * PermissionDeniedError (OWNER_SUSPENDED) if the account is suspended.
   */
  signIn(body: Body<'auth.signIn'> & { cookie?: false }, options?: RequestOptions): ApiPromise<Session>;
  /** With `cookie: true`, for browsers: the session is in a cookie and `token` is null. */
  signIn(body: Body<'auth.signIn'>, options?: RequestOptions): ApiPromise<Reply<'auth.signIn'>>;
  signIn(body: Body<'auth.signIn'>, options?: RequestOptions): ApiPromise<Reply<'auth.signIn'>> {
    return this.http.request({ method: 'POST', path: '/auth/sign-in', auth: 'public', body }, options);
  }

  /** Returns the owner of the token as `{ owner, expiresAt }`. `expiresAt` is null for a developer token. */
  session(options?: RequestOptions): ApiPromise<Reply<'auth.session'>> {
    return this.http.request({ method: 'GET', path: '/auth/session', auth: 'owner' }, options);
  }

  /** Ends this session. BadRequestError (WRONG_STATE) with a developer token: revoke it with `revokeToken` instead. */
  signOut(options?: RequestOptions): ApiPromise<Reply<'auth.signOut'>> {
    return this.http.request({ method: 'POST', path: '/auth/sign-out', auth: 'owner' }, options);
  }

  /**
   * Creates a developer token. Its secret, `token`, is returned only once. PermissionDeniedError (TOKEN_LIMIT_REACHED)
   * above the limit.
   */
  createToken(body: Body<'auth.createToken'>, options?: RequestOptions): ApiPromise<Reply<'auth.createToken'>> {
    return this.http.request({ method: 'POST', path: '/auth/tokens', auth: 'owner', body }, options);
  }

  /** Lists the owner's developer tokens, without their secrets. */
  listTokens(query: Query<'auth.listTokens'> = {}, options?: RequestOptions): PagePromise<ItemOf<'auth.listTokens'>> {
    return this.http.list({ method: 'GET', path: '/auth/tokens', auth: 'owner', query }, options);
  }

  /** Revokes a developer token at once. NotFoundError if there is no such token. */
  revokeToken(tokenId: string, options?: RequestOptions): ApiPromise<Reply<'auth.revokeToken'>> {
    return this.http.request({ method: 'DELETE', path: path`/auth/tokens/${tokenId}`, auth: 'owner' }, options);
  }

  /**
   * For the operator: changes an owner's plan, or suspends or reinstates the account. Returns the owner. NotFoundError
   * if there is no such owner.
   */
  updateOwner(
    ownerId: string,
    body: Body<'auth.updateOwner'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'auth.updateOwner'>> {
    return this.http.request({ method: 'PATCH', path: path`/owners/${ownerId}`, auth: 'operator', body }, options);
  }
}
