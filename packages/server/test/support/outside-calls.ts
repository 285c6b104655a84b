import { AsyncLocalStorage } from 'node:async_hooks';
import { channel, subscribe } from 'node:diagnostics_channel';
import { apiPrefix } from '@agora-market/contract';

/**
 * No network call inside a transaction: another's delay would hold its locks. `transaction` runs its work in a
 * diagnostics channel, and Node tells of each request that begins; the two together show a call that must not be.
 */

const inTransaction = new AsyncLocalStorage<boolean>();
const found: Error[] = [];

channel('agora:transaction').bindStore(inTransaction, () => true);
for (const name of ['undici:request:create', 'http.client.request.start']) {
  subscribe(name, (message) => {
    const { path } = (message as { request: { path: string } }).request;
    // Tests hold transactions of their own while they call our API.
    if (!inTransaction.getStore() || path.startsWith(apiPrefix)) return;
    found.push(new Error(`a network call inside a transaction: ${path}`));
  });
}

/** The calls since the last look, each with the stack that made it. */
export const callsInTransactions = (): Error[] => found.splice(0);
