import { useSyncExternalStore } from 'react';
import { cx } from './cx.ts';
import { dateTime, exactTime, money, relativeTime, signedMoney } from './format.ts';

/** An amount of cents. `signed` shows plus and minus: for movements, not for balances. */
export function Money({ cents, signed, className }: { cents: number; signed?: boolean; className?: string }) {
  return (
    <span className={cx('figures whitespace-nowrap', className)}>{signed ? signedMoney(cents) : money(cents)}</span>
  );
}

/** Breaks, if it must, only where the time begins. */
const onTwoLines = (text: string) => text.replaceAll(/ (?=.* )/g, '\u00a0');

/** A time, relative to now unless `exact`; the exact one is a hover away. On phones, exact ones may take two lines. */
export function Time({ at, exact }: { at: string; exact?: boolean }) {
  useMinute();
  return (
    <time
      dateTime={at}
      title={exactTime(at)}
      className={cx('figures whitespace-nowrap', exact && 'max-sm:whitespace-normal')}
    >
      {exact ? onTwoLines(dateTime(at)) : relativeTime(at)}
    </time>
  );
}

/** Text that a stranger wrote: shown letter by letter, never read as markup. */
export function StrangerText({ text, className }: { text: string; className?: string }) {
  return (
    <p dir="auto" className={cx('whitespace-pre-wrap [overflow-wrap:anywhere]', className)}>
      {text}
    </p>
  );
}

/** An id, a key or a hash: to be compared, not read. */
export function Code({ children, className }: { children: string; className?: string }) {
  return (
    <code
      className={cx('rounded-small bg-sunken px-1 py-0.5 font-mono text-[0.9em] [overflow-wrap:anywhere]', className)}
    >
      {children}
    </code>
  );
}

const everyMinute = ticking(60_000);
const everySecond = ticking(1_000);

/** One timer for all that shows a time. */
function ticking(ms: number) {
  const listeners = new Set<() => void>();
  let timer: ReturnType<typeof setInterval> | undefined;
  return (listener: () => void) => {
    listeners.add(listener);
    timer ??= setInterval(() => listeners.forEach((tell) => void tell()), ms);
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  };
}

const useMinute = () => useSyncExternalStore(everyMinute, () => Math.floor(Date.now() / 60_000));

/** The time now in ms, anew each second: for what counts down. */
export const useNow = () => useSyncExternalStore(everySecond, () => Math.floor(Date.now() / 1_000)) * 1_000;
