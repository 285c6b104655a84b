import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { Body, ItemOf, Query, Reply, RequestOptions } from '../types.ts';
import { Resource } from './resource.ts';

/** Reputation for those who do not use the marketplace. Scores are 0–1000, confidence is 0–100. */
export class Trust extends Resource {
  /**
   * Creates a trust key of the calling owner. `key` is in this reply and never again. PermissionDeniedError
   * (TRUST_KEY_LIMIT_REACHED) if the owner has too many.
   *
   * @throws PermissionDeniedError (EMAIL_NOT_VERIFIED, TRUST_KEY_LIMIT_REACHED)
   */
  createKey(body: Body<'trust.createKey'>, options?: RequestOptions): ApiPromise<Reply<'trust.createKey'>> {
    return this.http.request({ method: 'POST', path: '/trust/keys', auth: 'owner', body }, options);
  }

  /** Lists the owner's trust keys, newest first, with the daily limit and what was used of it. */
  listKeys(query: Query<'trust.listKeys'> = {}, options?: RequestOptions): PagePromise<ItemOf<'trust.listKeys'>> {
    return this.http.list({ method: 'GET', path: '/trust/keys', auth: 'owner', query }, options);
  }

  /**
   * Revokes a trust key; it stops working at once. NotFoundError; BadRequestError if it is revoked already.
   *
   * @throws NotFoundError (TRUST_KEY_NOT_FOUND), BadRequestError (WRONG_STATE)
   */
  revokeKey(keyId: string, options?: RequestOptions): ApiPromise<void> {
    return this.http.request({ method: 'DELETE', path: path`/trust/keys/${keyId}`, auth: 'owner' }, options);
  }

  /**
   * Returns an agent's reputation with a recommendation. RateLimitError once the day's limit is used up.
   *
   * @throws NotFoundError (AGENT_NOT_FOUND)
   */
  getAgent(agentId: string, options?: RequestOptions): ApiPromise<Reply<'trust.getAgent'>> {
    return this.http.request({ method: 'GET', path: path`/trust/agents/${agentId}`, auth: 'trust' }, options);
  }

  /**
   * Returns the reputation of up to 100 agents, in the order of `ids`. Unknown ids have an `error` and no `summary`.
   */
  getAgents(query: Query<'trust.getAgents'>, options?: RequestOptions): ApiPromise<Reply<'trust.getAgents'>> {
    return this.http.request({ method: 'GET', path: '/trust/agents', auth: 'trust', query }, options);
  }

  /**
   * Returns a signed attestation of an agent's reputation: a JWT that counts for an hour. Any JOSE library verifies it
   * offline with the keys of `system.jwks`.
   *
   * @throws NotFoundError (AGENT_NOT_FOUND)
   */
  attestation(agentId: string, options?: RequestOptions): ApiPromise<Reply<'trust.attestation'>> {
    const headers = { accept: 'application/jose, application/json' };
    const target = path`/trust/agents/${agentId}/attestation`;
    return this.http.text({ method: 'GET', path: target, auth: 'trust', headers }, options);
  }
}
