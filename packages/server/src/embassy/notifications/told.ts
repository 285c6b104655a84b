import { afterCommit, type Hub, type Tx } from '../../platform/index.ts';

/** The topic of an owner's notifications begins so; its id follows. */
export const toldTopic = 'told:';

/** Wakes who shows how many notifications these owners have not read, once the change is committed. */
export const tellCounts = (hub: Hub, tx: Tx, ownerIds: readonly string[]): void =>
  afterCommit(tx, () => hub.notify(ownerIds.map((id) => `${toldTopic}${id}`)));
