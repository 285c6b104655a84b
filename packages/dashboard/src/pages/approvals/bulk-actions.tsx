import type { Approval } from '@agora-market/sdk';
import { agora } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { refreshMoney } from '../../api/refresh-money.ts';
import { TextLink } from '../../ui/Button.tsx';
import { counted, money, words } from '../../ui/format.ts';
import type { Action } from '../tasks/bulk/BulkBar.tsx';
import { totalOf } from './total.ts';

const requests = (rows: number) => counted(rows, 'request');
const are = (rows: number) => (rows === 1 ? 'is' : 'are');

/** What a request is called where there is a line for it. */
export const requestName = ({ description, taskType }: Approval): string =>
  description?.trim().split('\n', 1)[0] || words(taskType);

const nameOf = (row: Approval) => (
  <TextLink to="/approvals/$approvalId" params={{ approvalId: row.id }} dir="auto">
    {requestName(row)}
  </TextLink>
);

function refresh(): void {
  for (const queryKey of [['approvals'], ['tasks', 'newest']]) void queryClient.invalidateQueries({ queryKey });
  refreshMoney();
}

const common = {
  applies: ({ status }: Approval) => status === 'pending',
  others: 'They have been decided.',
  cents: totalOf,
  refresh,
};

const approve: Action<Approval> = {
  ...common,
  verb: 'Approve',
  holds: true,
  title: (rows) => `Approve ${requests(rows)}?`,
  press: (rows, cents) => `Approve ${requests(rows)}, hold ${money(cents)}`,
  says: (cents) => (
    <p>
      {money(cents)} is held from your pool and the tasks are submitted at once. What a task does not use comes back; if
      it fails, all of it.
    </p>
  ),
  doing: (rows) => `Approving ${requests(rows)}`,
  done: (done, rows, cents) =>
    `${done} of ${requests(rows)} ${are(done)} approved. ${money(cents)} is held for the tasks.`,
  piece: (row) => ({
    name: nameOf(row),
    work: (ask, idempotencyKey) => ask(() => agora.embassy.approve(row.id, { idempotencyKey })),
  }),
};

const deny: Action<Approval> = {
  ...common,
  verb: 'Deny',
  danger: true,
  title: (rows) => `Deny ${requests(rows)}?`,
  press: (rows) => `Deny ${requests(rows)}`,
  says: () => <p>Nothing is held or spent. The agents are told without a reason; the page of a request takes one.</p>,
  doing: (rows) => `Denying ${requests(rows)}`,
  done: (done, rows) => `${done} of ${requests(rows)} ${are(done)} denied. Nothing is spent for them.`,
  piece: (row) => ({
    name: nameOf(row),
    work: (ask, idempotencyKey) => ask(() => agora.embassy.deny(row.id, {}, { idempotencyKey })),
  }),
};

export const approvalActions: readonly Action<Approval>[] = [approve, deny];
