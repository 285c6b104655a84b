import type { Reply } from '@agora-market/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { pagesOf, useRows } from '../../api/pages.ts';
import { Button } from '../../ui/Button.tsx';
import { Facts } from '../../ui/Facts.tsx';
import { Choice } from '../../ui/Field.tsx';
import { count, counted, duration } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Empty, Failure, Note } from '../../ui/States.tsx';
import { Status, type Tone } from '../../ui/Status.tsx';
import { type Column, Table, tableOf } from '../../ui/Table.tsx';
import { Code, Money, Time } from '../../ui/Values.tsx';
import { ClearDialog } from './ClearDialog.tsx';
import { type Finding, kindWords } from './findings.ts';
import { useOperator } from './operator.ts';

type Run = Reply<'vault.reconcile'>;

const tones: Record<Finding['status'], [Tone, string]> = {
  open: ['bad', 'Open'],
  settled: ['good', 'Settled'],
  cleared: ['calm', 'Cleared'],
  gone: ['good', 'Gone'],
};

const cents = (value: number | null) => (value === null ? '—' : <Money cents={value} />);

/** Differences between the ledger, its entries and the payment processor. */
export function Reconciliation() {
  const operator = useOperator();
  const navigate = useNavigate({ from: '/operator' });
  const { status = 'open' } = useSearch({ from: '/owner/operator' });
  const [clearing, setClearing] = useState<Finding | null>(null);
  const wanted = status === 'all' ? {} : { status: status as Finding['status'] };
  const query = useRows(
    pagesOf(['operator', 'findings', status], (cursor) => operator.vault.listFindings({ ...wanted, ...cursor })),
  );
  const columns: readonly Column<Finding>[] = [
    {
      id: 'kind',
      header: 'Finding',
      cell: ({ kind, subject }) => (
        <div className="grid justify-items-start gap-1">
          {kindWords[kind]}
          <Code>{subject}</Code>
        </div>
      ),
    },
    { id: 'here', header: 'Ledger', right: true, wide: true, cell: ({ here }) => cents(here) },
    { id: 'there', header: 'Compared with', right: true, wide: true, cell: ({ there }) => cents(there) },
    { id: 'at', header: 'Found', wide: true, cell: ({ foundAt }) => <Time at={foundAt} /> },
    { id: 'state', header: 'State', cell: (row) => <FindingState finding={row} /> },
    {
      id: 'clear',
      header: '',
      right: true,
      cell: (row) =>
        row.status === 'open' && (
          <Button small onClick={() => setClearing(row)}>
            {row.agentId ? 'Clear flag' : 'Clear'}
          </Button>
        ),
    },
  ];
  return (
    <>
      <RunSection />
      <Section title="Findings" lead="Newest first. A cleared finding comes back only if its difference changes." flush>
        <div className="px-5 pb-4" data-filters>
          <Choice
            label="State"
            className="max-w-56"
            value={status}
            onChange={({ target }) => void navigate({ search: { tab: 'reconciliation', status: target.value } })}
            options={[
              ...Object.entries(tones).map(([value, [, word]]) => [value, word] as const),
              ['all', 'All findings'],
            ]}
          />
        </div>
        <Table
          label="Findings"
          columns={columns}
          {...tableOf(query)}
          rowKey={({ id }) => id}
          empty={
            <Empty title={status === 'open' ? 'The books are in order' : 'No finding is in this state'}>
              A run compares every balance with its movements, and the ledger with the processor.
            </Empty>
          }
        />
      </Section>
      <ClearDialog of={clearing} onClose={() => setClearing(null)} />
    </>
  );
}

function FindingState({ finding: { status, clearedReason, clearedBy } }: { finding: Finding }) {
  const [tone, word] = tones[status];
  return (
    <div className="grid justify-items-start gap-1">
      <Status tone={tone}>{word}</Status>
      {clearedReason && (
        <span className="text-soft">
          {clearedBy}: {clearedReason}
        </span>
      )}
    </div>
  );
}

function RunSection() {
  const operator = useOperator();
  const client = useQueryClient();
  const run = useMutation({
    mutationFn: () => operator.vault.reconcile(),
    onSuccess: () => client.invalidateQueries({ queryKey: ['operator', 'findings'] }),
  });
  return (
    <Section
      title="Run"
      lead="The server also runs it on its own schedule."
      actions={
        <Button kind="primary" busy={run.isPending} onClick={() => run.mutate()}>
          Run now
        </Button>
      }
    >
      <Failure error={run.error} />
      {run.data ? (
        <RunFacts run={run.data} />
      ) : (
        <p className="text-small text-soft">
          Recomputes all balances and compares them with the payment processor. Nothing waits for it.
        </p>
      )}
    </Section>
  );
}

function RunFacts({ run }: { run: Run }) {
  const took = Date.parse(run.finishedAt) - Date.parse(run.startedAt);
  return (
    <div className="grid gap-4">
      <Note kind={run.open > 0 ? 'warn' : 'info'}>
        {run.open > 0 ? `${counted(run.open, 'finding')} open.` : 'No difference was found.'}
      </Note>
      <Facts
        rows={[
          ['Took', duration(took)],
          ['Accounts', count(run.accounts)],
          ['Records of the processor', count(run.records)],
          [
            'Processor',
            { checked: 'Compared', unreachable: 'Did not answer', not_configured: 'None is set up' }[run.processor],
          ],
          ['Settled by itself', count(run.settled)],
          ['New findings', count(run.raised)],
        ]}
      />
    </div>
  );
}
