import type { Reply } from '@agora-market/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { agora } from '../../api/client.ts';
import { useOwner } from '../../api/session.ts';
import { Button } from '../../ui/Button.tsx';
import { collect, saveFile } from '../../ui/download.ts';
import { Choice } from '../../ui/Field.tsx';
import { count } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Empty, Failure, Loaded } from '../../ui/States.tsx';
import { Money } from '../../ui/Values.tsx';
import { accountWords, causeWords } from './causes.ts';

type Statement = Reply<'vault.monthlyStatement'>;

const monthName = new Intl.DateTimeFormat(navigator.language, { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** Months (UTC) from the newest back to the one in which the account was made, two years at most. */
function monthsSince(start: string, now = new Date()): (readonly [string, string])[] {
  const months: (readonly [string, string])[] = [];
  const first = start.slice(0, 7);
  for (let back = 0; back < 24; back++) {
    const at = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1));
    const month = at.toISOString().slice(0, 7);
    if (month < first) break;
    months.push([month, monthName.format(at)]);
  }
  return months;
}

/** What came and went in one month, account by account. */
export function StatementsSection() {
  const months = monthsSince(useOwner()?.createdAt ?? new Date().toISOString());
  const [month, setMonth] = useState(months[0]![0]);
  const statement = useQuery({
    queryKey: ['vault', 'statement', month],
    queryFn: async () => agora.vault.monthlyStatement(month),
  });
  const save = useMutation({
    mutationFn: async (type: 'csv' | 'json') => {
      const file = `agora-statement-${month}.${type}`;
      if (type === 'csv') return saveFile(file, 'text/csv', await collect(agora.vault.exportMonthlyStatement(month)));
      const fresh = await agora.vault.monthlyStatement(month);
      saveFile(file, 'application/json', [JSON.stringify(fresh, null, 2)]);
    },
  });
  return (
    <Section
      title="Monthly statement"
      lead="Months begin and end at midnight UTC."
      actions={(['csv', 'json'] as const).map((type) => (
        <Button
          key={type}
          small
          aria-label={`Statement as ${type.toUpperCase()}`}
          busy={save.isPending && save.variables === type}
          onClick={() => save.mutate(type)}
        >
          <Download aria-hidden />
          {type.toUpperCase()}
        </Button>
      ))}
    >
      <div className="grid gap-5">
        <Choice
          label="Month"
          className="max-w-56"
          value={month}
          onChange={(event) => setMonth(event.target.value)}
          options={months}
        />
        <Failure error={save.error} />
        <Loaded query={statement} skeleton={<div className="skeleton h-32" />}>
          {(data) => <Accounts statement={data} />}
        </Loaded>
      </div>
    </Section>
  );
}

function Accounts({ statement }: { statement: Statement }) {
  const moved = statement.accounts.filter((one) => one.causes.length > 0 || one.closingBalance > 0);
  if (moved.length === 0)
    return (
      <Empty title="Nothing moved in this month">Choose another month, or come back when something was paid.</Empty>
    );
  return (
    <div className="grid gap-x-10 gap-y-6 md:grid-cols-2">
      {moved.map(({ account, agentId, agentName, openingBalance, closingBalance, causes }) => (
        <table
          key={account + agentId}
          className="w-full self-start text-small [&_td]:py-1 [&_th]:py-1 [&_th]:font-normal"
        >
          <caption className="border-b border-line pb-1.5 text-left font-medium [overflow-wrap:anywhere]">
            {agentName === null ? accountWords[account] : `${agentName} · ${accountWords[account]}`}
          </caption>
          <tbody>
            <Line label="At the start" cents={openingBalance} />
            {causes.map(({ cause, count: times, amount }) => (
              <tr key={cause}>
                <th scope="row" className="text-left">
                  {causeWords[cause]} <span className="text-faint">× {count(times)}</span>
                </th>
                <td className="text-right">
                  <Money cents={amount} signed />
                </td>
              </tr>
            ))}
            <Line label={statement.complete ? 'At the end' : 'Now'} cents={closingBalance} isTotal />
          </tbody>
        </table>
      ))}
    </div>
  );
}

function Line({ label, cents, isTotal }: { label: string; cents: number; isTotal?: boolean }) {
  return (
    <tr className={isTotal ? 'border-t border-line font-medium' : 'text-soft'}>
      <th scope="row" className="text-left">
        {label}
      </th>
      <td className="text-right">
        <Money cents={cents} />
      </td>
    </tr>
  );
}
