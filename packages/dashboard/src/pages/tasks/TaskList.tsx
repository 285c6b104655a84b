import { useNavigate, useRouter } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type MouseEvent, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Button } from '../../ui/Button.tsx';
import { cx } from '../../ui/cx.ts';
import { Failure } from '../../ui/States.tsx';
import type { ListKind } from './kinds.tsx';
import type { TaskRow } from './rows.ts';
import { TaskLine } from './TaskLine.tsx';

interface ListProps {
  kind: ListKind;
  rows: TaskRow[];
  query: {
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    isFetchNextPageError: boolean;
    error: unknown;
    fetchNextPage: () => unknown;
  };
}

const narrow = matchMedia('(max-width: 639px)');
const onWidth = (tell: () => void) => {
  narrow.addEventListener('change', tell);
  return () => narrow.removeEventListener('change', tell);
};

/** Rows in px: one line, or three at phone width. */
const heights = { wide: 45, narrow: 92 };

/**
 * Rows of which only those in sight are in the page. Each is a plain link with a real address; one handler for all
 * opens it here, so that a thousand rows cost no more than one.
 */
export function TaskList(props: ListProps) {
  const height = useSyncExternalStore(onWidth, () => narrow.matches) ? heights.narrow : heights.wide;
  return <Rows key={height} height={height} {...props} />;
}

function Rows({ kind, rows, query, height }: ListProps & { height: number }) {
  const place = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(place.current?.offsetTop ?? 0), []);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => height,
    overscan: 8,
    scrollMargin: top,
  });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  const isNear = last > rows.length - 30 && hasNextPage && !isFetchingNextPage && !isFetchNextPageError;
  useEffect(() => {
    if (isNear) void fetchNextPage();
  }, [isNear, fetchNextPage]);
  const base = useRouter().buildLocation({ to: kind.to }).publicHref;
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: of a table, rows that are not in sight could not be left out */}
      <div
        role="table"
        aria-label={kind.label}
        aria-rowcount={hasNextPage ? -1 : rows.length + 1}
        className="text-small"
      >
        <Head kind={kind} />
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the links in it take the keyboard and fire clicks */}
        {/* biome-ignore lint/a11y/useSemanticElements: see above */}
        <div
          ref={place}
          role="rowgroup"
          onClick={useOpenHere(kind.to)}
          className="relative"
          style={{ height: virtual.getTotalSize() }}
        >
          {shown.map(({ index, start, key }) => (
            <TaskLine
              key={key}
              kind={kind}
              row={rows[index] as TaskRow}
              href={`${base}/${rows[index]?.id}`}
              index={index + 2}
              top={start - top}
              height={height}
            />
          ))}
        </div>
      </div>
      <More query={query} count={rows.length} kind={kind} />
    </>
  );
}

function Head({ kind: { grid, columns } }: { kind: ListKind }) {
  const heads = [{ head: 'Task', place: '', right: false }, ...columns];
  return (
    // biome-ignore lint/a11y/useSemanticElements: see above
    // biome-ignore lint/a11y/useFocusableInteractive: nothing is done with a row of heads
    <div role="row" className={`grid gap-4 border-b border-line px-5 py-2.5 text-soft max-sm:sr-only ${grid}`}>
      {heads.map(({ head, right, place }) => (
        // biome-ignore lint/a11y/useSemanticElements: see above
        // biome-ignore lint/a11y/useFocusableInteractive: see above
        <span key={head} role="columnheader" className={cx('font-medium', right && 'text-right', hidings(place))}>
          {head}
        </span>
      ))}
    </div>
  );
}

/** Of the place of a column, where it is left out. */
const hidings = (place: string) =>
  place
    .split(' ')
    .filter((each) => each.endsWith(':hidden'))
    .join(' ');

/** Opens a row in this window, unless the visitor asks for another one. */
function useOpenHere(to: ListKind['to']) {
  const navigate = useNavigate();
  return (event: MouseEvent) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[data-task]');
    if (!link || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void navigate({
      to: to === '/jobs' ? '/jobs/$taskId' : '/tasks/$taskId',
      params: { taskId: link.dataset.task ?? '' },
    });
  };
}

function More({ query, count, kind }: { query: ListProps['query']; count: number; kind: ListKind }) {
  const what = kind.to === '/jobs' ? 'job' : 'task';
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage, error } = query;
  if (isFetchNextPageError)
    return (
      <div className="px-5 py-4">
        <Failure error={error} retry={() => void fetchNextPage()} />
      </div>
    );
  return (
    <div className="flex min-h-14 items-center justify-center text-small text-faint">
      {hasNextPage ? (
        <Button kind="quiet" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      ) : (
        `${count === 1 ? `One ${what}` : `All ${count.toLocaleString(navigator.language)} ${what}s`}`
      )}
    </div>
  );
}
