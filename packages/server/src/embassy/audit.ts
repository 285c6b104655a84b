import { type Operations, type QueryOf, toId } from '@agora-market/contract';
import { z } from 'zod';
import { ownerEvents } from '../events/index.ts';
import {
  type Call,
  csvLine,
  decodeCursor,
  encodeCursor,
  invalidField,
  type Pool,
  type Queryable,
  sendCsv,
} from '../platform/index.ts';

type Told = Awaited<ReturnType<typeof ownerEvents>>[number];
type Filters = QueryOf<Operations['embassy.exportAudit']>;

/** Events that one statement reads, and that a page reads at most, however few of them the filters let through. */
const batchSize = 500;
const maxScanned = 2500;

const eventView = ({ id, type, district, at, data, correlationId, agentId }: Told) => ({
  eventId: toId('event', id),
  eventType: type,
  sourceDistrict: district,
  timestamp: at,
  data,
  metadata: { correlationId, agentId: agentId === null ? null : toId('agent', agentId) },
});

/** The rule of the filters: all that are given must match. */
function filterOf({ type, agentId, correlationId, from, to }: Filters): (event: Told) => boolean {
  const since = from === undefined ? null : Date.parse(from);
  const until = to === undefined ? null : Date.parse(to);
  if (since !== null && until !== null && since > until) throw invalidField('from', 'must not be after to');
  return (event) =>
    (type === undefined || event.type === type) &&
    (agentId === undefined || (event.agentId !== null && toId('agent', event.agentId) === agentId)) &&
    (correlationId === undefined || event.correlationId === correlationId) &&
    (since === null || Date.parse(event.at) >= since) &&
    (until === null || Date.parse(event.at) < until);
}

/** Events that match, newest first, and where to go on if there may be more. */
async function findEvents(
  db: Queryable,
  ownerId: string,
  { matches, before, limit }: { matches: (event: Told) => boolean; before: number | null; limit: number },
): Promise<{ events: Told[]; goOnAt: number | null }> {
  const events: Told[] = [];
  let place = before;
  for (let scanned = 0; scanned < maxScanned; scanned += batchSize) {
    const batch = await ownerEvents(db, ownerId, { ...(place !== null && { before: place }), limit: batchSize });
    for (const event of batch) {
      if (matches(event)) {
        if (events.length === limit) return { events, goOnAt: place };
        events.push(event);
      }
      place = event.seq;
    }
    if (batch.length < batchSize) return { events, goOnAt: null };
  }
  return { events, goOnAt: place };
}

const place = z.int().min(1);

export async function listAudit(pool: Pool, { caller, query }: Call<Operations['embassy.audit']>) {
  const { pageSize, cursor, ...filters } = query;
  const search = { matches: filterOf(filters), before: decodeCursor(cursor, place), limit: pageSize };
  const { events, goOnAt } = await findEvents(pool, caller.ownerId, search);
  const nextCursor = goOnAt === null ? null : encodeCursor(goOnAt);
  return { data: events.map(eventView), pagination: { pageSize, nextCursor } };
}

const header = ['timestamp', 'eventId', 'eventType', 'sourceDistrict', 'agentId', 'correlationId', 'data'];

async function* auditLines(pool: Pool, ownerId: string, matches: (event: Told) => boolean): AsyncGenerator<string> {
  let text = csvLine(header);
  for (let before: number | null = null; ; ) {
    const { events, goOnAt } = await findEvents(pool, ownerId, { matches, before, limit: batchSize });
    for (const event of events) {
      const { timestamp, eventId, eventType, sourceDistrict, data, metadata } = eventView(event);
      const { agentId, correlationId } = metadata;
      text += csvLine([timestamp, eventId, eventType, sourceDistrict, agentId, correlationId, JSON.stringify(data)]);
    }
    if (text !== '') yield text;
    text = '';
    if (goOnAt === null) return;
    before = goOnAt;
  }
}

/** Every batch is a query of its own, so that none is kept waiting by a slow reader. */
export const exportAudit = (pool: Pool, call: Call<Operations['embassy.exportAudit']>): Promise<void> =>
  sendCsv(call.raw, 'audit.csv', auditLines(pool, call.caller.ownerId, filterOf(call.query)));
