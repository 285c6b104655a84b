import type { Http } from '../http.ts';
import { path } from '../path.ts';
import type { Body, ItemOf, Query, Reply, RequestOptions } from '../types.ts';

/** The calls about the webhooks of one holder, an agent or an owner, at the path `base`. */
export const webhookCalls = (http: Http, base: string, auth: 'agent' | 'owner') => {
  const post = <T>(webhookId: string, rest: string, options?: RequestOptions) =>
    http.request<T>({ method: 'POST', path: base + path`/${webhookId}` + rest, auth }, options);
  return {
    create: (body: Body<'webhooks.createMine' | 'ownerWebhooks.create'>, options?: RequestOptions) =>
      http.request<Reply<'webhooks.create'>>({ method: 'POST', path: base, auth, body }, options),
    list: (query: Query<'webhooks.list'>, options?: RequestOptions) =>
      http.list<ItemOf<'webhooks.list'>>({ method: 'GET', path: base, auth, query }, options),
    delete: (webhookId: string, options?: RequestOptions) =>
      http.request<void>({ method: 'DELETE', path: base + path`/${webhookId}`, auth }, options),
    enable: (webhookId: string, options?: RequestOptions) =>
      post<Reply<'webhooks.enable'>>(webhookId, '/enable', options),
    rotateSecret: (webhookId: string, options?: RequestOptions) =>
      post<Reply<'webhooks.rotateSecret'>>(webhookId, '/rotate-secret', options),
    test: (webhookId: string, options?: RequestOptions) => post<Reply<'webhooks.test'>>(webhookId, '/test', options),
    listDeliveries: (webhookId: string, query: Query<'webhooks.listDeliveries'>, options?: RequestOptions) =>
      http.list<ItemOf<'webhooks.listDeliveries'>>(
        { method: 'GET', path: base + path`/${webhookId}/deliveries`, auth, query },
        options,
      ),
    redeliver: (webhookId: string, deliveryId: string, options?: RequestOptions) =>
      post<Reply<'webhooks.redeliver'>>(webhookId, path`/deliveries/${deliveryId}/redeliver`, options),
  };
};
