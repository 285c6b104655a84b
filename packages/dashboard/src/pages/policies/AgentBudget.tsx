import type { Reply } from '@agora-market/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { agora } from '../../api/client.ts';
import { Button } from '../../ui/Button.tsx';
import { MoneyField } from '../../ui/Field.tsx';
import { fieldErrors, useKept } from '../../ui/form.ts';
import { amountText, isOddAmount, money } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Failure, Loaded, Skeleton } from '../../ui/States.tsx';
import { say } from '../../ui/toast.tsx';
import { sayUndo } from '../../ui/undo.tsx';
import { limitOf } from './policy-form.ts';
import { budgetQuery } from './queries.ts';

type Budget = Reply<'vault.getBudget'>;
const names = ['perTransactionMax', 'dailyLimit', 'weeklyLimit', 'monthlyLimit', 'approvalThreshold'] as const;
type Name = (typeof names)[number];

/** Rolling limits of one agent. */
export function AgentBudget({ agentId }: { agentId: string }) {
  const budget = useQuery(budgetQuery(agentId));
  return (
    <Section title="Budget" lead="What the agent may spend of your pool by hiring others, over time.">
      <Loaded query={budget} skeleton={<Skeleton lines={6} />}>
        {(loaded) => <BudgetForm budget={loaded} />}
      </Loaded>
    </Section>
  );
}

const typed = (cents: number | null) => (cents === null ? '' : amountText(cents));
type Edits = Partial<Record<Name, string>>;
const noEdits: { edits: Edits } = { edits: {} };

function BudgetForm({ budget }: { budget: Budget }) {
  const queries = useQueryClient();
  const [{ edits }, change, forget, discard] = useKept(`budget.${budget.agentId}`, noEdits);
  const textOf = (from: Edits, name: Name) => from[name] ?? typed(budget[name]);
  const text = (name: Name) => textOf(edits, name);
  const limitsOf = (from: Edits) =>
    Object.fromEntries(names.map((name) => [name, limitOf(textOf(from, name))])) as Record<Name, number | null>;
  const keep = (after: Budget) => queries.setQueryData(['budgets', budget.agentId], after);
  const save = useMutation({
    mutationFn: (sent: { edits: Edits }) => agora.vault.setBudget(budget.agentId, limitsOf(sent.edits)),
    onSuccess: (after, sent) => {
      keep(after);
      forget(sent);
      const text = 'Saved. It holds from the next task on.';
      // Limits that nobody had set are not the same as those that somebody sets to them.
      if (budget.isDefault) return say(text);
      sayUndo(text, async () => void keep(await agora.vault.setBudget(budget.agentId, limitsOf({}))));
    },
  });
  const errors = fieldErrors(save.error);
  const isEdited = names.some((name) => text(name) !== typed(budget[name]));
  const why = !isEdited
    ? 'Nothing is changed.'
    : names.some((name) => isOddAmount(text(name)))
      ? 'One of the amounts is no amount of money.'
      : null;
  const field = (name: Name) => ({
    placeholder: 'No limit',
    value: text(name),
    error: errors[name],
    onChange: (value: string) => change({ edits: { ...edits, [name]: value } }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!why && !save.isPending) save.mutate({ edits });
  };
  const { daily, weekly, monthly } = budget.spent;
  return (
    <form onSubmit={submit} className="grid gap-4">
      <div className="grid items-start gap-4 sm:grid-cols-2 lg:grid-cols-3">
        <MoneyField label="In any 24 hours" hint={`${money(daily)} spent`} {...field('dailyLimit')} />
        <MoneyField label="In any 7 days" hint={`${money(weekly)} spent`} {...field('weeklyLimit')} />
        <MoneyField label="In any 30 days" hint={`${money(monthly)} spent`} {...field('monthlyLimit')} />
        <MoneyField label="At most for one task" {...field('perTransactionMax')} />
        <MoneyField label="Ask me above" {...field('approvalThreshold')} placeholder="Never ask" />
      </div>
      <p className="text-small text-faint">
        {budget.isDefault &&
          'You have set nothing yet, so the limit of 24 hours is the one that every agent begins with. '}
        You are told when half, 80 % and all of a limit are spent. An empty field is no limit.
      </p>
      <Failure error={save.error} />
      <div className="flex flex-wrap gap-2 border-t border-line pt-4">
        <Button type="submit" kind="primary" busy={save.isPending} why={why}>
          Save budget
        </Button>
        {isEdited && <Button onClick={discard}>Discard changes</Button>}
      </div>
    </form>
  );
}
