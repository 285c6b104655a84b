import { AgoraError } from '@agora-market/sdk';
import { CircleAlert, Info, type LucideIcon, TriangleAlert } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { Button } from './Button.tsx';
import { cx } from './cx.ts';
import { useNow } from './Values.tsx';

const noteLook = {
  info: ['bg-info-wash', 'text-info', Info],
  warn: ['bg-warn-wash', 'text-warn', TriangleAlert],
  bad: ['bg-bad-wash', 'text-bad', CircleAlert],
} as const satisfies Record<string, readonly [string, string, LucideIcon]>;

/** A remark that stands out: what happened and what to do. Bad ones are read out at once. */
export function Note({ kind = 'info', children }: { kind?: keyof typeof noteLook; children: ReactNode }) {
  const [back, colour, Icon] = noteLook[kind];
  return (
    <div
      role={kind === 'bad' ? 'alert' : undefined}
      className={cx('flex gap-2.5 rounded-base px-3.5 py-2.5 text-small', back)}
    >
      <Icon aria-hidden className={cx('mt-0.5 size-4 shrink-0', colour)} />
      <div className="min-w-0 [overflow-wrap:anywhere]">{children}</div>
    </div>
  );
}

/** What went wrong, in words for people. */
export function errorText(error: unknown): string {
  if (!(error instanceof AgoraError)) return error instanceof Error ? error.message : 'Something went wrong.';
  if (error.status === null) {
    return navigator.onLine
      ? 'The server does not answer. Nothing is lost; try again in a moment.'
      : 'You are offline. Nothing is lost; try again when you are back.';
  }
  if (error.status === 429) return 'Too many requests in a short time.';
  if (error.status >= 500 && error.code === 'INTERNAL_ERROR') return 'The server had a fault. It is logged; try again.';
  // The bank's reason, in the processor's words.
  if (error.code === 'CARD_DECLINED' && typeof error.details.reason === 'string') {
    return error.details.reason === error.message ? error.message : `${error.message} ${error.details.reason}`;
  }
  return error.message;
}

/** A failure, with a button to try again where that can help. Shows nothing without an error. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const [failedAt, setFailedAt] = useState(Date.now);
  useEffect(() => {
    if (error) setFailedAt(Date.now());
  }, [error]);
  const now = useNow();
  if (!error) return null;
  const wait = error instanceof AgoraError && error.status === 429 ? (error.retryAfterSeconds ?? 5) : 0;
  // `now` is a whole second, which may lie before the failure.
  const left = wait > 0 ? Math.ceil((failedAt + wait * 1000 - now) / 1000) : 0;
  return (
    <Note kind="bad">
      <p>{errorText(error)}</p>
      {left > 0 && <p className="figures">You can try again in {left} s.</p>}
      {error instanceof AgoraError && error.status !== null && error.status >= 500 && error.correlationId && (
        <p className="text-soft">For the operator: {error.correlationId}</p>
      )}
      {retry && (
        <Button className="mt-2" onClick={retry} why={left > 0 ? `The server asks to wait ${left} s.` : null}>
          Try again
        </Button>
      )}
    </Note>
  );
}

/** Nothing here yet: says what would be here, and how it comes. */
export function Empty({ title, children, actions }: { title: string; children?: ReactNode; actions?: ReactNode }) {
  return (
    <div className="flex flex-col items-center px-6 py-12 text-center">
      <p className="font-medium">{title}</p>
      {children && <div className="mt-1 max-w-md text-small text-soft">{children}</div>}
      {actions && <div className="mt-4 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}

const widths = ['w-full', 'w-5/6', 'w-1/2'];

/** Lines in the shape of what is loading. */
export function Skeleton({ lines = 3, className }: { lines?: number; className?: string }) {
  return (
    <div aria-hidden className={cx('grid gap-3', className)}>
      {Array.from({ length: lines }, (_, line) => `${line}`).map((line) => (
        <div key={line} className={cx('skeleton h-4', widths[Number(line) % widths.length])} />
      ))}
    </div>
  );
}

interface LoadedProps<T> {
  query: { data: T | undefined; error: unknown; refetch: () => unknown };
  /** Stands in the place until the data is there. */
  skeleton?: ReactNode;
  children: (data: T) => ReactNode;
}

/** Data of one query: its skeleton, its failure with a retry, or the data. */
export function Loaded<T>({ query, skeleton = <Skeleton />, children }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Failure error={query.error} retry={() => void query.refetch()} />;
  return (
    // The key keeps what is loading from becoming a part of what comes, which would seem to jump.
    <div key="loading" aria-busy="true">
      <span className="sr-only">Loading</span>
      {skeleton}
    </div>
  );
}
