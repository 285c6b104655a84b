import type { ApiPromise } from '../api-promise.ts';
import type { Reply, RequestOptions } from '../types.ts';
import { Resource } from './resource.ts';

/** Is the server there, and can it work? */
export class System extends Resource {
  /** Whether the process is up: `{ status: 'ok', timestamp }`. Needs no credential. */
  health(options?: RequestOptions): ApiPromise<Reply<'system.health'>> {
    return this.http.request({ method: 'GET', path: '/health', auth: 'public' }, options);
  }

  /** The server can work; `sandbox` says whether tasks can run. ServerError 503 NOT_READY while it starts or stops. */
  ready(options?: RequestOptions): ApiPromise<Reply<'system.ready'>> {
    return this.http.request({ method: 'GET', path: '/ready', auth: 'public' }, options);
  }

  /** Public keys of what the installation signs, as a JWK set for any JOSE library. Needs no credential. */
  jwks(options?: RequestOptions): ApiPromise<Reply<'system.jwks'>> {
    return this.http.request({ method: 'GET', path: '/.well-known/jwks.json', root: true, auth: 'public' }, options);
  }
}
