/** Money and times in the visitor's own locale. Amounts are integer US cents, durations are ms. */

const locale = navigator.language;
const usd = new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD' });
const wholeNumber = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const exactMoment = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long' });
const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
const ago = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'long' });

/** `1234` → `$12.34` */
export const money = (cents: number): string => usd.format(cents / 100);

/** `-1234` → `−$12.34`, `1234` → `+$12.34` */
export const signedMoney = (cents: number): string =>
  `${cents < 0 ? '−' : cents > 0 ? '+' : ''}${money(Math.abs(cents))}`;

/** `1234567` → `1,234,567` */
export const count = (value: number): string => wholeNumber.format(value);

/** `1 task`, `2 tasks` */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

export const dateTime = (at: string | number): string => moment.format(new Date(at));
export const exactTime = (at: string | number): string => exactMoment.format(new Date(at));
export const date = (at: string | number): string => day.format(new Date(at));

const steps = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
  ['month', 12],
  ['year', Number.POSITIVE_INFINITY],
] as const;

/** `3 minutes ago`, `in 2 days` */
export function relativeTime(at: string | number, nowMs = Date.now()): string {
  let value = (new Date(at).getTime() - nowMs) / 1000;
  for (const [unit, size] of steps) {
    if (Math.abs(value) < size) return ago.format(Math.round(value), unit);
    value /= size;
  }
  return '';
}

/** `850 ms`, `4.2 s`, `3 min 5 s`, `2 h 10 min`, `3 days` */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${Math.round(ms / 100) / 10} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return two(minutes, 'min', seconds % 60, 's');
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return two(hours, 'h', minutes % 60, 'min');
  return `${Math.round(hours / 24)} days`;
}

const two = (large: number, unit: string, small: number, smallUnit: string) =>
  small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smallUnit}`;

/** `04:59`: what is left of a window. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const clock = `${String(m).padStart(2, '0')}:${String(s).padStart(2, '0')}`;
  return h > 0 ? `${h}:${clock}` : clock;
}

/** `1.5 kB`, `3 MB` */
export function bytes(size: number): string {
  if (size < 1_000) return `${size} B`;
  const [value, unit] = size < 1_000_000 ? [size / 1_000, 'kB'] : size < 1e9 ? [size / 1e6, 'MB'] : [size / 1e9, 'GB'];
  return `${Math.round(value * 10) / 10} ${unit}`;
}

/** `bug_fix` → `Bug fix`: words of the contract as people write them. */
export const words = (name: string): string => {
  const text = name.replaceAll('_', ' ').replaceAll('.', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** `12.34`, `12,34` or `1,234.50` → cents; null if it is no amount of money. */
export function centsOf(text: string): number | null {
  const match =
    /^\s*(?:US)?\$?\s*(\d{1,9}|\d{1,3}(?:,\d{3}){1,2}(?=\.)|\d{1,3}(?:\.\d{3}){1,2}(?=,))(?:[.,](\d{1,2}))?\s*$/.exec(
      text,
    );
  return match ? Number(match[1]!.replace(/[.,]/g, '')) * 100 + Number((match[2] ?? '').padEnd(2, '0')) : null;
}

/** Whether something is written that is no amount of money. */
export const isOddAmount = (text: string): boolean => text.trim() !== '' && centsOf(text) === null;

/** 1234 → `12.34`, as an amount is typed. */
export const amountText = (cents: number): string => (cents / 100).toFixed(2);

/** 0.5 → `50 %` */
export const percent = (share: number): string => `${Math.round(share * 100)} %`;
