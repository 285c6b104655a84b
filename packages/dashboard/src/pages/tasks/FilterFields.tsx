import { taskFailures, taskTypes } from '@agora-market/contract';
import { Choice, TextField } from '../../ui/Field.tsx';
import { words } from '../../ui/format.ts';
import { stateWord } from '../../ui/Status.tsx';
import { statuses } from './filters.ts';
import { failureWords } from './TaskState.tsx';

/** Filters that the owner's list and the operator's have alike. */

type Chosen = Partial<Record<'status' | 'failure' | 'type' | 'from' | 'to', string | undefined>>;

interface FieldProps {
  search: Chosen;
  /** `replace`: no new step for the back button. */
  change: (part: Chosen, replace?: boolean) => void;
  className?: string;
}

const groupWords: Record<string, string> = {
  open: 'Under way',
  waiting: 'Not begun',
  running: 'Begun',
  ended: 'Ended',
};

export const StatusChoice = ({ search, change, className }: FieldProps) => (
  <Choice
    label="Status"
    className={className}
    value={search.status ?? ''}
    onChange={(event) => change({ status: event.target.value || undefined })}
    options={[['', 'Any status'], ...statuses.map((one) => [one, groupWords[one] ?? stateWord(one)] as const)]}
  />
);

export const TypeChoice = ({ search, change, className }: FieldProps) => (
  <Choice
    label="Type"
    className={className}
    value={search.type ?? ''}
    onChange={(event) => change({ type: event.target.value || undefined })}
    options={[['', 'Any type'], ...taskTypes.map((one) => [one, words(one)] as const)]}
  />
);

export const FailureChoice = ({ search, change }: FieldProps) => (
  <Choice
    label="Failed because"
    value={search.failure ?? ''}
    onChange={(event) => change({ failure: event.target.value || undefined })}
    options={[['', 'Any reason'], ...taskFailures.map((one) => [one, failureWords[one][1]] as const)]}
  />
);

/** First and last day of submission. */
export const DayFields = ({ search: { from, to }, change }: FieldProps) => (
  <>
    <TextField
      label="Submitted from"
      type="date"
      value={from ?? ''}
      error={from && to && to < from ? 'Must not be after the last day.' : undefined}
      onChange={(event) => change({ from: event.target.value || undefined }, true)}
    />
    <TextField
      label="Submitted until"
      type="date"
      value={to ?? ''}
      onChange={(event) => change({ to: event.target.value || undefined }, true)}
    />
  </>
);
