import { createLink } from '@tanstack/react-router';
import { type ComponentProps, type ReactNode, useId } from 'react';
import { cx } from './cx.ts';

type Kind = 'primary' | 'plain' | 'danger' | 'quiet';

const look: Record<Kind, string> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong border-transparent',
  plain: 'bg-surface text-ink border-line-strong hover:bg-sunken',
  danger: 'bg-surface text-bad border-bad hover:bg-bad-wash',
  quiet: 'bg-transparent text-soft border-transparent hover:bg-sunken hover:text-ink',
};

const base =
  'inline-flex items-center justify-center gap-2 rounded-base border font-medium whitespace-nowrap transition-colors ' +
  'min-h-9 px-3.5 py-1.5 text-small [&_svg]:size-4 [&_svg]:shrink-0';
const off = 'aria-disabled:opacity-60 aria-disabled:hover:bg-surface';

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'disabled'> {
  kind?: Kind;
  /** Why it cannot be pressed now, in words people read on pointing at it. Null or undefined: it can. */
  why?: string | null | undefined;
  /** It was pressed and works: it takes no second press. */
  busy?: boolean;
}

/** A button. One that cannot be pressed stays reachable by keyboard and says why. */
export function Button({ kind = 'plain', why, busy, className, onClick, children, ...rest }: ButtonProps) {
  const reasonId = useId();
  const isOff = Boolean(why) || busy;
  const button = (
    <button
      type="button"
      {...rest}
      aria-disabled={isOff || undefined}
      aria-busy={busy || undefined}
      aria-describedby={why ? reasonId : rest['aria-describedby']}
      onClick={(event) => (isOff ? event.preventDefault() : onClick?.(event))}
      className={cx(base, look[kind], off, className)}
    >
      {children}
      {busy && <span className="size-1.5 animate-ping rounded-full bg-current" />}
    </button>
  );
  if (!why) return button;
  return (
    <WithReason id={reasonId} why={why}>
      {button}
    </WithReason>
  );
}

/** Shows the reason while the button is pointed at or focused, above it and never beyond the window. */
function WithReason({ id, why, children }: { id: string; why: string; children: ReactNode }) {
  return (
    <span className="group/reason inline-flex [anchor-scope:--reason] [&>button]:[anchor-name:--reason]">
      {children}
      <span
        id={id}
        role="tooltip"
        className={
          'pointer-events-none fixed z-50 hidden w-max max-w-72 rounded-base bg-ink px-3 py-2 text-left text-small ' +
          'font-normal whitespace-normal text-canvas shadow-raised group-focus-within/reason:block ' +
          'group-hover/reason:block [inset-area:top] [position-anchor:--reason] [position-area:top] ' +
          '[position-try-fallbacks:flip-block] mb-1.5'
        }
      >
        {why}
      </span>
    </span>
  );
}

/** A link that looks like a button. */
export const ButtonLink = createLink(function ButtonAnchor({
  kind = 'plain',
  className,
  ...rest
}: ComponentProps<'a'> & { kind?: Kind }) {
  return <a {...rest} className={cx(base, look[kind], className)} />;
});

/** A link in text. */
export const TextLink = createLink(function TextAnchor({ className, ...rest }: ComponentProps<'a'>) {
  return (
    <a
      {...rest}
      className={cx(
        'font-medium text-accent underline decoration-accent/30 underline-offset-3 hover:decoration-accent',
        className,
      )}
    />
  );
});
