import { TextLink } from '../../ui/Button.tsx';
import { Empty } from '../../ui/States.tsx';
import { Totals, type TotalsKind } from '../totals/Totals.tsx';
import { Limits, MonthLimit, useDailyLimits } from './Limits.tsx';

const spending: TotalsKind = {
  key: ['vault', 'spending'],
  role: 'submitted',
  amountOf: ({ charged }) => charged,
  to: '/tasks',
  groupings: [
    ['agent', 'Agent'],
    ['taskType', 'Type'],
    ['project', 'Project'],
  ],
  verb: 'Spent',
  noun: 'Cost',
  held: { label: 'Held', note: 'For tasks that are open' },
  daysLead: 'Tasks of the last 30 days, on the day they were submitted. Refunds are taken off.',
  groupsTitle: 'By what it was for',
  groupsLabel: 'What tasks cost',
  noDays: (
    <Empty title="Nothing was spent in these days">
      Once a task is completed, what it cost stands here. <TextLink to="/tasks/new">Submit a task</TextLink>
    </Empty>
  ),
  noGroups: 'What tasks cost stands here, by agent, type and project.',
};

/** What tasks cost, by day and by what they were, beside the limits that the owner has set. */
export function Spending() {
  const marks = useDailyLimits();
  return (
    <>
      <Totals kind={spending} marks={marks} underMonth={(month) => <MonthLimit {...month} />} />
      <Limits />
    </>
  );
}
