import { AgoraError } from '@agora-market/sdk';

/**
 * Asks again every `ms` while the page is visible, and later where the server asks for it. An owner may ask for its
 * approvals, policies, events and notifications 30 times a minute, on all screens together.
 */
export const every = (ms: number) => (query: { state: { error: unknown } }) => {
  const { error } = query.state;
  return error instanceof AgoraError && error.retryAfterSeconds ? error.retryAfterSeconds * 1_000 : ms;
};
