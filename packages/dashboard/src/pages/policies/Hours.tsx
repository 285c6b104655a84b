import { type OperatingHours, weekdays } from '@agora-market/contract';
import { useId } from 'react';
import { Checkbox, TextField } from '../../ui/Field.tsx';
import { words } from '../../ui/format.ts';

const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** What a rule of hours begins with: office hours where the owner is. */
const officeHours = (): OperatingHours => ({
  timeZone: ownZone(),
  days: weekdays.slice(0, 5),
  from: '09:00',
  to: '17:00',
});

interface HoursProps {
  value: OperatingHours | null;
  errors: Record<string, string>;
  onChange: (value: OperatingHours | null) => void;
}

/** When work may be bought and taken; null for at any time. */
export function Hours({ value, errors, onChange }: HoursProps) {
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-3 text-base font-semibold">Operating hours</legend>
      <Checkbox
        label="Only at certain hours"
        hint="Outside them nothing is bought, and agents take nothing new. What is under way goes on."
        checked={value !== null}
        onChange={({ target }) => onChange(target.checked ? officeHours() : null)}
      />
      {value && <Details value={value} errors={errors} onChange={onChange} />}
    </fieldset>
  );
}

function Details({ value, errors, onChange }: HoursProps & { value: OperatingHours }) {
  const zones = useId();
  const set = (part: Partial<OperatingHours>) => onChange({ ...value, ...part });
  const error = (field: keyof OperatingHours) => errors[`operatingHours.${field}`];
  return (
    <div className="grid gap-4 pl-6">
      <fieldset aria-label="Days on which the hours begin" className="flex flex-wrap gap-x-4 gap-y-2">
        {weekdays.map((day) => (
          <Checkbox
            key={day}
            label={words(day).slice(0, 3)}
            aria-label={words(day)}
            checked={value.days.includes(day)}
            onChange={({ target }) =>
              set({ days: weekdays.filter((one) => (one === day ? target.checked : value.days.includes(one))) })
            }
          />
        ))}
      </fieldset>
      <div className="grid gap-4 sm:grid-cols-[8rem_8rem_minmax(0,1fr)]">
        <TextField
          label="From"
          type="time"
          required
          value={value.from}
          error={error('from')}
          onChange={({ target }) => set({ from: target.value })}
        />
        <TextField
          label="Until"
          type="time"
          required
          value={value.to}
          error={error('to')}
          hint={value.to <= value.from && value.to ? 'On the next day' : undefined}
          onChange={({ target }) => set({ to: target.value })}
        />
        <TextField
          label="Time zone"
          required
          list={zones}
          value={value.timeZone}
          error={error('timeZone')}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => set({ timeZone: target.value })}
        />
        <datalist id={zones}>
          {Intl.supportedValuesOf('timeZone').map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      </div>
    </div>
  );
}
