import type { PushedStanding } from '../webhooks/index.ts';

export { mountA2a } from './mount.ts';

/** The body of a push notification. Loaded with the first, for many servers never send one. */
export const writePush = async (version: string, standing: PushedStanding) =>
  (await import('./push.ts')).writePush(version, standing);
