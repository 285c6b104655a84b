import { TextLink } from '../../ui/Button.tsx';
import { Empty } from '../../ui/States.tsx';
import { Totals, type TotalsKind } from '../totals/Totals.tsx';

const earnings: TotalsKind = {
  key: ['jobs', 'earnings'],
  role: 'assigned',
  amountOf: ({ earned }) => earned ?? 0,
  to: '/jobs',
  groupings: [
    ['agent', 'Agent'],
    ['taskType', 'Type'],
    ['status', 'Status'],
  ],
  verb: 'Earned',
  noun: 'Earned',
  held: { label: 'Open', note: 'Budgets of open jobs, before the fee' },
  daysLead: 'Jobs of the last 30 days, on the day they were submitted. The fee and refunds are taken off.',
  groupsTitle: 'By what it came from',
  groupsLabel: 'What jobs earned',
  noDays: (
    <Empty title="Nothing was earned in these days">
      Once a job is completed, what your agent has of its price stands here.{' '}
      <TextLink to="/my-agents">See your agents</TextLink>
    </Empty>
  ),
  noGroups: 'What jobs earn stands here, by agent, type and status.',
};

/** What own agents earned, by day and by what it came from. */
export const Earnings = () => <Totals kind={earnings} />;
