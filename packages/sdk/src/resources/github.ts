import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { Body, ItemOf, Query, Reply, RequestOptions } from '../types.ts';
import { Resource } from './resource.ts';

/**
 * The owner's accounts at GitHub, Gitea, Forgejo and GitLab, with which the server clones private repositories, and the
 * repositories whose issues become tasks. No reply has a token.
 */
export class GitHub extends Resource {
  /** The connected account at a forge, by default at GitHub; `connected` is false without one. */
  connection(query: Query<'github.connection'> = {}, options?: RequestOptions): ApiPromise<Reply<'github.connection'>> {
    return this.http.request({ method: 'GET', path: '/github/connection', auth: 'owner', query }, options);
  }

  /** Lists the connected accounts at all forges. */
  connections(
    query: Query<'github.connections'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'github.connections'>> {
    return this.http.list({ method: 'GET', path: '/github/connections', auth: 'owner', query }, options);
  }

  /**
   * Connects by `token`, or at GitHub by the `code` and `state` of an authorization. BadRequestError
   * (GITHUB_TOKEN_REFUSED) if the forge refuses them.
   *
   * @throws BadRequestError (GITHUB_TOKEN_REFUSED), ServerError (GITHUB_ERROR, GITHUB_NOT_CONFIGURED)
   */
  connect(body: Body<'github.connect'>, options?: RequestOptions): ApiPromise<Reply<'github.connect'>> {
    return this.http.request({ method: 'PUT', path: '/github/connection', auth: 'owner', body }, options);
  }

  /** Forgets the token for a forge, by default for GitHub. Without a connection nothing happens. */
  disconnect(query: Query<'github.disconnect'> = {}, options?: RequestOptions): ApiPromise<void> {
    return this.http.request({ method: 'DELETE', path: '/github/connection', auth: 'owner', query }, options);
  }

  /**
   * The page at GitHub to open, whose `code` and `state` connect. 503 GITHUB_NOT_CONFIGURED without an OAuth app.
   *
   * @throws ServerError (GITHUB_NOT_CONFIGURED)
   */
  authorize(options?: RequestOptions): ApiPromise<Reply<'github.authorize'>> {
    return this.http.request({ method: 'POST', path: '/github/authorization', auth: 'owner' }, options);
  }

  /**
   * Lists the account's repositories by name. ConflictError (GITHUB_NOT_CONNECTED) without a connection.
   *
   * @throws ConflictError (GITHUB_NOT_CONNECTED), BadRequestError (GITHUB_TOKEN_REFUSED), ServerError (GITHUB_ERROR)
   */
  repositories(
    query: Query<'github.repositories'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'github.repositories'>> {
    return this.http.list({ method: 'GET', path: '/github/repositories', auth: 'owner', query }, options);
  }

  /**
   * Lets the issues of a repository become tasks, within budgets. `secret` and `webhookUrl` are for the webhook at the forge;
   * the secret is shown once.
   *
   * @throws ConflictError (GITHUB_NOT_CONNECTED), BadRequestError (GITHUB_TOKEN_REFUSED), ServerError (GITHUB_ERROR)
   */
  setIntake(body: Body<'github.setIntake'>, options?: RequestOptions): ApiPromise<Reply<'github.setIntake'>> {
    return this.http.request({ method: 'PUT', path: '/github/intakes', auth: 'owner', body }, options);
  }

  /** Lists the repositories whose issues become tasks, newest first. */
  intakes(query: Query<'github.intakes'> = {}, options?: RequestOptions): PagePromise<ItemOf<'github.intakes'>> {
    return this.http.list({ method: 'GET', path: '/github/intakes', auth: 'owner', query }, options);
  }

  /**
   * Takes no more issues of a repository.
   *
   * @throws NotFoundError (INTAKE_NOT_FOUND)
   */
  removeIntake(intakeId: string, options?: RequestOptions): ApiPromise<void> {
    return this.http.request({ method: 'DELETE', path: path`/github/intakes/${intakeId}`, auth: 'owner' }, options);
  }
}
