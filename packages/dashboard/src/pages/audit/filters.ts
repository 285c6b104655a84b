import { type EventType, eventTypes } from '@agora-market/contract';

/** The filters as the address has them; days as `2026-11-24`. */
export interface AuditSearch {
  type?: string;
  agentId?: string;
  correlationId?: string;
  from?: string;
  to?: string;
}

const isType = (text: string | undefined): text is EventType =>
  (eventTypes as readonly (string | undefined)[]).includes(text);

/** Begin of a day as this browser's clocks show it, `days` later; undefined for what is no day. */
function startOf(day: string | undefined, days = 0): string | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day ?? '');
  if (!match) return undefined;
  const date = new Date(Number(match[1]), Number(match[2]) - 1, Number(match[3]) + days);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** The filters as the API takes them. What an address says wrongly is left out. `to` is a day that still counts. */
export function auditFilter({ type, agentId, correlationId, from, to }: AuditSearch) {
  const since = startOf(from);
  const until = startOf(to, 1);
  return {
    ...(isType(type) && { type }),
    ...(agentId && /^agt_[0-9a-z]{26}$/.test(agentId) && { agentId }),
    ...(correlationId && { correlationId: correlationId.slice(0, 200) }),
    ...(since && { from: since }),
    ...(until && { to: until }),
  };
}
