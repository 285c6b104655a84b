import { type Operation, type OperationId, type Operations, toId, toUuid } from '@agora-market/contract';
import { type AgentCaller, ApiError, type Call, type Caller, type Route, sendText } from '../platform/index.ts';

/** What an export holds: everything that an owner can read in lists and alone, named by what each line is. */
const ofOwner: Partial<Record<OperationId, string>> = {
  'auth.session': 'owner',
  'auth.listTokens': 'token',
  'auth.listSessions': 'session',
  'auth.totp': 'secondFactor',
  'vault.getPool': 'pool',
  'vault.listPaymentMethods': 'paymentMethod',
  'vault.poolTransactions': 'poolTransaction',
  'vault.getPayouts': 'withdrawal',
  'tasks.list': 'submittedTask',
  'tasks.listViews': 'savedTaskView',
  'templates.list': 'template',
  'schedules.list': 'schedule',
  'courts.listDisputes': 'dispute',
  'trust.listKeys': 'trustKey',
  'embassy.listApprovals': 'approval',
  'embassy.listPolicies': 'policy',
  'embassy.listNotifications': 'notification',
  'embassy.getPreferences': 'notificationPreferences',
  'github.connections': 'forgeConnection',
  'github.intakes': 'intake',
  'packageRegistries.list': 'packageRegistry',
  'ownerWebhooks.list': 'ownerWebhook',
  'embassy.audit': 'event',
};
/** What lists leave out is read one by one. */
const alone: Partial<Record<OperationId, OperationId>> = {
  'templates.list': 'templates.get',
  'schedules.list': 'schedules.get',
};
/** The same of each of its agents. */
const ofAgent: Partial<Record<OperationId, string>> = {
  'agents.me': 'agent',
  'agents.reputation': 'reputation',
  'vault.getWallet': 'wallet',
  'vault.walletTransactions': 'walletTransaction',
  'tasks.list': 'assignedTask',
  'webhooks.listMine': 'webhook',
};

interface Page {
  data: unknown[];
  pagination: { nextCursor: string | null };
}
const isPage = (reply: unknown): reply is Page => typeof reply === 'object' && reply !== null && 'pagination' in reply;

/**
 * Everything an owner has, as lines of JSON `{ kind, data }`, by the rules that answer its own reads. It is read a page at
 * a time as the client takes it, so an export of any length needs little memory. The last line says how many came before
 * it; without it the export is not whole.
 */
export const exportData = (routes: readonly Route[], call: Call<Operations['embassy.exportData']>): Promise<void> =>
  sendText(call.raw, { contentType: 'application/x-ndjson', fileName: 'agora-export.ndjson' }, lines(routes, call));

async function* lines(routes: readonly Route[], call: Call<Operations['embassy.exportData']>): AsyncGenerator<string> {
  const { ownerId } = call.caller;
  let count = 0;
  const line = (kind: string, data: unknown) => `${JSON.stringify({ kind, data })}\n`;
  const write = (kind: string, items: unknown[]) => {
    count += items.length;
    return items.map((item) => line(kind, item)).join('');
  };
  yield line('export', { at: call.now.toISOString(), ownerId: toId('owner', ownerId) });
  for (const [id, kind] of Object.entries(ofOwner)) {
    for await (const items of pagesOf(routes, call, id, call.caller)) yield write(kind, items);
  }
  for await (const agents of pagesOf(routes, call, 'agents.listOwn', call.caller)) {
    for (const agent of agents as { id: string }[]) {
      const caller: AgentCaller = { kind: 'agent', agentId: toUuid('agent', agent.id) as string, ownerId };
      for (const [id, kind] of Object.entries(ofAgent)) {
        for await (const items of pagesOf(routes, call, id, caller)) yield write(kind, items);
      }
    }
  }
  yield line('end', { lines: count });
}

/** What a read answers, page by page; a reply that is no page is one item. */
async function* pagesOf(routes: readonly Route[], call: Call, id: string, caller: Caller): AsyncGenerator<unknown[]> {
  const found = routes.find(({ operation }) => operation.id === id);
  if (!found) throw new Error(`nothing is bound to ${id}`);
  const { operation, run } = found;
  for (let cursor: string | undefined; ; ) {
    const query = operation.query?.parse({
      ...(takesPages(operation) && { pageSize: '100' }),
      ...(id === 'tasks.list' && { include: 'content' }),
      ...(cursor && { cursor }),
    });
    const params = caller.kind === 'agent' ? { agentId: toId('agent', caller.agentId) } : {};
    const reply = await run({ ...call, operation, caller, params, query } as unknown as Call);
    if (!isPage(reply)) return yield [reply];
    const one = alone[id as OperationId];
    yield one === undefined ? reply.data : await oneByOne(routes, { ...call, caller } as Call, one, reply.data);
    if (reply.pagination.nextCursor === null) return;
    cursor = reply.pagination.nextCursor;
  }
}

/** Each of a page as it is read alone. */
async function oneByOne(routes: readonly Route[], call: Call, id: OperationId, items: unknown[]): Promise<unknown[]> {
  const found = routes.find(({ operation }) => operation.id === id);
  if (!found) throw new Error(`nothing is bound to ${id}`);
  const { operation, run } = found;
  const read = ({ id: itemId }: { id: string }) => {
    const params = { templateId: itemId, scheduleId: itemId };
    return run({ ...call, operation, params } as unknown as Call);
  };
  const whole: unknown[] = [];
  for (const item of items) {
    try {
      whole.push(await read(item as { id: string }));
    } catch (error) {
      // It was deleted after its page was read.
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    }
  }
  return whole;
}

const takesPages = ({ query }: Operation) => query !== undefined && 'pageSize' in query.shape;
