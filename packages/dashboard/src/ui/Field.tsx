import { type ComponentProps, type ReactNode, useId } from 'react';
import { cx } from './cx.ts';
import { amountText, centsOf } from './format.ts';

const control =
  'w-full min-h-9.5 rounded-base border border-line-strong bg-surface px-3 py-1.5 text-base text-ink placeholder:text-faint ' +
  'aria-invalid:border-bad';

interface FieldProps {
  label: string;
  /** What is expected, before anything is wrong. */
  hint?: ReactNode;
  /** What to change. */
  error?: string | undefined;
  optional?: boolean;
  className?: string;
}

interface Wiring {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
}

/** A label, its control, a hint and an error, wired for screen readers. */
function Field({
  label,
  hint,
  error,
  optional,
  className,
  children,
}: FieldProps & { children: (wiring: Wiring) => ReactNode }) {
  const id = useId();
  const noteId = `${id}-note`;
  return (
    <div className={cx('grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-1', className)}>
      <label htmlFor={id} className="text-small font-medium">
        {label}
        {optional && <span className="font-normal text-faint"> (optional)</span>}
      </label>
      {children({
        id,
        'aria-describedby': error || hint ? noteId : undefined,
        'aria-invalid': error ? true : undefined,
      })}
      {(error || hint) && (
        <div id={noteId} className={cx('text-small', error ? 'text-bad' : 'text-faint')}>
          {error ?? hint}
        </div>
      )}
    </div>
  );
}

type Control<Element extends 'input' | 'textarea' | 'select'> = Omit<ComponentProps<Element>, 'id'> & FieldProps;

/** One line of text. */
export function TextField({ label, hint, error, optional, className, ...rest }: Control<'input'>) {
  return (
    <Field {...{ label, hint, error, optional: optional ?? false }} {...(className && { className })}>
      {(wiring) => <input type="text" {...rest} {...wiring} className={control} />}
    </Field>
  );
}

/** Several lines of text; `mono` for code. */
export function TextArea({
  label,
  hint,
  error,
  optional,
  className,
  mono,
  rows = 4,
  ...rest
}: Control<'textarea'> & { mono?: boolean }) {
  return (
    <Field {...{ label, hint, error, optional: optional ?? false }} {...(className && { className })}>
      {(wiring) => (
        <textarea
          rows={rows}
          spellCheck={!mono}
          {...rest}
          {...wiring}
          // It grows with its text, which `rows` alone would not hold open while it is empty.
          style={{ minHeight: `calc(${rows}lh + 0.875rem)` }}
          className={cx(control, 'field-sizing-content max-h-96', mono && 'font-mono text-small')}
        />
      )}
    </Field>
  );
}

/** One of a few values. `options` are pairs of value and words. */
export function Choice({
  label,
  hint,
  error,
  optional,
  className,
  options,
  ...rest
}: Control<'select'> & { options: readonly (readonly [value: string, text: string])[] }) {
  return (
    <Field {...{ label, hint, error, optional: optional ?? false }} {...(className && { className })}>
      {(wiring) => (
        <select {...rest} {...wiring} className={control}>
          {options.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface MoneyFieldProps extends FieldProps {
  /** As typed; `centsOf(value)` is the amount. */
  value: string;
  onChange: (text: string) => void;
  name?: string;
  placeholder?: string;
  autoFocus?: boolean;
}

/** An amount in dollars. */
export function MoneyField({ value, onChange, label, hint, error, optional, className, ...rest }: MoneyFieldProps) {
  const isOdd = value.trim() !== '' && centsOf(value) === null;
  const problem = error ?? (isOdd ? 'Write an amount like 12.50.' : undefined);
  return (
    <Field {...{ label, hint, error: problem, optional: optional ?? false }} {...(className && { className })}>
      {(wiring) => (
        <div className="relative">
          <span aria-hidden className="absolute top-1/2 left-3 -translate-y-1/2 text-faint">
            $
          </span>
          <input
            {...rest}
            {...wiring}
            inputMode="decimal"
            autoComplete="off"
            value={value}
            onChange={(event) => onChange(event.target.value)}
            onBlur={() => {
              const cents = centsOf(value);
              if (cents !== null && amountText(cents) !== value) onChange(amountText(cents));
            }}
            className={cx(control, 'figures pl-7')}
          />
        </div>
      )}
    </Field>
  );
}

/** Yes or no, with the words to its right. */
export function Checkbox({
  label,
  hint,
  ...rest
}: Omit<ComponentProps<'input'>, 'type'> & { label: ReactNode; hint?: ReactNode }) {
  const hintId = useId();
  return (
    <label className="flex items-start gap-2.5 text-base has-disabled:opacity-60">
      <input
        {...rest}
        type="checkbox"
        aria-describedby={hint ? hintId : undefined}
        className="mt-1 size-4 shrink-0 accent-accent"
      />
      <span>
        {label}
        {hint && (
          <span id={hintId} className="block text-small text-faint">
            {hint}
          </span>
        )}
      </span>
    </label>
  );
}

interface CardsProps<V extends string> {
  legend: string;
  name: string;
  value: V;
  onChange: (value: V) => void;
  options: readonly { value: V; title: string; text?: ReactNode; why?: string | null }[];
}

/** One of a few values that each need a sentence. */
export function ChoiceCards<V extends string>({ legend, name, value, onChange, options }: CardsProps<V>) {
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 text-small font-medium">{legend}</legend>
      <div className="grid gap-2 sm:grid-cols-[repeat(auto-fit,minmax(12rem,1fr))]">
        {options.map((option) => (
          <label
            key={option.value}
            className={
              'flex gap-2.5 rounded-base border border-line bg-surface px-3 py-2.5 has-checked:border-accent ' +
              'has-checked:bg-accent-wash has-disabled:opacity-60 has-focus-visible:outline-2 has-focus-visible:outline-accent'
            }
          >
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={value === option.value}
              disabled={Boolean(option.why)}
              onChange={() => onChange(option.value)}
              className="mt-1 size-4 shrink-0 accent-accent"
            />
            <span className="min-w-0">
              <span className="block font-medium">{option.title}</span>
              {(option.why ?? option.text) && (
                <span className="block text-small text-soft">{option.why ?? option.text}</span>
              )}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
