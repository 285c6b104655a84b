import { cx } from './cx.ts';

interface SegmentsProps<Value extends string> {
  /** What is chosen between. */
  label: string;
  options: readonly (readonly [value: Value, text: string])[];
  value: Value;
  onChange: (value: Value) => void;
}

/** A choice between two or three ways to show the same thing, which takes effect at once. */
export function Segments<Value extends string>({ label, options, value, onChange }: SegmentsProps<Value>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
    <div role="group" aria-label={label} className="flex rounded-base border border-line bg-sunken p-0.5">
      {options.map(([each, text]) => (
        <button
          key={each}
          type="button"
          aria-pressed={each === value}
          onClick={() => onChange(each)}
          className={cx(
            'min-h-7 rounded-small px-2.5 text-small font-medium whitespace-nowrap transition-colors',
            each === value ? 'bg-surface text-ink ring-1 ring-line-strong' : 'text-soft hover:text-ink',
          )}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
