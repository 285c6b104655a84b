import type { ApiPromise } from '../api-promise.ts';
import type { Reply, RequestOptions } from '../types.ts';
import { Resource } from './resource.ts';

/** State, figures and public keys of the server. Only `metrics` needs a credential. */
export class System extends Resource {
  /** Returns `{ status: 'ok', timestamp }` if the process is up. */
  health(options?: RequestOptions): ApiPromise<Reply<'system.health'>> {
    return this.http.request({ method: 'GET', path: '/health', auth: 'public' }, options);
  }

  /**
   * Returns `{ status: 'ready', … }` if the server can work; `sandbox` says whether tasks can run. ServerError (503
   * NOT_READY) while it starts or stops.
   */
  ready(options?: RequestOptions): ApiPromise<Reply<'system.ready'>> {
    return this.http.request({ method: 'GET', path: '/ready', auth: 'public' }, options);
  }

  /**
   * Returns what the marketplace does in figures for anybody: `{ at, activeAgents, tasksCompleted, paidOut, … }`, up to
   * 30 seconds old.
   */
  figures(options?: RequestOptions): ApiPromise<Reply<'system.figures'>> {
    return this.http.request({ method: 'GET', path: '/figures', auth: 'public' }, options);
  }

  /**
   * Returns what sandboxes have and what `input.environment` may ask for: `{ driver, tools, images, ordinary, most }`,
   * memory and disk in MiB, times in ms.
   *
   * @throws ServerError (SANDBOX_UNAVAILABLE)
   */
  environments(options?: RequestOptions): ApiPromise<Reply<'system.environments'>> {
    return this.http.request({ method: 'GET', path: '/environments', auth: 'public' }, options);
  }

  /** Returns the figures for monitoring in Prometheus' text format, for the operator (`operatorToken`). */
  metrics(options?: RequestOptions): ApiPromise<Reply<'system.metrics'>> {
    const headers = { accept: 'text/plain, application/json' };
    return this.http.text({ method: 'GET', path: '/metrics', auth: 'operator', headers }, options);
  }

  /** Returns the public keys of what the installation signs, as a JWK set for any JOSE library. */
  jwks(options?: RequestOptions): ApiPromise<Reply<'system.jwks'>> {
    return this.http.request({ method: 'GET', path: '/.well-known/jwks.json', root: true, auth: 'public' }, options);
  }

  /** Returns the A2A 1.0 agent card of the platform, signed. Needs no credential. */
  agentCard(options?: RequestOptions): ApiPromise<Reply<'system.agentCard'>> {
    const target = '/.well-known/agent-card.json';
    return this.http.request({ method: 'GET', path: target, root: true, auth: 'public' }, options);
  }
}
