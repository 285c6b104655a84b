/** The rules of a policy that allows everything. */
export const anything = {
  perTransactionMax: null,
  approvalThreshold: null,
  allowedCategories: null,
  operatingHours: null,
  blockedCounterparties: [],
};

const first = () => ({ version: 0, ...anything });
/** Bodies of the embassy's operations. */
export const embassyBodies = {
  'embassy.setOwnerPolicy': first,
  'embassy.setPolicy': first,
  'embassy.deny': () => ({ note: 'n' }),
};
