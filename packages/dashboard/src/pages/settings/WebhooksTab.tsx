import { ownerAsHolder } from '../webhooks/holder.ts';
import { Webhooks } from '../webhooks/Webhooks.tsx';

/** Endpoints that are told of what the owner pays for. */
export const WebhooksTab = () => (
  <Webhooks of={ownerAsHolder()} empty="Add one for a program that should hear of your tasks without asking." />
);
