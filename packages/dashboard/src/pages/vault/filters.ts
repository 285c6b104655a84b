/** Filters as the API takes them. */
export interface Filters {
  account?: string;
  cause?: string;
  from?: string;
  to?: string;
}

/** Midnight of a day in local time, as an instant; null if the text is no day from 2000 to 2099. */
function instantOf(day: string, daysLater = 0): string | null {
  const match = /^(20\d\d)-(\d\d)-(\d\d)$/.exec(day);
  if (!match) return null;
  const [year, month, date] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const at = new Date(year, month - 1, date);
  if (at.getMonth() !== month - 1) return null;
  at.setDate(at.getDate() + daysLater);
  return at.toISOString();
}

/** The filters of the address. The last day counts whole. A day that cannot be read is left out and told. */
export function filterOf(search: Filters): { filter: Filters; problem: string | null } {
  const from = search.from ? instantOf(search.from) : undefined;
  const to = search.to ? instantOf(search.to, 1) : undefined;
  const problem =
    from === null || to === null
      ? 'A day of these filters cannot be read, so it is left out. Write days like 2026-11-24.'
      : from && to && from >= to
        ? 'The first day is after the last one.'
        : null;
  const { account, cause } = search;
  return {
    filter: { ...(account && { account }), ...(cause && { cause }), ...(from && { from }), ...(to && { to }) },
    problem,
  };
}
