import { useMemo } from 'react';
import { Button } from '../../ui/Button.tsx';
import { Page } from '../../ui/Layout.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { Agents } from './Agents.tsx';
import { Docket } from './Docket.tsx';
import { useOperatorSearch } from './filters.ts';
import { Health } from './Health.tsx';
import { HeldPayments } from './HeldPayments.tsx';
import { Metrics } from './Metrics.tsx';
import { Owners } from './Owners.tsx';
import { asOperator, forgetToken, OperatorContext, useToken } from './operator.ts';
import { Reconciliation } from './Reconciliation.tsx';
import { Revenue } from './Revenue.tsx';
import { Stuck } from './Stuck.tsx';
import { Tasks } from './Tasks.tsx';
import { TokenForm } from './TokenForm.tsx';

const parts = [
  ['Disputes', undefined, Docket],
  ['Stuck work', 'stuck', Stuck],
  ['Tasks', 'tasks', Tasks],
  ['Owners', 'owners', Owners],
  ['Agents', 'agents', Agents],
  ['Held payments', 'held', HeldPayments],
  ['Reconciliation', 'reconciliation', Reconciliation],
  ['Revenue', 'revenue', Revenue],
  ['Metrics', 'metrics', Metrics],
  ['Health', 'health', Health],
] as const;

/** What only the operator of this installation can see and do. */
export function OperatorPage() {
  const token = useToken();
  const { tab } = useOperatorSearch();
  const client = useMemo(() => (token === null ? null : asOperator(token)), [token]);
  const [, shown, Part] = parts.find(([, name]) => name === tab) ?? parts[0];
  if (!client) return <TokenForm />;
  return (
    <Page
      title="Operator"
      lead="Everything here concerns all owners, and is written to the audit trail."
      actions={<Button onClick={forgetToken}>Forget the token</Button>}
    >
      <Tabs
        label="Parts of the operator area"
        tabs={parts.map(([label, name]) => ({
          label,
          to: '/operator',
          ...(name && { search: { tab: name } }),
          current: name === shown,
        }))}
      />
      <OperatorContext value={client}>
        <Part />
      </OperatorContext>
    </Page>
  );
}
