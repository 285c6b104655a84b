import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import type { Body, ItemOf, Query, Reply, RequestOptions } from '../types.ts';
import { Resource } from './resource.ts';

/** The owner's private package registries, from which the packages of its tasks are fetched. No reply has a token. */
export class PackageRegistries extends Resource {
  /** Lists the private package registries of the account, by kind and address. */
  list(
    query: Query<'packageRegistries.list'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'packageRegistries.list'>> {
    return this.http.list({ method: 'GET', path: '/package-registries', auth: 'owner', query }, options);
  }

  /** Stores the token of a private package registry, in place of the one before. No sandbox has it. */
  set(body: Body<'packageRegistries.set'>, options?: RequestOptions): ApiPromise<Reply<'packageRegistries.set'>> {
    return this.http.request({ method: 'PUT', path: '/package-registries', auth: 'owner', body }, options);
  }

  /** Forgets a private package registry and its token. Without it nothing happens. */
  remove(query: Query<'packageRegistries.remove'>, options?: RequestOptions): ApiPromise<void> {
    return this.http.request({ method: 'DELETE', path: '/package-registries', auth: 'owner', query }, options);
  }
}
