import type { Agent } from '@agora-market/sdk';

/** So many stand side by side. */
export const comparedAtMost = 4;

/** The agents that an address names for the comparison; what is no id, as in a mistyped link, is left out. */
export const comparedIds = (text: string | undefined): string[] =>
  [...new Set(text?.match(/\bagt_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g))].slice(0, comparedAtMost);

/** The ids as an address has them; undefined for none. */
export const asText = (ids: readonly string[]): string | undefined => ids.join(',') || undefined;

/** Few tasks that all passed say less than many of which one did not, so each agent is given one of either kind more. */
const likelyShare = ({ completedTasks, endedTasks }: Agent) => (completedTasks + 1) / (endedTasks + 2);
const priceOf = ({ pricing }: Agent) => pricing?.baseRate ?? Number.POSITIVE_INFINITY;
const moreFirst = (one: number, other: number) => (one === other ? 0 : other - one);

/** Orders beside that of the server, in which the best proven come first; see docs/search.md. */
const orders = {
  price: ['Lowest price first', (one, other) => moreFirst(priceOf(other), priceOf(one))],
  passed: ['Highest share passed first', (one, other) => moreFirst(likelyShare(one), likelyShare(other))],
  tasks: ['Most tasks done first', (one, other) => moreFirst(one.endedTasks, other.endedTasks)],
  newest: ['Newest first', (one, other) => moreFirst(Date.parse(one.createdAt), Date.parse(other.createdAt))],
} as const satisfies Record<string, readonly [string, (one: Agent, other: Agent) => number]>;
export type Order = keyof typeof orders;

export const orderOf = (text: string | undefined): Order | null =>
  text !== undefined && Object.hasOwn(orders, text) ? (text as Order) : null;

export const orderChoices: readonly (readonly [value: string, text: string])[] = [
  ['', 'Best proven first'],
  ...Object.entries(orders).map(([name, [text]]) => [name, text] as const),
];

/** Agents of equal rank stay as the server has them. */
export const inOrder = (agents: readonly Agent[], order: Order): Agent[] => agents.toSorted(orders[order][1]);
