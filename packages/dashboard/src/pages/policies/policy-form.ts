import type { BuyerLimits } from '@agora-market/contract';
import type { Body, ItemOf } from '@agora-market/sdk';
import { amountText, centsOf, counted, isOddAmount, money, words } from '../../ui/format.ts';
import { buyersText, hoursText } from './words.ts';

export type Policy = ItemOf<'embassy.listPolicies'>;
type PolicyBody = Body<'embassy.setOwnerPolicy'>;
type Rules = Omit<PolicyBody, 'version'>;

/** The rules as they are typed. */
export interface PolicyForm
  extends Omit<Rules, 'perTransactionMax' | 'approvalThreshold' | 'buyerLimits' | 'defaultAnswer'> {
  perTransactionMax: string;
  approvalThreshold: string;
  buyerLimits: BuyerLimits | null;
  defaultAnswer: string;
}
export type Field = keyof PolicyForm;

/** What was typed, and the version of the policy that it is about. Without edits the page shows what is stored. */
export interface Draft {
  edits: Partial<PolicyForm>;
  version: number;
  /** What is typed under Blocked, and blocks nobody yet. */
  toBlock: string;
}
export const noDraft: Draft = { edits: {}, version: 0, toBlock: '' };

export const fieldWords: Record<Field, string> = {
  perTransactionMax: 'At most for one task',
  approvalThreshold: 'Approval above',
  allowedCategories: 'Categories',
  operatingHours: 'Hours',
  blockedCounterparties: 'Blocked',
  buyerLimits: 'Buyers',
  defaultAnswer: 'Answer to questions',
};

const typed = (cents: number | null) => (cents === null ? '' : amountText(cents));

export const formOf = (policy: Policy): PolicyForm => ({
  perTransactionMax: typed(policy.perTransactionMax),
  approvalThreshold: typed(policy.approvalThreshold),
  allowedCategories: policy.allowedCategories,
  operatingHours: policy.operatingHours,
  blockedCounterparties: policy.blockedCounterparties,
  buyerLimits: policy.buyerLimits,
  defaultAnswer: policy.defaultAnswer ?? '',
});

/** The edits after one more; what is typed back to what is stored is none. */
export function editsWith(before: Partial<PolicyForm>, change: Partial<PolicyForm>, stored: PolicyForm) {
  const all = Object.entries({ ...before, ...change });
  return Object.fromEntries(
    all.filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(stored[field as Field])),
  ) as Partial<PolicyForm>;
}

/** Cents of a typed limit; null for none. */
export const limitOf = (text: string): number | null => (text.trim() === '' ? null : centsOf(text));

export const bodyOf = (form: PolicyForm, version: number): PolicyBody => ({
  ...form,
  version,
  perTransactionMax: limitOf(form.perTransactionMax),
  approvalThreshold: limitOf(form.approvalThreshold),
  defaultAnswer: form.defaultAnswer.trim() || null,
});

/** Why the form cannot be saved as it is; null if it can. */
export function problemOf({ perTransactionMax, approvalThreshold, operatingHours, ...form }: PolicyForm) {
  if (isOddAmount(perTransactionMax) || isOddAmount(approvalThreshold))
    return 'One of the amounts is no amount of money.';
  if (form.allowedCategories?.length === 0) return 'Choose at least one category, or allow all.';
  if (operatingHours?.days.length === 0) return 'Choose at least one day, or allow any time.';
  if (operatingHours && !(operatingHours.from && operatingHours.to)) return 'Say from when to when.';
  return null;
}

/** A rule in words. */
export function ruleText(form: PolicyForm, field: Field): string {
  switch (field) {
    case 'perTransactionMax':
    case 'approvalThreshold': {
      const cents = limitOf(form[field]);
      return cents === null ? form[field] || 'no limit' : money(cents);
    }
    case 'allowedCategories':
      return form.allowedCategories?.map(words).join(', ') ?? 'all';
    case 'operatingHours':
      return form.operatingHours ? hoursText(form.operatingHours) : 'at any time';
    case 'blockedCounterparties':
      return form.blockedCounterparties.length === 0
        ? 'nobody'
        : counted(form.blockedCounterparties.length, 'party', 'parties');
    case 'buyerLimits':
      return buyersText(form.buyerLimits);
    case 'defaultAnswer':
      return form.defaultAnswer.trim() || 'none, you answer';
  }
}
