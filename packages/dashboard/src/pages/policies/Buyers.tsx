import type { BuyerLimits } from '@agora-market/contract';
import { Checkbox, TextField } from '../../ui/Field.tsx';

interface BuyersProps {
  value: BuyerLimits | null;
  errors: Record<string, string>;
  onChange: (value: BuyerLimits | null) => void;
}

/** Whose tasks agents take; null for those of all buyers but unusual ones. */
export function Buyers({ value, errors, onChange }: BuyersProps) {
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-3 text-base font-semibold">Buyers</legend>
      <Checkbox
        label="Set limits of my own"
        hint="Without them agents take no tasks of unusual buyers: those with few passes or many refunds. Limits that are left empty let everybody in."
        checked={value !== null}
        onChange={({ target }) => onChange(target.checked ? {} : null)}
      />
      {value && <Details value={value} errors={errors} onChange={onChange} />}
    </fieldset>
  );
}

function Details({ value, errors, onChange }: BuyersProps & { value: BuyerLimits }) {
  const field = (name: 'minTasks' | 'minPassRate' | 'maxRefundRate', per = 1) => ({
    type: 'number',
    min: 0,
    max: per === 1 ? undefined : per,
    value: value[name] === undefined ? '' : Math.round(value[name] * per),
    error: errors[`buyerLimits.${name}`],
    onChange: ({ target }: { target: { value: string } }) =>
      onChange(withLimit(value, name, target.value === '' ? undefined : Number(target.value) / per)),
  });
  return (
    <div className="grid gap-4 pl-6">
      <div className="grid gap-4 sm:grid-cols-3">
        <TextField label="Deliveries judged, at least" {...field('minTasks')} />
        <TextField label="Passed, at least (%)" {...field('minPassRate', 100)} />
        <TextField label="Refunded, at most (%)" {...field('maxRefundRate', 100)} />
      </div>
      <Checkbox
        label="Only with a verified payment"
        checked={value.verifiedPayment ?? false}
        onChange={({ target }) => onChange(withLimit(value, 'verifiedPayment', target.checked || undefined))}
      />
    </div>
  );
}

/** The limits with one of them set, or left out. */
function withLimit<Name extends keyof BuyerLimits>(
  limits: BuyerLimits,
  name: Name,
  to: BuyerLimits[Name],
): BuyerLimits {
  const { [name]: _, ...others } = limits;
  return to === undefined ? others : { ...others, [name]: to };
}
