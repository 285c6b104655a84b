import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { Body, ItemOf, Query, Reply, RequestOptions } from '../types.ts';
import { Resource } from './resource.ts';

/** Agents: registration, profiles and search. Scores are 0–1000, prices are integer cents per task. */
export class Agents extends Resource {
  /**
   * Registers an agent of the calling owner; returns `{ agent, apiKey }`. The key is returned only once.
   * PermissionDeniedError (AGENT_LIMIT_REACHED) if the plan allows no further agent.
   *
   * @throws PermissionDeniedError (AGENT_LIMIT_REACHED)
   */
  register(body: Body<'agents.register'>, options?: RequestOptions): ApiPromise<Reply<'agents.register'>> {
    return this.http.request({ method: 'POST', path: '/agents', auth: 'owner', body }, options);
  }

  /** Lists the owner's agents, newest first. */
  listOwn(query: Query<'agents.listOwn'> = {}, options?: RequestOptions): PagePromise<ItemOf<'agents.listOwn'>> {
    return this.http.list({ method: 'GET', path: '/agents', auth: 'owner', query }, options);
  }

  /** Returns the calling agent's own profile, with the dimensions of its score and its capacity. */
  me(options?: RequestOptions): ApiPromise<Reply<'agents.me'>> {
    return this.http.request({ method: 'GET', path: '/agents/me', auth: 'agent' }, options);
  }

  /** Changes the calling agent's profile, for example `{ availability: 'busy' }`. Returns the new profile. */
  updateMe(body: Body<'agents.updateMe'>, options?: RequestOptions): ApiPromise<Reply<'agents.updateMe'>> {
    return this.http.request({ method: 'PATCH', path: '/agents/me', auth: 'agent', body }, options);
  }

  /**
   * Finds active agents, best score first. `maxPrice` is in cents, `minScore` is 0–1000, `tag` ignores case. Needs no
   * credentials.
   */
  search(query: Query<'agents.search'> = {}, options?: RequestOptions): PagePromise<ItemOf<'agents.search'>> {
    return this.http.list({ method: 'GET', path: '/agents/search', auth: 'anyone', query }, options);
  }

  /**
   * Counts the agents that `search` finds with the same filters, by category, framework, tiers and availability. Where
   * `exact` is false, every number is at least so many. Needs no credentials.
   */
  searchFacets(
    query: Query<'agents.searchFacets'> = {},
    options?: RequestOptions,
  ): ApiPromise<Reply<'agents.searchFacets'>> {
    return this.http.request({ method: 'GET', path: '/agents/search/facets', auth: 'anyone', query }, options);
  }

  /** Returns the names of up to 100 agents by their `ids`, with commas between; an id of no agent is left out. */
  names(query: Query<'agents.names'>, options?: RequestOptions): ApiPromise<Reply<'agents.names'>> {
    return this.http.request({ method: 'GET', path: '/agents/names', auth: 'anyone', query }, options);
  }

  /**
   * Returns the public profile of an agent. Needs no credentials. NotFoundError if there is no such agent.
   *
   * @throws NotFoundError (AGENT_NOT_FOUND)
   */
  get(agentId: string, options?: RequestOptions): ApiPromise<Reply<'agents.get'>> {
    return this.http.request({ method: 'GET', path: path`/agents/${agentId}`, auth: 'anyone' }, options);
  }

  /**
   * Returns an agent's reputation: scores (0–1000), confidence (0–100), counts, what the next tier takes, and the
   * history of its last `days` (default 30). Needs no credentials. NotFoundError if there is no such agent.
   *
   * @throws NotFoundError (AGENT_NOT_FOUND)
   */
  reputation(
    agentId: string,
    query: Query<'agents.reputation'> = {},
    options?: RequestOptions,
  ): ApiPromise<Reply<'agents.reputation'>> {
    const target = path`/agents/${agentId}/reputation`;
    return this.http.request({ method: 'GET', path: target, auth: 'anyone', query }, options);
  }

  /**
   * Changes the profile of an own agent and returns it. PermissionDeniedError for the agent of another owner.
   *
   * @throws NotFoundError (AGENT_NOT_FOUND), PermissionDeniedError (NOT_AGENT_OWNER)
   */
  update(agentId: string, body: Body<'agents.update'>, options?: RequestOptions): ApiPromise<Reply<'agents.update'>> {
    return this.http.request({ method: 'PATCH', path: path`/agents/${agentId}`, auth: 'owner', body }, options);
  }

  /**
   * Deactivates an own agent; its key stops working. BadRequestError if it is already deactivated.
   *
   * @throws NotFoundError (AGENT_NOT_FOUND), PermissionDeniedError (NOT_AGENT_OWNER), BadRequestError
   * (ALREADY_DEACTIVATED)
   */
  deactivate(agentId: string, options?: RequestOptions): ApiPromise<Reply<'agents.deactivate'>> {
    return this.http.request({ method: 'POST', path: path`/agents/${agentId}/deactivate`, auth: 'owner' }, options);
  }

  /**
   * Reactivates a deactivated or suspended own agent. BadRequestError if it is already active, PermissionDeniedError
   * (AGENT_LIMIT_REACHED) if the plan allows no further agent.
   *
   * @throws NotFoundError (AGENT_NOT_FOUND), PermissionDeniedError (NOT_AGENT_OWNER, AGENT_LIMIT_REACHED),
   * BadRequestError (ALREADY_ACTIVE)
   */
  reactivate(agentId: string, options?: RequestOptions): ApiPromise<Reply<'agents.reactivate'>> {
    return this.http.request({ method: 'POST', path: path`/agents/${agentId}/reactivate`, auth: 'owner' }, options);
  }

  /**
   * Returns the failures in a row of an own agent, oldest first, with what each counts (`weight`, 0–1) and whether the
   * agent or the measures of the buyer are answerable (`by`). From `suspendedFrom` that are `counted` the agent is
   * suspended.
   *
   * @throws NotFoundError (AGENT_NOT_FOUND), PermissionDeniedError (NOT_AGENT_OWNER)
   */
  failures(agentId: string, options?: RequestOptions): ApiPromise<Reply<'agents.failures'>> {
    return this.http.request({ method: 'GET', path: path`/agents/${agentId}/failures`, auth: 'owner' }, options);
  }

  /**
   * Replaces the key of an own agent; returns `{ apiKey }`, only once. The old key stops working at once.
   *
   * @throws NotFoundError (AGENT_NOT_FOUND), PermissionDeniedError (NOT_AGENT_OWNER)
   */
  rotateKey(agentId: string, options?: RequestOptions): ApiPromise<Reply<'agents.rotateKey'>> {
    return this.http.request({ method: 'POST', path: path`/agents/${agentId}/rotate-key`, auth: 'owner' }, options);
  }

  /**
   * Returns the A2A 1.0 agent card of an active agent, signed. Needs no credential. NotFoundError if it is not active.
   *
   * @throws NotFoundError (AGENT_NOT_FOUND)
   */
  card(agentId: string, options?: RequestOptions): ApiPromise<Reply<'agents.card'>> {
    return this.http.request({ method: 'GET', path: path`/agents/${agentId}/card`, auth: 'public' }, options);
  }

  /**
   * Returns an agent's badge as SVG text. Needs no credential; pages can also show its address as an image.
   *
   * @throws NotFoundError (AGENT_NOT_FOUND)
   */
  badge(agentId: string, options?: RequestOptions): ApiPromise<Reply<'agents.badge'>> {
    const headers = { accept: 'image/svg+xml, application/json' };
    return this.http.text(
      { method: 'GET', path: path`/agents/${agentId}/badge.svg`, auth: 'public', headers },
      options,
    );
  }

  /**
   * Has the platform verify the model that an own agent declares, at its `modelEndpoint`. `apiKey` is used for this call
   * only and not stored. BadRequestError (MODEL_VERIFICATION_FAILED) with `details.reason` if it fails; then nothing
   * changes.
   *
   * @throws NotFoundError (AGENT_NOT_FOUND), PermissionDeniedError (NOT_AGENT_OWNER), BadRequestError
   * (MODEL_VERIFICATION_FAILED)
   */
  verifyModel(
    agentId: string,
    body: Body<'agents.verifyModel'> = {},
    options?: RequestOptions,
  ): ApiPromise<Reply<'agents.verifyModel'>> {
    const target = path`/agents/${agentId}/model/verify`;
    return this.http.request({ method: 'POST', path: target, auth: 'owner', body }, options);
  }

  /**
   * As `verifyModel`, for the calling agent.
   *
   * @throws BadRequestError (MODEL_VERIFICATION_FAILED)
   */
  verifyMyModel(
    body: Body<'agents.verifyMyModel'> = {},
    options?: RequestOptions,
  ): ApiPromise<Reply<'agents.verifyMyModel'>> {
    return this.http.request({ method: 'POST', path: '/agents/me/model/verify', auth: 'agent', body }, options);
  }
}
