import { apiPrefix, type EventType, type NotificationKind, scheduleLimits, toUuid } from '@agora-market/contract';
import type { LoggedRow } from '../../events/index.ts';

/** How an event is told, and to whom: the owner that it is about, the owner of its agent, or both. */
interface Telling {
  kind: NotificationKind;
  to: readonly ('owner' | 'agentOwner')[];
  /** Null where there is nothing to tell. `agent` is the agent's name in quotes. Only what the service itself wrote. */
  text(data: Record<string, unknown>, agent: string): string | null;
  /** For what is told daily: cents that are summed, and how several of a day are told. */
  cents?(data: Record<string, unknown>): number;
  several?(told: { times: number; cents: number }, agent: string): string;
}

const dollars = (cents: unknown): string => `$${(Number(cents) / 100).toFixed(2)}`;
const time = (iso: unknown): string => `${String(iso).slice(0, 16).replace('T', ' ')} UTC`;
const reason = (said: unknown): string => (said ? `: ${String(said).slice(0, 300).replace(/\.$/, '')}.` : '.');

/** By the verb that ended the task. What its submitter did itself, or got from another attempt, is no news. */
const failures: Record<string, string> = {
  fail: 'the agent gave up',
  reject: 'the delivery did not pass the quality gate',
  expire: 'its time ran out',
  decline: 'the agent declined it',
  abandon: 'the quality gate could not run',
  lackInput: 'its repository cannot be cloned',
};

/** What the clone's refusal says beyond that it was refused. */
const inputReason = (said: unknown): string => String(said).replace(/^.*? cannot be cloned|\.$/g, '');

const outcomes: Record<string, (refunded: string, price: string) => string> = {
  buyer_wins: (refunded) => `The buyer won, and ${refunded} went back.`,
  seller_wins: (_, price) => `The agent won, and the price of ${price} stands.`,
  split: (refunded, price) => `It was split: ${refunded} of ${price} went back to the buyer.`,
  dismissed: (_, price) => `It was dismissed, and the price of ${price} stands.`,
};

const windows: Record<string, string> = { day: '24 hours', week: '7 days', month: '30 days' };

const owner = ['owner'] as const;
const agentOwner = ['agentOwner'] as const;
const notYou = 'If that was not you, change your password and look at your tokens and sessions.';

const completed: Telling = {
  kind: 'task_completed',
  to: owner,
  text: ({ taskType, price, qualityScore }, agent) =>
    `${agent} has completed your ${taskType} task for ${dollars(price)}, with a score of ${qualityScore}.`,
};

const sold: Telling = {
  kind: 'task_sold',
  to: agentOwner,
  text: ({ taskType, payout }, agent) => `${agent} has done a ${taskType} task and earned ${dollars(payout)}.`,
  cents: ({ payout }) => Number(payout ?? 0),
  several: ({ times, cents }, agent) => `${agent} has done ${times} tasks in a day (UTC) and earned ${dollars(cents)}.`,
};

const agentAsks: Telling = {
  kind: 'question_asked',
  to: owner,
  text: ({ author, kind, taskType, until, isAnswered }, agent) => {
    if (author !== 'agent' || kind !== 'question' || isAnswered) return null;
    return `${agent} has a question about your ${taskType} task${until ? `, and waits for your answer until ${time(until)}` : ''}.`;
  },
};

const buyerAsks: Telling = {
  kind: 'buyer_asked',
  to: agentOwner,
  text: ({ author, kind }, agent) => {
    if (author !== 'submitter') return null;
    if (kind === 'question') return `The buyer of a task has a question for ${agent}, which the agent itself answers.`;
    return kind === 'change_request'
      ? `The buyer of a task asks ${agent} for a change of its work, which the agent itself accepts or declines.`
      : null;
  },
};

const buyerAnswers: Telling = {
  kind: 'buyer_answered',
  to: agentOwner,
  text: ({ author, kind }, agent) =>
    author === 'submitter' && kind === 'answer' ? `The buyer of a task has answered a question of ${agent}.` : null,
};

/** Every event that somebody is told of; of some the buyer is told otherwise than the seller. */
export const tellings: Partial<Record<EventType, Telling | readonly Telling[]>> = {
  'approval.requested': {
    kind: 'approval_requested',
    to: owner,
    text: ({ taskType, maxBudget }, agent) =>
      `${agent} wants to submit a ${taskType} task for up to ${dollars(maxBudget)} and needs your approval.`,
  },
  'task.completed': [completed, sold],
  'task.failed': {
    kind: 'task_failed',
    to: owner,
    text: ({ taskType, verb, amount, errorMessage }) => {
      const why = failures[String(verb)];
      return why === undefined
        ? null
        : `Your ${taskType} task failed: ${why}${verb === 'lackInput' ? inputReason(errorMessage) : ''}. ${dollars(amount)} is free again in your pool.`;
    },
  },
  'task.accepted': {
    kind: 'task_accepted',
    to: agentOwner,
    text: ({ taskType, payout }, agent) =>
      `The buyer of a ${taskType} task has paid for the work of ${agent} that the quality gate had failed: ${dollars(payout)}. The failure no longer counts.`,
  },
  'task.refunded': {
    kind: 'sale_refunded',
    to: agentOwner,
    // Of what a dispute gives back, its resolution tells.
    text: ({ amount, payout, because }, agent) =>
      because === 'dispute'
        ? null
        : `The buyer of a task of ${agent} gave thumbs down and has its ${dollars(amount)} back, of which the agent had ${dollars(payout)}.`,
  },
  'feedback.received': {
    kind: 'review_received',
    to: agentOwner,
    text: ({ direction, isWritten }, agent) =>
      `The buyer of a task of ${agent} gave thumbs ${direction === 'up' ? 'up' : 'down'}${isWritten ? ', with a review' : ''}.`,
    several: ({ times }, agent) => `Buyers have rated the work of ${agent} ${times} times in a day (UTC).`,
  },
  'message.posted': [agentAsks, buyerAsks, buyerAnswers],
  'change.decided': {
    kind: 'change_decided',
    to: owner,
    text: ({ by, taskType, followUp }, agent) => {
      if (by !== 'agent') return null;
      const change = `the change of your ${taskType} task`;
      if (followUp === null) return `${agent} has declined ${change}.`;
      return `${agent} has accepted ${change}: the follow-up task is ${followUp}.`;
    },
  },
  'pull_request.opened': {
    kind: 'pull_request_opened',
    to: owner,
    text: ({ taskType }, agent) => `The work of ${agent} on your ${taskType} task is a pull request now.`,
  },
  'pull_request.failed': {
    kind: 'pull_request_failed',
    to: owner,
    text: ({ taskType, because }, agent) =>
      `The work of ${agent} on your ${taskType} task could not become a pull request${reason(because)} The task stays completed, and what it says of the pull request tells more.`,
  },
  'dispute.filed': {
    kind: 'dispute_opened',
    to: agentOwner,
    text: ({ respondBy }, agent) => `The buyer disputes a task of ${agent}. Respond by ${time(respondBy)}.`,
  },
  'dispute.proved': {
    kind: 'dispute_proved',
    to: ['owner', 'agentOwner'],
    text: ({ speaksFor, proofBy }, agent) =>
      proofBy === null
        ? null
        : `In the dispute over a task of ${agent} a proof speaks for the ${speaksFor}. It decides the dispute if the other side shows none by ${time(proofBy)}.`,
  },
  'dispute.resolved': {
    kind: 'dispute_resolved',
    to: ['owner', 'agentOwner'],
    text: ({ outcome, refunded, price }, agent) =>
      `The dispute over a task of ${agent} is decided. ${outcomes[String(outcome)]?.(dollars(refunded), dollars(price)) ?? ''}`,
  },
  'agent.suspended': {
    kind: 'agent_suspended',
    to: agentOwner,
    text: ({ consecutiveFailures }, agent) =>
      `${agent} was suspended after ${consecutiveFailures} failures in a row. It gets no tasks until you reactivate it.`,
  },
  'budget.reached': {
    kind: 'budget_reached',
    to: owner,
    text: ({ window, percent, limit, spent, refused }, agent) => {
      const what = `${dollars(spent)} of the ${dollars(limit)} that it may spend in ${windows[String(window)]}`;
      if (percent !== 100) return `${agent} has spent ${what}: ${percent} %.`;
      const more =
        refused === null ? 'What goes beyond is refused' : `A submission for ${dollars(refused)} was refused`;
      return `${agent} has used up its budget: ${what}. ${more}. If you did not expect this, replace its key; else set another limit.`;
    },
  },
  'schedule.paused': {
    kind: 'schedule_paused',
    to: owner,
    text: ({ because, name, code }) =>
      because === 'owner'
        ? null
        : `Your schedule “${name}” is paused${code === null ? ': it has no next time' : ` after ${scheduleLimits.failuresBeforePause} failures in a row, the last one ${code}`}. Its history says why. Mend it, and resume it.`,
  },
  'webhook.disabled': {
    kind: 'webhook_disabled',
    to: owner,
    text: ({ agentId, failingSince, statusCode }, agent) =>
      `A webhook of ${agentId === undefined ? 'your account' : agent} was disabled, because ${
        statusCode === undefined
          ? `it has failed since ${time(failingSince)}`
          : `its address says that it is gone (${statusCode})`
      }. Enable it once it works again.`,
  },
  'auto_top_up.capped': {
    kind: 'top_up_capped',
    to: owner,
    text: ({ window, cap, amount, resumesAt }) =>
      `Automatic top-ups of your pool have reached their limit of ${dollars(cap)} in ${window === 'day' ? '24 hours' : '30 days'}. Your card is charged no further ${dollars(amount)} before ${time(resumesAt)}. If you did not expect this, look at what your agents spend.`,
  },
  'auto_top_up.failed': {
    kind: 'top_up_failed',
    to: owner,
    text: ({ amount, reason: said, retryAt }) =>
      `The automatic top-up of ${dollars(amount)} failed${reason(said)} ${retryAt ? `It is tried again at ${time(retryAt)}.` : 'It is not tried again.'}`,
  },
  'auto_top_up.disabled': {
    kind: 'top_up_disabled',
    to: owner,
    text: ({ reason: said }) => `Automatic top-ups of your pool are now off${reason(said)}`,
  },
  'withdrawal.failed': {
    kind: 'withdrawal_failed',
    to: owner,
    text: ({ amount, reason: said }, agent) =>
      `The withdrawal of ${dollars(amount)} from ${agent} failed${reason(said)} The money is back in its wallet.`,
  },
  'payment.held': {
    kind: 'payment_held',
    to: owner,
    text: ({ kind, amount }) =>
      kind === 'withdrawal'
        ? `The withdrawal of ${dollars(amount)} is over a limit of a day and waits for the operator.`
        : `A top-up of ${dollars(amount)} is over a limit of a day and was not charged. It waits for the operator.`,
  },
  'payment.released': {
    kind: 'payment_held',
    to: owner,
    text: ({ kind, amount }) =>
      kind === 'withdrawal'
        ? `The operator has released the withdrawal of ${dollars(amount)}; it is on its way.`
        : `The operator lets you make the top-up of ${dollars(amount)} by the same card, within a day.`,
  },
  'payment.refused': {
    kind: 'payment_held',
    to: owner,
    // Of a withdrawal its own failure tells.
    text: ({ kind, amount, reason: said }) =>
      kind === 'withdrawal' ? null : `The operator has refused the top-up of ${dollars(amount)}${reason(said)}`,
  },
  'agent.key_rotated': {
    kind: 'key_rotated',
    to: owner,
    text: (_, agent) => `The API key of ${agent} was replaced, and the old one no longer works. ${notYou}`,
  },
  'token.created': {
    kind: 'token_created',
    to: owner,
    text: ({ name, tokenPrefix }) => `The developer token “${name}” (${tokenPrefix}…) was created. ${notYou}`,
  },
  'owner.totp_enabled': {
    kind: 'second_factor_changed',
    to: owner,
    text: () => `Signing in to your account now takes a code of an authenticator app. ${notYou}`,
  },
  'owner.totp_disabled': {
    kind: 'second_factor_changed',
    to: owner,
    text: () => `Signing in to your account takes no code of an authenticator app any more. ${notYou}`,
  },
  'owner.recovery_codes_renewed': {
    kind: 'second_factor_changed',
    to: owner,
    text: () => `Your account has new recovery codes, and those before are void. ${notYou}`,
  },
  'owner.recovery_code_used': {
    kind: 'recovery_code_used',
    to: owner,
    text: ({ left }) => `A recovery code of your account was used; ${left} are left. ${notYou}`,
  },
  'deprecation.announced': {
    kind: 'deprecation_announced',
    to: owner,
    text: ({ sunset, used }) =>
      `On ${String(sunset).slice(0, 10)} this ends, which you have used lately: ${(used as string[]).join('; ')}. What to use instead: GET ${apiPrefix}/changelog`,
  },
  'payout_account.connected': {
    kind: 'payout_account_connected',
    to: owner,
    text: () => `An account for payouts of your earnings was connected. ${notYou}`,
  },
};

/** One owner is told one thing. */
export interface Notice extends Pick<LoggedRow, 'taskId' | 'agentId' | 'at'> {
  ownerId: string;
  kind: NotificationKind;
  text: string;
  disputeId: string | null;
  /** For what is told daily. */
  cents: number;
  several: ((told: { times: number; cents: number }) => string) | null;
}

/** Who is told what of an event: each owner at most one thing. `agent` is the event's, if it has one. */
export function noticesOf(event: LoggedRow, agent: { name: string; ownerId: string } | undefined): Notice[] {
  const { taskId, agentId, at, ownerId, data } = event;
  const name = agent ? `“${agent.name}”` : 'An agent';
  const disputeId = toUuid('dispute', String(data.disputeId));
  const told = new Map<string, Notice>();
  for (const telling of [tellings[event.type] ?? []].flat()) {
    const text = telling.text(data, name);
    if (text === null) continue;
    const { kind, several } = telling;
    const notice = { kind, text, taskId, agentId, disputeId, at, cents: telling.cents?.(data) ?? 0 };
    for (const who of telling.to) {
      const to = who === 'owner' ? ownerId : agent?.ownerId;
      if (to == null || told.has(to)) continue;
      told.set(to, { ...notice, ownerId: to, several: several ? (sums) => several(sums, name) : null });
    }
  }
  return [...told.values()];
}
