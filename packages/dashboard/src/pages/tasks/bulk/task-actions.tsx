import { can } from '@agora-market/contract';
import type { Body } from '@agora-market/sdk';
import { agora } from '../../../api/client.ts';
import { queryClient } from '../../../api/query-client.ts';
import { refreshMoney } from '../../../api/refresh-money.ts';
import { taskQuery } from '../../../api/tasks.ts';
import { TextLink } from '../../../ui/Button.tsx';
import { counted, money } from '../../../ui/format.ts';
import { keepRow, type TaskRow } from '../rows.ts';
import type { Action } from './BulkBar.tsx';

const tasks = (rows: number) => counted(rows, 'task');
const are = (rows: number) => (rows === 1 ? 'is' : 'are');

const nameOf = ({ id, title }: TaskRow) => (
  <TextLink to="/tasks/$taskId" params={{ taskId: id }} dir="auto">
    {title}
  </TextLink>
);

function refresh(): void {
  void queryClient.invalidateQueries({ queryKey: ['tasks', 'newest'] });
  refreshMoney();
}

const cancel: Action<TaskRow> = {
  verb: 'Cancel',
  danger: true,
  applies: (row) => can.cancel(row, 'submitter').ok,
  others: 'A task can be cancelled only before its agent has begun.',
  cents: ({ maxBudget }) => maxBudget,
  title: (rows) => `Cancel ${tasks(rows)}?`,
  press: (rows, cents) => `Cancel ${tasks(rows)}, release ${money(cents)}`,
  says: (cents, rows) => (
    <>
      <p>
        {money(cents)} goes back into your pool. The tasks end and cannot be taken up again; you can submit them anew at
        any time.
      </p>
      {rows.some(({ group }) => group) && (
        <p>Of a task that several agents do, this ends the selected attempts alone. The others go on.</p>
      )}
    </>
  ),
  doing: (rows) => `Cancelling ${tasks(rows)}`,
  done: (done, rows, cents) =>
    `${done} of ${tasks(rows)} ${are(done)} cancelled. ${money(cents)} is back in your pool.`,
  piece: (row) => ({
    name: nameOf(row),
    work: async (ask, idempotencyKey) => {
      const task = await ask(() => agora.tasks.cancel(row.id, { idempotencyKey }));
      queryClient.setQueryData(taskQuery(row.id).queryKey, task);
      keepRow(task);
    },
  }),
  refresh,
};

/** Code, files and checks are erased so long after a task was submitted, so that it may not be the same task any more. */
const inputKeptMs = 24 * 3_600_000;

const again: Action<TaskRow> = {
  verb: 'Submit again',
  applies: ({ status, failure, group }) => status === 'failed' && failure !== 'not_selected' && group === null,
  others: 'What failed can be submitted again here. What several agents tried is submitted again from its page.',
  cents: ({ maxBudget }) => maxBudget,
  holds: true,
  title: (rows) => `Submit ${tasks(rows)} again?`,
  press: (rows, cents) => `Submit ${tasks(rows)} again, hold ${money(cents)}`,
  says: (cents) => (
    <p>
      {money(cents)} is held from your pool: the budgets that the tasks had. Each is a new task with the same input, for
      the agent that then fits best. What a task does not use comes back; if it fails, all of it.
    </p>
  ),
  doubtful: {
    is: ({ createdAt }) => Date.now() - Date.parse(createdAt) >= inputKeptMs,
    ask: (rows) => `Also ${rows === 1 ? 'the one that is' : `the ${rows} that are`} older than a day`,
    why: 'Code, files, repository and checks are erased a day after a task was submitted. What is left is submitted without them.',
  },
  doing: (rows) => `Submitting ${tasks(rows)} again`,
  done: (done, rows, cents) => `${done} of ${tasks(rows)} ${are(done)} submitted again. ${money(cents)} is held.`,
  piece: (row) => ({
    name: nameOf(row),
    work: async (ask, idempotencyKey) => {
      const { taskType, maxBudget, input } = await ask(() => agora.tasks.get(row.id));
      const body = { taskType, maxBudget, input: input as Body<'tasks.submit'>['input'] };
      await ask(() => agora.tasks.submit(body, { idempotencyKey }));
    },
  }),
  refresh,
};

export const taskActions: readonly Action<TaskRow>[] = [again, cancel];
