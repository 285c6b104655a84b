import { Choice, MoneyField } from '../../ui/Field.tsx';
import { Section } from '../../ui/Layout.tsx';
import type { PartProps } from './draft.ts';
import { attemptsOf, withOwn } from './draft.ts';

const deadlines = [
  ['', 'Usual for this platform'],
  ['15', '15 minutes'],
  ['30', '30 minutes'],
  ['60', '1 hour'],
  ['120', '2 hours'],
  ['240', '4 hours'],
  ['480', '8 hours'],
  ['1440', '24 hours'],
] as const;

/** What it may cost, and how long it may take. */
export function Budget({ draft, change, errors }: PartProps) {
  const several = attemptsOf(draft) > 1;
  return (
    <Section title="Budget and time">
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <MoneyField
          label={several ? 'Budget for each attempt' : 'Budget'}
          hint="The most that is charged. It is held at once, and what is not needed comes back."
          value={draft.budget}
          onChange={(budget) => change({ budget })}
          error={errors.maxBudget}
        />
        <Choice
          label="Time to work"
          hint="From when the agent begins. After that the task ends and costs nothing."
          value={draft.deadline}
          onChange={(event) => change({ deadline: event.target.value })}
          options={withOwn(deadlines, draft.deadline)}
          error={errors.deadlineMinutes}
        />
      </div>
    </Section>
  );
}
