import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import type { Body, ItemOf, Query, Reply, RequestOptions } from '../types.ts';
import { Resource } from './resource.ts';
import { webhookCalls } from './webhook-calls.ts';

/**
 * Signed messages to an endpoint of the calling owner: about the tasks that it pays for, approvals and budgets of its agents.
 * `verifyWebhook` reads what arrives.
 */
export class OwnerWebhooks extends Resource {
  readonly #own = webhookCalls(this.http, '/owners/me/webhooks', 'owner');

  /**
   * Registers an endpoint. `secret` is in this reply and never again. BadRequestError if the URL cannot be called,
   * PermissionDeniedError (WEBHOOK_LIMIT_REACHED) if the owner has ten.
   *
   * @throws PermissionDeniedError (WEBHOOK_LIMIT_REACHED)
   */
  create(body: Body<'ownerWebhooks.create'>, options?: RequestOptions): ApiPromise<Reply<'ownerWebhooks.create'>> {
    return this.#own.create(body, options);
  }

  /** Lists the webhooks of the calling owner itself, newest first. */
  list(query: Query<'ownerWebhooks.list'> = {}, options?: RequestOptions): PagePromise<ItemOf<'ownerWebhooks.list'>> {
    return this.#own.list(query, options);
  }

  /**
   * Deletes a webhook with its messages.
   *
   * @throws NotFoundError (WEBHOOK_NOT_FOUND)
   */
  delete(webhookId: string, options?: RequestOptions): ApiPromise<void> {
    return this.#own.delete(webhookId, options);
  }

  /**
   * Enables a webhook that was disabled after five days of failures. Messages that wait are sent now.
   *
   * @throws NotFoundError (WEBHOOK_NOT_FOUND)
   */
  enable(webhookId: string, options?: RequestOptions): ApiPromise<Reply<'ownerWebhooks.enable'>> {
    return this.#own.enable(webhookId, options);
  }

  /**
   * Replaces the secret and returns the new one. The one before stays valid for 24 hours.
   *
   * @throws NotFoundError (WEBHOOK_NOT_FOUND)
   */
  rotateSecret(webhookId: string, options?: RequestOptions): ApiPromise<Reply<'ownerWebhooks.rotateSecret'>> {
    return this.#own.rotateSecret(webhookId, options);
  }

  /**
   * Sends a message of type `test`. BadRequestError (WRONG_STATE) if the webhook is disabled.
   *
   * @throws NotFoundError (WEBHOOK_NOT_FOUND), BadRequestError (WRONG_STATE)
   */
  test(webhookId: string, options?: RequestOptions): ApiPromise<Reply<'ownerWebhooks.test'>> {
    return this.#own.test(webhookId, options);
  }

  /**
   * Lists the messages of a webhook with their last attempts, newest first. `status` filters them.
   *
   * @throws NotFoundError (WEBHOOK_NOT_FOUND)
   */
  listDeliveries(
    webhookId: string,
    query: Query<'ownerWebhooks.listDeliveries'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'ownerWebhooks.listDeliveries'>> {
    return this.#own.listDeliveries(webhookId, query, options);
  }

  /**
   * Sends a message once more. BadRequestError (WRONG_STATE) if the webhook is disabled.
   *
   * @throws NotFoundError (WEBHOOK_NOT_FOUND, WEBHOOK_DELIVERY_NOT_FOUND), BadRequestError (WRONG_STATE)
   */
  redeliver(
    webhookId: string,
    deliveryId: string,
    options?: RequestOptions,
  ): ApiPromise<Reply<'ownerWebhooks.redeliver'>> {
    return this.#own.redeliver(webhookId, deliveryId, options);
  }
}
