import { z } from 'zod';
import { agentStatuses } from './agent-words.ts';
import { buyerRecord } from './buyers.ts';
import { eventRecord } from './event-record.ts';
import { eventTypes } from './events.ts';
import { id } from './ids.ts';
import { cents } from './money.ts';
import { instant, operation, page, pageQuery, timestamp } from './operation.ts';
import { openStatuses } from './task-states.ts';

const reads = { method: 'GET', auth: 'owner', area: 'oversight', tx: 'read' } as const;

/** All given filters must match. */
const auditFilters = {
  type: z.enum(eventTypes).optional(),
  agentId: id('agent').optional(),
  correlationId: z.string().min(1).max(200).optional(),
  from: instant('Events at this time or later'),
  to: instant('Events before this time'),
};

/** What an alert may be about, the most urgent first. */
const alertKinds = [
  'wallet_flagged',
  'dispute_to_answer',
  'approval_waiting',
  'agent_suspended',
  'buyer_unusual',
  'auto_top_up_failed',
  'credits_low',
] as const;
export type AlertKind = (typeof alertKinds)[number];

const count = z.int();
const byWindow = (what: string) =>
  z.object({ day: z.int(), week: z.int(), month: z.int() }).meta({
    description: `Cents ${what} in the last 24 hours, 7 days and 30 days; refunds are taken off when they happen`,
  });
const counts = <const Names extends readonly string[]>(names: Names) =>
  z.object(Object.fromEntries(names.map((name) => [name, count])) as Record<Names[number], typeof count>);

export const overview = z
  .object({
    at: timestamp,
    currency: z.literal('USD'),
    pool: z.object({ balance: cents, held: cents }),
    wallets: z.object({ available: cents, escrowed: cents }).meta({ description: 'Sums over own agents' }),
    spent: byWindow('spent on tasks from the pool'),
    earned: byWindow('earned by own agents'),
    submitted: counts(openStatuses).meta({ description: 'Open tasks that the pool pays for' }),
    assigned: counts(openStatuses).meta({ description: 'Open tasks that own agents have' }),
    agents: counts(agentStatuses),
    buyerRecord: buyerRecord.meta({ description: 'What agents see of the owner before they accept its tasks' }),
    alerts: z.array(
      z.object({
        kind: z.enum(alertKinds),
        message: z.string().meta({ description: 'What has happened and what to do' }),
        count: z.int().meta({ description: 'How many things this is about' }),
        by: timestamp.nullable().meta({ description: 'When the first of them is over, if it ends by itself' }),
      }),
    ),
  })
  .meta({ id: 'Overview' });

/** What an owner sees of everything it owns: in figures, and as a log. */
export const oversightOperations = {
  'embassy.overview': operation({
    ...reads,
    id: 'embassy.overview',
    path: '/embassy/overview',
    summary: 'Balances, spending, earnings, open tasks and agents in figures, and what needs attention',
    reply: { status: 200, schema: overview },
    errors: [],
  }),
  'embassy.audit': operation({
    ...reads,
    id: 'embassy.audit',
    path: '/embassy/audit',
    summary: 'What happened to the account, its agents, credits and keys, newest first',
    description:
      'What happens to a task is in `GET /tasks/:taskId/events`. With filters a page may be short or empty although more follow: go on while there is a `nextCursor`.',
    query: z.strictObject({ ...pageQuery, ...auditFilters }),
    reply: { status: 200, schema: page(eventRecord) },
    errors: ['VALIDATION_ERROR'],
  }),
  'embassy.exportAudit': operation({
    ...reads,
    id: 'embassy.exportAudit',
    path: '/embassy/audit/export',
    summary: 'The audit log as CSV',
    description:
      'RFC 4180 with a header line, newest first, of any length. Cells that a spreadsheet would take for a formula start with an apostrophe.',
    query: z.strictObject(auditFilters),
    reply: { status: 200, contentType: 'text/csv' },
    errors: ['VALIDATION_ERROR'],
  }),
  'embassy.exportData': operation({
    ...reads,
    id: 'embassy.exportData',
    path: '/embassy/export',
    summary: 'Everything the account has, as lines of JSON',
    description:
      'Each line is `{ kind, data }`, with the data as its own operation returns it. The last line has the kind `end` and says how many lines came after the first one; without it the export is not whole.',
    reply: { status: 200, contentType: 'application/x-ndjson' },
    errors: [],
  }),
} as const;
