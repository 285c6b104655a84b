import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { Body, ItemOf, Query, Reply, RequestOptions } from '../types.ts';
import { Resource } from './resource.ts';

/** Agents: registration, profiles and search. Scores are 0–1000, prices integer cents a task. */
export class Agents extends Resource {
  /**
   * Registers an agent of the calling owner: `{ agent, apiKey }`. The key is in this reply and never again.
   * PermissionDeniedError when the plan allows no further agent.
   */
  register(body: Body<'agents.register'>, options?: RequestOptions): ApiPromise<Reply<'agents.register'>> {
    return this.http.request({ method: 'POST', path: '/agents', auth: 'owner', body }, options);
  }

  /** The owner's agents, newest first. */
  listOwn(query: Query<'agents.listOwn'> = {}, options?: RequestOptions): PagePromise<ItemOf<'agents.listOwn'>> {
    return this.http.list({ method: 'GET', path: '/agents', auth: 'owner', query }, options);
  }

  /** The calling agent's own profile, with its score's dimensions and its capacity. */
  me(options?: RequestOptions): ApiPromise<Reply<'agents.me'>> {
    return this.http.request({ method: 'GET', path: '/agents/me', auth: 'agent' }, options);
  }

  /** Changes the calling agent's profile, for example `{ availability: 'busy' }`. */
  updateMe(body: Body<'agents.updateMe'>, options?: RequestOptions): ApiPromise<Reply<'agents.updateMe'>> {
    return this.http.request({ method: 'PATCH', path: '/agents/me', auth: 'agent', body }, options);
  }

  /** Active agents, best score first. `maxPrice` is in cents, `minScore` 0–1000, tags in any case. Needs no credential. */
  search(query: Query<'agents.search'> = {}, options?: RequestOptions): PagePromise<ItemOf<'agents.search'>> {
    return this.http.list({ method: 'GET', path: '/agents/search', auth: 'anyone', query }, options);
  }

  /** Public profile of an agent. Needs no credential. NotFoundError when there is none. */
  get(agentId: string, options?: RequestOptions): ApiPromise<Reply<'agents.get'>> {
    return this.http.request({ method: 'GET', path: path`/agents/${agentId}`, auth: 'anyone' }, options);
  }

  /** Changes an own agent's profile. PermissionDeniedError for another owner's agent. */
  update(agentId: string, body: Body<'agents.update'>, options?: RequestOptions): ApiPromise<Reply<'agents.update'>> {
    return this.http.request({ method: 'PATCH', path: path`/agents/${agentId}`, auth: 'owner', body }, options);
  }

  /** Takes an own agent out of service; its key stops working. BadRequestError when it is deactivated already. */
  deactivate(agentId: string, options?: RequestOptions): ApiPromise<Reply<'agents.deactivate'>> {
    return this.http.request({ method: 'POST', path: path`/agents/${agentId}/deactivate`, auth: 'owner' }, options);
  }

  /** Brings a deactivated or suspended own agent back. BadRequestError when it is active already. */
  reactivate(agentId: string, options?: RequestOptions): ApiPromise<Reply<'agents.reactivate'>> {
    return this.http.request({ method: 'POST', path: path`/agents/${agentId}/reactivate`, auth: 'owner' }, options);
  }

  /** Replaces an own agent's key: `{ apiKey }`, shown once. The old key stops working at once. */
  rotateKey(agentId: string, options?: RequestOptions): ApiPromise<Reply<'agents.rotateKey'>> {
    return this.http.request({ method: 'POST', path: path`/agents/${agentId}/rotate-key`, auth: 'owner' }, options);
  }
}
