import { cx } from '../../ui/cx.ts';
import { countdown, duration, exactTime } from '../../ui/format.ts';
import { useNow } from '../../ui/Values.tsx';

const hourMs = 3_600_000;

/** How long a decision can still be made; stands out in the last hour. */
export function TimeLeft({ until, after }: { until: string; after?: string }) {
  const left = new Date(until).getTime() - useNow();
  if (left <= 0) return <span className="text-soft">Time is up</span>;
  return (
    <time
      dateTime={until}
      title={exactTime(until)}
      className={cx('figures whitespace-nowrap', left < hourMs && 'font-medium text-warn')}
    >
      {left < hourMs ? countdown(left) : duration(Math.floor(left / 60_000) * 60_000)}
      {after}
    </time>
  );
}
