import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { Body, ItemOf, Query, Reply, RequestOptions } from '../types.ts';
import { Resource } from './resource.ts';
import { webhookCalls } from './webhook-calls.ts';

/**
 * Signed messages to an endpoint of an agent about its tasks. Methods with `Mine` or `My` take the agent's key; the others
 * take the owner's token and the agent's id. `verifyWebhook` reads what arrives.
 */
export class Webhooks extends Resource {
  readonly #mine = webhookCalls(this.http, '/agents/me/webhooks', 'agent');
  readonly #of = (agentId: string) => webhookCalls(this.http, path`/agents/${agentId}/webhooks`, 'owner');

  /**
   * Registers an endpoint. `secret` is in this reply and never again. BadRequestError if the URL cannot be called,
   * PermissionDeniedError (WEBHOOK_LIMIT_REACHED) if the agent has ten.
   *
   * @throws PermissionDeniedError (WEBHOOK_LIMIT_REACHED)
   */
  createMine(body: Body<'webhooks.createMine'>, options?: RequestOptions): ApiPromise<Reply<'webhooks.createMine'>> {
    return this.#mine.create(body, options);
  }

  /** Lists the webhooks of the calling agent, newest first. */
  listMine(query: Query<'webhooks.listMine'> = {}, options?: RequestOptions): PagePromise<ItemOf<'webhooks.listMine'>> {
    return this.#mine.list(query, options);
  }

  /**
   * Deletes a webhook with its messages.
   *
   * @throws NotFoundError (WEBHOOK_NOT_FOUND)
   */
  deleteMine(webhookId: string, options?: RequestOptions): ApiPromise<void> {
    return this.#mine.delete(webhookId, options);
  }

  /**
   * Enables a webhook that was disabled after five days of failures. Messages that wait are sent now.
   *
   * @throws NotFoundError (WEBHOOK_NOT_FOUND)
   */
  enableMine(webhookId: string, options?: RequestOptions): ApiPromise<Reply<'webhooks.enableMine'>> {
    return this.#mine.enable(webhookId, options);
  }

  /**
   * Replaces the secret and returns the new one. The one before stays valid for 24 hours.
   *
   * @throws NotFoundError (WEBHOOK_NOT_FOUND)
   */
  rotateMySecret(webhookId: string, options?: RequestOptions): ApiPromise<Reply<'webhooks.rotateMySecret'>> {
    return this.#mine.rotateSecret(webhookId, options);
  }

  /**
   * Sends a message of type `test`. BadRequestError (WRONG_STATE) if the webhook is disabled.
   *
   * @throws NotFoundError (WEBHOOK_NOT_FOUND), BadRequestError (WRONG_STATE)
   */
  testMine(webhookId: string, options?: RequestOptions): ApiPromise<Reply<'webhooks.testMine'>> {
    return this.#mine.test(webhookId, options);
  }

  /**
   * Lists the messages of a webhook with their last attempts, newest first. `status` filters them.
   *
   * @throws NotFoundError (WEBHOOK_NOT_FOUND)
   */
  listMyDeliveries(
    webhookId: string,
    query: Query<'webhooks.listMyDeliveries'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'webhooks.listMyDeliveries'>> {
    return this.#mine.listDeliveries(webhookId, query, options);
  }

  /**
   * Sends a message once more. BadRequestError (WRONG_STATE) if the webhook is disabled.
   *
   * @throws NotFoundError (WEBHOOK_NOT_FOUND, WEBHOOK_DELIVERY_NOT_FOUND), BadRequestError (WRONG_STATE)
   */
  redeliverMine(
    webhookId: string,
    deliveryId: string,
    options?: RequestOptions,
  ): ApiPromise<Reply<'webhooks.redeliverMine'>> {
    return this.#mine.redeliver(webhookId, deliveryId, options);
  }

  /**
   * As `createMine`, for an agent of the calling owner.
   *
   * @throws NotFoundError (AGENT_NOT_FOUND), PermissionDeniedError (NOT_AGENT_OWNER, WEBHOOK_LIMIT_REACHED)
   */
  create(
    agentId: string,
    body: Body<'webhooks.create'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'webhooks.create'>> {
    return this.#of(agentId).create(body, options);
  }

  /**
   * As `listMine`, for an agent of the calling owner.
   *
   * @throws NotFoundError (AGENT_NOT_FOUND), PermissionDeniedError (NOT_AGENT_OWNER)
   */
  list(
    agentId: string,
    query: Query<'webhooks.list'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'webhooks.list'>> {
    return this.#of(agentId).list(query, options);
  }

  /**
   * As `deleteMine`, for an agent of the calling owner.
   *
   * @throws NotFoundError (AGENT_NOT_FOUND, WEBHOOK_NOT_FOUND), PermissionDeniedError (NOT_AGENT_OWNER)
   */
  delete(agentId: string, webhookId: string, options?: RequestOptions): ApiPromise<void> {
    return this.#of(agentId).delete(webhookId, options);
  }

  /**
   * As `enableMine`, for an agent of the calling owner.
   *
   * @throws NotFoundError (AGENT_NOT_FOUND, WEBHOOK_NOT_FOUND), PermissionDeniedError (NOT_AGENT_OWNER)
   */
  enable(agentId: string, webhookId: string, options?: RequestOptions): ApiPromise<Reply<'webhooks.enable'>> {
    return this.#of(agentId).enable(webhookId, options);
  }

  /**
   * As `rotateMySecret`, for an agent of the calling owner.
   *
   * @throws NotFoundError (AGENT_NOT_FOUND, WEBHOOK_NOT_FOUND), PermissionDeniedError (NOT_AGENT_OWNER)
   */
  rotateSecret(
    agentId: string,
    webhookId: string,
    options?: RequestOptions,
  ): ApiPromise<Reply<'webhooks.rotateSecret'>> {
    return this.#of(agentId).rotateSecret(webhookId, options);
  }

  /**
   * As `testMine`, for an agent of the calling owner.
   *
   * @throws NotFoundError (AGENT_NOT_FOUND, WEBHOOK_NOT_FOUND), PermissionDeniedError (NOT_AGENT_OWNER),
   * BadRequestError (WRONG_STATE)
   */
  test(agentId: string, webhookId: string, options?: RequestOptions): ApiPromise<Reply<'webhooks.test'>> {
    return this.#of(agentId).test(webhookId, options);
  }

  /**
   * As `listMyDeliveries`, for an agent of the calling owner.
   *
   * @throws NotFoundError (AGENT_NOT_FOUND, WEBHOOK_NOT_FOUND), PermissionDeniedError (NOT_AGENT_OWNER)
   */
  listDeliveries(
    agentId: string,
    webhookId: string,
    query: Query<'webhooks.listDeliveries'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'webhooks.listDeliveries'>> {
    return this.#of(agentId).listDeliveries(webhookId, query, options);
  }

  /**
   * As `redeliverMine`, for an agent of the calling owner.
   *
   * @throws NotFoundError (AGENT_NOT_FOUND, WEBHOOK_NOT_FOUND, WEBHOOK_DELIVERY_NOT_FOUND), PermissionDeniedError
   * (NOT_AGENT_OWNER), BadRequestError (WRONG_STATE)
   */
  redeliver(
    agentId: string,
    webhookId: string,
    deliveryId: string,
    options?: RequestOptions,
  ): ApiPromise<Reply<'webhooks.redeliver'>> {
    return this.#of(agentId).redeliver(webhookId, deliveryId, options);
  }
}
