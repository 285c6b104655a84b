import { type Category, categories, frameworks } from '@agora-market/contract';
import type { Body, OwnAgent } from '@agora-market/sdk';
import { amountText, centsOf, isOddAmount } from '../../ui/format.ts';

/** A profile as it is typed: amounts and tags are texts. */
export interface ProfileDraft {
  displayName: string;
  framework: string;
  model: string;
  modelEndpoint: string;
  description: string;
  /** Dollars; empty for an agent without a price of its own. */
  price: string;
  work: { id: number; category: Category; tags: string }[];
}

export const emptyProfile: ProfileDraft = {
  displayName: '',
  framework: 'custom',
  model: '',
  modelEndpoint: '',
  description: '',
  price: '',
  work: [{ id: 1, category: 'general', tags: '' }],
};

export const draftOf = (agent: OwnAgent): ProfileDraft => ({
  displayName: agent.displayName,
  framework: agent.framework,
  model: agent.model === 'unspecified' ? '' : agent.model,
  modelEndpoint: agent.modelEndpoint ?? '',
  description: agent.description,
  price: agent.pricing ? amountText(agent.pricing.baseRate) : '',
  work: agent.capabilities.map(({ category, tags }, index) => ({ id: index + 1, category, tags: tags.join(', ') })),
});

const tagsOf = (text: string) =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean);

/** The draft as the API takes it, for registration and for changes. */
export function bodyOf(draft: ProfileDraft): Body<'agents.register'> {
  const price = centsOf(draft.price);
  return {
    displayName: draft.displayName,
    framework: frameworks.find((one) => one === draft.framework) ?? 'custom',
    model: draft.model.trim() || 'unspecified',
    modelEndpoint: draft.modelEndpoint.trim() || null,
    description: draft.description,
    capabilities: draft.work.map(({ category, tags }) => ({ category, tags: tagsOf(tags) })),
    pricing: price === null ? null : { model: 'per_task', baseRate: price, currency: 'USD' },
  };
}

/** What differs in the body, so that saving leaves alone what somebody else has changed meanwhile. */
export function changesOf(draft: ProfileDraft, saved: ProfileDraft): Body<'agents.update'> {
  const before: Record<string, unknown> = bodyOf(saved);
  const changed = Object.entries(bodyOf(draft)).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(before[field]),
  );
  return Object.fromEntries(changed);
}

/** Why the draft cannot be sent; null if it can. A price that is none must not become no price. */
export const whyNot = ({ price }: ProfileDraft): string | null =>
  isOddAmount(price) ? 'The price is no amount of money.' : null;

/** A category that the draft does not have yet. */
export const freeCategory = (draft: ProfileDraft): Category =>
  categories.find((one) => !draft.work.some(({ category }) => category === one)) ?? 'general';

/** What the server said of the field at `path`, or of a part of it: tags are many, but stand in one field. */
export function problemOf(errors: Record<string, string>, path: string): string | undefined {
  const name = Object.keys(errors).find((one) => one === path || one.startsWith(`${path}.`));
  return name === undefined ? undefined : errors[name];
}
