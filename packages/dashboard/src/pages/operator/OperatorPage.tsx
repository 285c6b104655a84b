import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Button } from '../../ui/Button.tsx';
import { Page } from '../../ui/Layout.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { Docket } from './Docket.tsx';
import { Health } from './Health.tsx';
import { HeldPayments } from './HeldPayments.tsx';
import { Metrics } from './Metrics.tsx';
import { Owners } from './Owners.tsx';
import { asOperator, forgetToken, OperatorContext, useToken } from './operator.ts';
import { Reconciliation } from './Reconciliation.tsx';
import { Revenue } from './Revenue.tsx';
import { TokenForm } from './TokenForm.tsx';

const parts = [
  ['Disputes', undefined, Docket],
  ['Reconciliation', 'reconciliation', Reconciliation],
  ['Held payments', 'held', HeldPayments],
  ['Revenue', 'revenue', Revenue],
  ['Owners', 'owners', Owners],
  ['Health', 'health', Health],
  ['Metrics', 'metrics', Metrics],
] as const;

/** What only the operator of this installation can see and do. */
export function OperatorPage() {
  const token = useToken();
  const { tab } = useSearch({ from: '/owner/operator' });
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
