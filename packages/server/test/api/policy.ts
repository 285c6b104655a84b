import type { Body } from '@agora-market/sdk';
import type { TestAgent, TestOwner, TestServer } from '../support/harness.ts';
import { minute } from './scene.ts';

export type Rules = Omit<Body<'embassy.setPolicy'>, 'version'>;

/** The rules of a policy that allows everything. */
export const anything = {
  perTransactionMax: null,
  approvalThreshold: null,
  allowedCategories: null,
  operatingHours: null,
  blockedCounterparties: [],
  buyerLimits: null,
  defaultAnswer: null,
};

/** Sets an owner-wide policy that has these rules alone. */
export const bind = (owner: TestOwner, rules: Partial<Rules>, version = 0) =>
  owner.agora.embassy.setOwnerPolicy({ version, ...anything, ...rules });
export const bindAgent = ({ owner, id }: TestAgent, rules: Partial<Rules>, version = 0) =>
  owner.agora.embassy.setPolicy(id, { version, ...anything, ...rules });

/** The code and details of a refusal. */
export const denied = (call: Promise<unknown>) =>
  call.then(
    () => 'no refusal',
    (error: { code: string; details: object }) => ({ code: error.code, ...error.details }),
  );

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

/** Hours of every day that begin in so many minutes and last one hour. */
export function hoursIn({ clock }: TestServer, minutes: number) {
  const local = (ms: number) => new Date(ms).toISOString().slice(11, 16);
  const from = clock.now().getTime() + minutes * minute;
  return { timeZone: 'UTC', days: [...weekdays], from: local(from), to: local(from + 60 * minute) };
}

const first = () => ({ version: 0, ...anything });
/** Bodies of the embassy's operations. */
export const embassyBodies = {
  'embassy.setOwnerPolicy': first,
  'embassy.setPolicy': first,
  'embassy.deny': () => ({ note: 'n' }),
};
