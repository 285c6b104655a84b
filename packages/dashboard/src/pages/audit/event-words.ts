import type { BuyerLimits, EventType, OperatingHours } from '@agora-market/contract';
import { words } from '../../ui/format.ts';
import { buyersText, hoursText } from '../policies/words.ts';

type Data = Record<string, unknown>;

/** What events of the audit log say. What happens to a task is on the page of the task, and not here. */
export const eventWords: Partial<Record<EventType, string>> = {
  'owner.registered': 'Account created',
  'owner.updated': 'Account changed by the operator',
  'owner.email_verified': 'E-mail address confirmed',
  'owner.password_changed': 'Password changed',
  'owner.credentials_ended': 'Credentials ended',
  'owner.totp_enabled': 'Two-factor sign-in switched on',
  'owner.totp_disabled': 'Two-factor sign-in switched off',
  'owner.recovery_code_used': 'Recovery code used to sign in',
  'owner.recovery_codes_renewed': 'Recovery codes replaced',
  'session.started': 'Signed in',
  'session.ended': 'Signed out',
  'token.created': 'Developer token created',
  'token.revoked': 'Developer token revoked',
  'agent.registered': 'Agent registered',
  'agent.updated': 'Agent changed',
  'agent.deactivated': 'Agent deactivated',
  'agent.reactivated': 'Agent reactivated',
  'agent.suspended': 'Agent suspended after failures in a row',
  'agent.tier_changed': 'Trust tier of an agent changed',
  'agent.key_rotated': 'API key of an agent replaced',
  'agent.model_verified': 'Model of an agent verified',
  'agent.model_stale': 'Model of an agent needs a new verification',
  'pool.topped_up': 'Pool topped up',
  'pool.top_up_refunded': 'Top-up given back or called back',
  'pool.top_up_reinstated': 'Top-up stands again',
  'pool.reversal_collected': 'Missing money of a top-up taken from the pool',
  'payment_method.added': 'Card added',
  'payment_method.removed': 'Card removed',
  'payment_method.made_default': 'Default card changed',
  'payout_account.connected': 'Payout account connected',
  'payout_account.changed': 'Payout account changed',
  'withdrawal.requested': 'Withdrawal requested',
  'withdrawal.paid': 'Withdrawal paid out',
  'withdrawal.failed': 'Withdrawal failed; the money is back',
  'payment.held': 'Payment over a limit waits for the operator',
  'payment.released': 'Held payment released by the operator',
  'payment.refused': 'Held payment refused by the operator',
  'auto_top_up.updated': 'Automatic top-up set',
  'auto_top_up.reloaded': 'Pool topped up automatically',
  'auto_top_up.capped': 'Automatic top-ups paused at their limit',
  'auto_top_up.failed': 'Automatic top-up failed',
  'auto_top_up.disabled': 'Automatic top-up switched off',
  'wallet.allocated': 'Money moved from the pool to a wallet',
  'wallet.reclaimed': 'Money moved from a wallet to the pool',
  'wallet.transferred': 'Money moved between wallets',
  'wallet.flagged': 'Wallet flagged; it cannot withdraw',
  'wallet.flag_cleared': 'Flag of a wallet cleared',
  'budget.reached': 'Budget reached',
  'budget.updated': 'Budget of an agent set',
  'policy.updated': 'Policy changed',
  'approval.requested': 'Approval asked for',
  'approval.approved': 'Approval given',
  'approval.denied': 'Approval denied',
  'approval.expired': 'Approval ran out of time',
  'trust_key.created': 'Trust key created',
  'trust_key.revoked': 'Trust key revoked',
  'webhook.created': 'Webhook created',
  'webhook.deleted': 'Webhook deleted',
  'webhook.secret_rotated': 'Secret of a webhook replaced',
  'webhook.enabled': 'Webhook switched on',
  'webhook.disabled': 'Webhook switched off',
  'github.connected': 'Repository account connected',
  'github.disconnected': 'Repository account disconnected',
  'package_registry.set': 'Package registry stored',
  'package_registry.removed': 'Package registry removed',
  'template.saved': 'Template saved',
  'template.deleted': 'Template deleted',
  'schedule.saved': 'Schedule saved',
  'schedule.deleted': 'Schedule deleted',
  'schedule.paused': 'Schedule paused',
  'schedule.resumed': 'Schedule resumed',
  'schedule.run_begun': 'Run of a schedule begun',
  'schedule.run_ended': 'Run of a schedule ended',
  'intake.set': 'Issues of a repository become tasks',
  'intake.removed': 'Issues of a repository become no more tasks',
  'deprecation.announced': 'Told of something that will end',
};

/** Field names whose values are integer cents. */
const amounts = new Set([
  ...['amount', 'maxBudget', 'limit', 'taken', 'missing', 'threshold', 'approvalThreshold', 'perTransactionMax'],
  ...['dailyLimit', 'weeklyLimit', 'monthlyLimit', 'reloadAmount', 'monthlyMax', 'monthlyBudget'],
]);

export type Fact = { name: string } & ({ cents: number } | { id: string } | { text: string });

/** Fields whose own name would puzzle. */
const names: Record<string, string> = {
  perTransactionMax: 'At most for one task',
  maxBudget: 'Up to',
  limit: 'Threshold',
  last4: 'Ending in',
  allowedCategories: 'Categories',
  operatingHours: 'Hours',
  blockedCounterparties: 'Blocked',
  buyerLimits: 'Buyers',
  failingSince: 'Failing since',
};

/** `approvalThreshold` → `Approval threshold`. */
function nameOf(field: string): string {
  const text = field.replace(/Id$/, '').replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
  return names[field] ?? text.charAt(0).toUpperCase() + text.slice(1);
}

const isId = (value: string) => /^[a-z]{3}_[0-9a-z]{26}$/.test(value);
const isWord = (value: string) => /^[a-z]+(_[a-z]+)+$/.test(value);

function textOf(field: string, value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map((one) => textOf('', one)).join(', ');
  if (field === 'buyerLimits') return buyersText(value as BuyerLimits);
  if (field === 'operatingHours') return hoursText(value as OperatingHours);
  if (typeof value === 'object') return JSON.stringify(value);
  return typeof value === 'string' && isWord(value) ? words(value) : String(value);
}

function factOf(field: string, value: unknown): Fact {
  const name = nameOf(field);
  if (typeof value === 'number' && amounts.has(field)) return { name, cents: value };
  if (typeof value === 'string' && isId(value)) return { name, id: value };
  return { name, text: textOf(field, value) };
}

/** What stands elsewhere on the page, or says nothing to people. */
const leftOut = new Set(['agentId', 'ownerId', 'version']);

/** What the event knows. Fields without a value are left out. */
export const factsOf = (data: Data): Fact[] =>
  Object.entries(data)
    .filter(([field, value]) => !leftOut.has(field) && hasValue(value))
    .map(([field, value]) => factOf(field, value));

const hasValue = (value: unknown) =>
  value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);
