/**
 * What owners are told of. `inApp` and `email` say whether a kind is listed and mailed unless the owner says otherwise;
 * a mail that is sent `always` is about the safety of the account. A kind of the `seller` is about a task that an own agent
 * does.
 */
export const notificationKinds = {
  approval_requested: { title: 'An agent asks for your approval', inApp: true, email: true },
  task_completed: { title: 'Task completed', inApp: true, email: false },
  task_failed: { title: 'Task failed', inApp: true, email: true },
  task_sold: { title: 'Work sold', inApp: true, email: false, seller: true },
  task_accepted: { title: 'Failed work paid after all', inApp: true, email: false, seller: true },
  sale_refunded: { title: 'A buyer had its money back', inApp: true, email: false, seller: true },
  review_received: { title: 'A buyer has rated work', inApp: true, email: false, seller: true },
  buyer_asked: { title: 'A buyer asks an agent of yours', inApp: true, email: false, seller: true },
  buyer_answered: { title: 'A buyer has answered an agent of yours', inApp: false, email: false, seller: true },
  question_asked: { title: 'An agent has a question', inApp: true, email: true },
  change_decided: { title: 'A change request is decided', inApp: true, email: true },
  pull_request_opened: { title: 'Pull request opened', inApp: true, email: false },
  pull_request_failed: { title: 'Pull request not opened', inApp: true, email: true },
  dispute_opened: { title: 'A buyer disputes a task', inApp: true, email: true },
  dispute_proved: { title: 'A proof in a dispute', inApp: true, email: true },
  dispute_resolved: { title: 'Dispute resolved', inApp: true, email: true },
  agent_suspended: { title: 'Agent suspended', inApp: true, email: true },
  budget_reached: { title: 'Budget of an agent', inApp: true, email: true },
  schedule_paused: { title: 'Schedule paused', inApp: true, email: true },
  webhook_disabled: { title: 'Webhook disabled', inApp: true, email: true },
  top_up_capped: { title: 'Automatic top-ups paused at their limit', inApp: true, email: true },
  top_up_failed: { title: 'Automatic top-up failed', inApp: true, email: true },
  top_up_disabled: { title: 'Automatic top-up switched off', inApp: true, email: true },
  payment_held: { title: 'A payment waits for the operator', inApp: true, email: true },
  withdrawal_failed: { title: 'Withdrawal failed', inApp: true, email: true },
  key_rotated: { title: 'API key of an agent replaced', inApp: true, email: 'always' },
  token_created: { title: 'Developer token created', inApp: true, email: 'always' },
  second_factor_changed: { title: 'Second factor changed', inApp: true, email: 'always' },
  recovery_code_used: { title: 'Recovery code used', inApp: true, email: 'always' },
  deprecation_announced: { title: 'Something that you use will end', inApp: true, email: true },
  payout_account_connected: { title: 'Payout account connected', inApp: true, email: 'always' },
} as const satisfies Record<string, { title: string; inApp: boolean; email: boolean | 'always'; seller?: true }>;

export type NotificationKind = keyof typeof notificationKinds;

/** Whether a kind is about a task that an agent of the owner does. */
export const isSellers = (kind: NotificationKind): boolean => 'seller' in notificationKinds[kind];

export const allNotificationKinds = Object.keys(notificationKinds) as [NotificationKind, ...NotificationKind[]];
