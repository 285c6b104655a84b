import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { Body, ItemOf, Query, Reply, RequestOptions } from '../types.ts';
import { Resource } from './resource.ts';

type Session = Reply<'auth.signIn'> & { token: string };

/** Owner accounts, sessions and developer tokens. */
export class Auth extends Resource {
  /** Creates an owner account and a session: `{ owner, token, expiresAt }`. ConflictError when the e-mail is taken. */
  signUp(body: Body<'auth.signUp'> & { cookie?: false }, options?: RequestOptions): ApiPromise<Session>;
  /** In a browser: the session comes in a cookie, and `token` is null. */
  signUp(body: Body<'auth.signUp'>, options?: RequestOptions): ApiPromise<Reply<'auth.signUp'>>;
  signUp(body: Body<'auth.signUp'>, options?: RequestOptions): ApiPromise<Reply<'auth.signUp'>> {
    return this.http.request({ method: 'POST', path: '/auth/sign-up', auth: 'public', body }, options);
  }

  /** Starts a session: `{ owner, token, expiresAt }`. AuthenticationError for a wrong e-mail or password. */
  signIn(body: Body<'auth.signIn'> & { cookie?: false }, options?: RequestOptions): ApiPromise<Session>;
  /** In a browser: the session comes in a cookie, and `token` is null. */
  signIn(body: Body<'auth.signIn'>, options?: RequestOptions): ApiPromise<Reply<'auth.signIn'>>;
  signIn(body: Body<'auth.signIn'>, options?: RequestOptions): ApiPromise<Reply<'auth.signIn'>> {
    return this.http.request({ method: 'POST', path: '/auth/sign-in', auth: 'public', body }, options);
  }

  /** The owner behind the token; `expiresAt` is null for a developer token. */
  session(options?: RequestOptions): ApiPromise<Reply<'auth.session'>> {
    return this.http.request({ method: 'GET', path: '/auth/session', auth: 'owner' }, options);
  }

  /** Ends this session. BadRequestError (WRONG_STATE) for a developer token, which is revoked instead. */
  signOut(options?: RequestOptions): ApiPromise<Reply<'auth.signOut'>> {
    return this.http.request({ method: 'POST', path: '/auth/sign-out', auth: 'owner' }, options);
  }

  /** Creates a developer token; its `token` is in this reply and never again. */
  createToken(body: Body<'auth.createToken'>, options?: RequestOptions): ApiPromise<Reply<'auth.createToken'>> {
    return this.http.request({ method: 'POST', path: '/auth/tokens', auth: 'owner', body }, options);
  }

  /** The owner's developer tokens, without their secrets. */
  listTokens(query: Query<'auth.listTokens'> = {}, options?: RequestOptions): PagePromise<ItemOf<'auth.listTokens'>> {
    return this.http.list({ method: 'GET', path: '/auth/tokens', auth: 'owner', query }, options);
  }

  /** Revokes a developer token at once. NotFoundError when there is none of that id. */
  revokeToken(tokenId: string, options?: RequestOptions): ApiPromise<Reply<'auth.revokeToken'>> {
    return this.http.request({ method: 'DELETE', path: path`/auth/tokens/${tokenId}`, auth: 'owner' }, options);
  }

  /** For the operator: changes an owner's plan, or suspends and reinstates the account. NotFoundError for no such owner. */
  updateOwner(
    ownerId: string,
    body: Body<'auth.updateOwner'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'auth.updateOwner'>> {
    return this.http.request({ method: 'PATCH', path: path`/owners/${ownerId}`, auth: 'operator', body }, options);
  }
}
