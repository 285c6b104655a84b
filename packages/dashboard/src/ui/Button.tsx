import { createLink } from '@tanstack/react-router';
import { type ComponentProps, useId } from 'react';
import { cx } from './cx.ts';

type Kind = 'primary' | 'plain' | 'danger' | 'quiet';

const look: Record<Kind, string> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong border-transparent',
  plain: 'bg-surface text-ink border-line-strong hover:bg-sunken',
  danger: 'bg-surface text-bad border-bad hover:bg-bad-wash',
  quiet: 'bg-transparent text-soft border-transparent hover:bg-sunken hover:text-ink',
};

const base =
  'button inline-flex items-center justify-center gap-2 rounded-base border font-medium whitespace-nowrap ' +
  'transition-colors text-small [&_svg]:size-4 [&_svg]:shrink-0';
/** The usual size is that of `.button` in the theme, so that a class may change it. */
const smallSize = 'min-h-8 px-2.5 py-1';
const off = 'aria-disabled:opacity-60 aria-disabled:hover:bg-surface';

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'disabled'> {
  kind?: Kind;
  /** For rows of tables and heads of sections. */
  small?: boolean | undefined;
  /** Why it cannot be pressed now, in words people read on pointing at it. Null or undefined: it can. */
  why?: string | null | undefined;
  /** It was pressed and works: it takes no second press. */
  busy?: boolean;
}

/** A button. One that cannot be pressed stays reachable by keyboard and says why. */
export function Button({
  kind = 'plain',
  small,
  why,
  busy,
  className,
  style,
  onClick,
  children,
  ...rest
}: ButtonProps) {
  const reasonId = useId();
  const isOff = Boolean(why) || busy;
  // The button stays the same element whether there is a reason or not, so it keeps the focus and its place.
  return (
    <>
      <button
        type="button"
        {...rest}
        aria-disabled={isOff || undefined}
        aria-busy={busy || undefined}
        aria-describedby={why ? reasonId : rest['aria-describedby']}
        onClick={(event) => (isOff ? event.preventDefault() : onClick?.(event))}
        className={cx(base, small && smallSize, look[kind], off, className)}
        style={why ? { ...style, anchorName: anchorOf(reasonId) } : style}
      >
        {children}
        {busy && <span className="size-1.5 animate-ping rounded-full bg-current" />}
      </button>
      {why && <Reason id={reasonId} why={why} />}
    </>
  );
}

const anchorOf = (id: string) => `--reason-${id}`;

/** Stands right after its button, and shows while that is pointed at or reached by keyboard: above it, never beyond the window. */
function Reason({ id, why }: { id: string; why: string }) {
  return (
    <span
      id={id}
      role="tooltip"
      style={{ positionAnchor: anchorOf(id) }}
      className={
        'pointer-events-none fixed z-50 mb-1.5 hidden w-max max-w-72 rounded-base bg-ink px-3 py-2 text-left text-small ' +
        'font-normal whitespace-normal text-canvas shadow-raised [inset-area:top] [position-area:top] ' +
        '[position-try-fallbacks:flip-block] [button:focus-visible+&]:block [button:hover+&]:block'
      }
    >
      {why}
    </span>
  );
}

/** A link that looks like a button. */
export const ButtonLink = createLink(function ButtonAnchor({
  kind = 'plain',
  small,
  className,
  ...rest
}: ComponentProps<'a'> & Pick<ButtonProps, 'kind' | 'small'>) {
  return <a {...rest} className={cx(base, small && smallSize, look[kind], className)} />;
});

/** A link in text that leads out of the pages. */
export function TextAnchor({ className, ...rest }: ComponentProps<'a'>) {
  return (
    <a
      {...rest}
      className={cx(
        'font-medium text-accent underline decoration-accent/30 underline-offset-3 hover:decoration-accent',
        className,
      )}
    />
  );
}

/** A link in text. */
export const TextLink = createLink(TextAnchor);
