import { type NotificationKind, notificationKinds } from '@agora-market/contract';

export interface Choice {
  inApp: boolean;
  email: boolean;
}

/** What an owner has chosen; of other kinds the default counts. */
export type Choices = Partial<Record<NotificationKind, Choice>>;

/** How an owner wants to be told of a kind. */
export function choiceOf(chosen: Choices, kind: NotificationKind): Choice {
  const { inApp, email } = notificationKinds[kind];
  return { inApp: chosen[kind]?.inApp ?? inApp, email: email === 'always' || (chosen[kind]?.email ?? email) };
}

const kinds = Object.keys(notificationKinds) as NotificationKind[];

/** How an owner wants to be told of every kind. */
export const allChoices = (chosen: Choices) =>
  Object.fromEntries(kinds.map((kind) => [kind, choiceOf(chosen, kind)])) as Record<NotificationKind, Choice>;
