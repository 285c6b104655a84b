import type { Task } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ChevronRight, CircleCheck, CircleX, LoaderCircle } from 'lucide-react';
import { type ReactNode, type RefObject, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { isOpen } from '../../api/tasks.ts';
import { Button } from '../../ui/Button.tsx';
import { cx } from '../../ui/cx.ts';
import { Choice, TextField } from '../../ui/Field.tsx';
import { duration, exactTime } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Failure, Loaded } from '../../ui/States.tsx';
import { useNow } from '../../ui/Values.tsx';
import { assessmentsQuery } from './assessments.ts';
import { LongText } from './LongText.tsx';
import { commandsQuery, eventsQuery } from './live.ts';
import { filtered, kinds, type RunKind, type RunRow, runOf, spanOf } from './run.ts';

/** What happened in a task, when, and how long it took: live by its stream, and afterwards from its log. */
export function RunView({ task }: { task: Pick<Task, 'id' | 'status' | 'assessmentId'> }) {
  const events = useQuery(eventsQuery(task.id));
  const { data: commands, error: noCommands } = useQuery(commandsQuery(task));
  const { data: assessments, error: noAssessments } = useQuery(assessmentsQuery(task));
  const rows = useMemo(
    () => events.data && runOf(events.data, commands ?? [], assessments ?? []),
    [events.data, commands, assessments],
  );
  return (
    <Section
      title="Run"
      lead="Steps, what the agent ran and reported, and what the gate ran. What the agent's commands say and print stays in its sandbox."
    >
      <Failure error={(commands === undefined && noCommands) || (assessments === undefined && noAssessments)} />
      <Loaded query={events}>{() => rows && <Rows rows={rows} isLive={isOpen(task)} />}</Loaded>
    </Section>
  );
}

const kindWords: Record<RunKind, string> = {
  step: 'Steps',
  command: 'Commands',
  note: 'Notes',
  message: 'Messages',
  check: 'Checks',
};

/** Columns of head and rows alike: on a phone the bar has a line of its own. */
const columns =
  'grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 sm:grid-cols-[minmax(0,2fr)_5.5rem_4.5rem_minmax(8rem,1fr)]';

interface RowsProps {
  rows: readonly RunRow[];
  isLive: boolean;
}

function Rows({ rows, isLive }: RowsProps) {
  const [kind, setKind] = useState<RunKind | 'all'>('all');
  const [text, setText] = useState('');
  const words = useDeferredValue(text);
  const shown = useMemo(() => filtered(rows, { kind, text: words }), [rows, kind, words]);
  const now = useNow();
  const span = useMemo(() => spanOf(rows, now), [rows, now]);
  const area = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => area.current,
    getItemKey: (at) => shown[at]?.key ?? at,
    estimateSize: () => 36,
    overscan: 12,
  });
  const { isFollowing, follow, onScroll } = useFollowing(area, isLive, shown.length);
  const [marked, setMarked] = useState<string | null>(null);
  const failed = shown.flatMap((row, at) => (row.state === 'failed' && row.depth > 0 ? [at] : []));
  const goToFailure = () => {
    const before = shown.findIndex(({ key }) => key === marked);
    const at = failed.find((each) => each > before) ?? failed[0];
    if (at === undefined) return;
    virtual.scrollToIndex(at, { align: 'center' });
    setMarked(shown[at]?.key ?? null);
    // The row is there with the next frame.
    requestAnimationFrame(() => area.current?.querySelector<HTMLElement>(`[data-index="${at}"]`)?.focus());
  };
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <search className="screen-only flex flex-wrap items-end gap-3">
        <Choice
          label="Show"
          className="w-36"
          value={kind}
          onChange={(event) => setKind(event.target.value as RunKind | 'all')}
          options={[['all', 'Everything'], ...kinds.map((each) => [each, kindWords[each]] as const)]}
        />
        <TextField
          type="search"
          label="Find in the run"
          className="min-w-0 flex-1 basis-40"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {failed.length > 0 && (
          <Button onClick={goToFailure}>
            <CircleX aria-hidden /> {marked === null ? 'First failure' : 'Next failure'}
          </Button>
        )}
        {isLive && !isFollowing && (
          <Button onClick={follow}>
            <ArrowDown aria-hidden /> Follow
          </Button>
        )}
      </search>
      {/* biome-ignore lint/a11y/useSemanticElements: of a table, rows that are not in sight could not be left out */}
      <div role="table" aria-label="Run" aria-rowcount={shown.length + 1} className="text-small">
        <Head totalMs={span.ms} />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by the keyboard */}
        {/* biome-ignore lint/a11y/useSemanticElements: see above */}
        <div ref={area} role="rowgroup" tabIndex={0} onScroll={onScroll} className="max-h-128 overflow-y-auto">
          <div className="relative" role="presentation" style={{ height: virtual.getTotalSize() }}>
            {virtual.getVirtualItems().map(({ index, start, key }) => (
              // biome-ignore lint/a11y/useSemanticElements: see above
              <div
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                tabIndex={-1}
                role="row"
                aria-rowindex={index + 2}
                style={{ transform: `translateY(${start}px)` }}
                className={cx(
                  'absolute inset-x-0 top-0 items-center border-b border-line py-1.5',
                  columns,
                  shown[index]?.key === marked && 'bg-bad-wash',
                )}
              >
                <Row row={shown[index] as RunRow} span={span} now={now} />
              </div>
            ))}
          </div>
        </div>
      </div>
      {shown.length === 0 && <p className="text-small text-soft">Nothing in this run matches.</p>}
      {isLive && (
        <p aria-live="polite" className="sr-only">
          {rows.at(-1)?.title}
        </p>
      )}
    </div>
  );
}

/** Pixels from the end at which a reader counts as being there. */
const nearEndPx = 40;

/** Stays at the end of a run that goes on, until the reader scrolls up. */
function useFollowing(area: RefObject<HTMLDivElement | null>, isLive: boolean, count: number) {
  const [isFollowing, setIsFollowing] = useState(isLive);
  const toEnd = () => {
    const element = area.current;
    if (element) element.scrollTop = element.scrollHeight;
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new row moves the end
  useEffect(() => {
    if (!isLive || !isFollowing) return;
    toEnd();
    // Once more, with the heights that the new rows turn out to have.
    const frame = requestAnimationFrame(toEnd);
    return () => cancelAnimationFrame(frame);
  }, [isLive, isFollowing, count]);
  const topBefore = useRef(0);
  return {
    isFollowing,
    follow: () => {
      setIsFollowing(true);
      toEnd();
    },
    onScroll: () => {
      const element = area.current;
      if (!element) return;
      const { scrollTop, scrollHeight, clientHeight } = element;
      const isAtEnd = scrollHeight - scrollTop - clientHeight < nearEndPx;
      // Rows that grow move the end away from a reader who has not moved.
      if (isAtEnd) setIsFollowing(true);
      else if (scrollTop < topBefore.current) setIsFollowing(false);
      topBefore.current = scrollTop;
    },
  };
}

function Head({ totalMs }: { totalMs: number }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see above
    // biome-ignore lint/a11y/useFocusableInteractive: nothing is done with a row of heads
    <div role="row" className={cx('border-b border-line pb-1.5 text-soft max-sm:sr-only', columns)}>
      <HeadCell>What</HeadCell>
      <HeadCell className="text-right">Began after</HeadCell>
      <HeadCell className="text-right">Took</HeadCell>
      <HeadCell className="flex justify-between text-tiny">
        <span>0</span>
        <span className="figures">{duration(totalMs)}</span>
      </HeadCell>
    </div>
  );
}

const HeadCell = ({ className, children }: { className?: string; children: ReactNode }) => (
  // biome-ignore lint/a11y/useSemanticElements: see above
  // biome-ignore lint/a11y/useFocusableInteractive: see above
  <span role="columnheader" className={cx('font-medium', className)}>
    {children}
  </span>
);

const Cell = ({ className, children }: { className?: string; children?: ReactNode }) => (
  // biome-ignore lint/a11y/useSemanticElements: see above
  <span role="cell" className={cx('min-w-0', className)}>
    {children}
  </span>
);

const indents = ['', 'pl-4', 'pl-8'] as const;

interface Span {
  from: number;
  ms: number;
}

function Row({ row, span, now }: { row: RunRow; span: Span; now: number }) {
  const isMoment = row.from === row.to && row.tookMs === undefined;
  const tookMs = row.tookMs ?? Math.max(0, (row.to ?? now) - row.from);
  return (
    <>
      <Cell className={indents[row.depth]}>
        <Title row={row} />
      </Cell>
      <Cell className="figures text-right text-faint max-sm:hidden">
        <time dateTime={new Date(row.from).toISOString()} title={exactTime(row.from)}>
          {duration(row.from - span.from)}
        </time>
      </Cell>
      <Cell className="figures text-right">{isMoment ? '' : duration(tookMs)}</Cell>
      <Cell className="max-sm:col-span-2">
        <Bar row={row} span={span} tookMs={tookMs} isMoment={isMoment} />
      </Cell>
    </>
  );
}

const icons = { done: CircleCheck, failed: CircleX, none: null } as const;

function Title({ row: { title, isStrangers, aside, state, to, printed, kind } }: { row: RunRow }) {
  const [isUnfolded, setIsUnfolded] = useState(false);
  const Icon = to === null ? LoaderCircle : icons[state];
  const isLong = title.length > 160 || title.includes('\n');
  const canUnfold = isLong || printed !== undefined;
  const said = (
    <>
      {Icon && (
        <Icon
          role="img"
          aria-label={to === null ? 'Under way:' : state === 'failed' ? 'Failed:' : 'Done:'}
          className={cx('mr-1.5 inline size-3.5 align-[-2px]', state === 'failed' ? 'text-bad' : 'text-faint')}
        />
      )}
      <span
        dir={isStrangers ? 'auto' : undefined}
        className={cx(kind === 'step' && 'font-medium', isUnfolded && isLong && 'whitespace-pre-wrap')}
      >
        {isUnfolded ? title : title.slice(0, 200)}
      </span>
      {aside && <span className="ml-2 inline-block text-soft">{aside}</span>}
    </>
  );
  if (!canUnfold) return <span className="block [overflow-wrap:anywhere]">{said}</span>;
  return (
    <>
      <button
        type="button"
        aria-expanded={isUnfolded}
        onClick={() => setIsUnfolded(!isUnfolded)}
        className="block w-full text-left [overflow-wrap:anywhere]"
      >
        <ChevronRight
          aria-hidden
          className={cx('mr-1 inline size-3.5 align-[-2px] transition-transform', isUnfolded && 'rotate-90')}
        />
        {said}
      </button>
      {isUnfolded && printed !== undefined && (
        <div className="mt-1.5">
          <LongText text={printed} name="output.txt" mono />
        </div>
      )}
    </>
  );
}

interface BarProps {
  row: RunRow;
  span: Span;
  tookMs: number;
  isMoment: boolean;
}

function Bar({ row: { from, to, state, kind }, span, tookMs, isMoment }: BarProps) {
  const left = Math.min(100, ((from - span.from) / span.ms) * 100);
  const width = Math.min(100 - left, (tookMs / span.ms) * 100);
  const ended = kind === 'step' ? 'bg-accent' : 'bg-line-strong';
  const colour = state === 'failed' ? 'bg-bad' : to === null ? 'bg-info' : ended;
  return (
    <span aria-hidden className="relative block h-2 overflow-hidden rounded-full bg-sunken">
      <span
        className={cx('absolute inset-y-0 min-w-0.5 rounded-full', isMoment && 'w-1', colour)}
        style={{ left: `min(${left}%, calc(100% - 4px))`, ...(!isMoment && { width: `${width}%` }) }}
      />
    </span>
  );
}
