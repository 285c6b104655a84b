import { useQuery } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { poolQuery } from '../../../api/pool.ts';
import { Button, TextLink } from '../../../ui/Button.tsx';
import { Confirm } from '../../../ui/Dialog.tsx';
import { Checkbox } from '../../../ui/Field.tsx';
import { count, duration, money } from '../../../ui/format.ts';
import { errorText, Note } from '../../../ui/States.tsx';
import { useNow } from '../../../ui/Values.tsx';
import { beginRun, dismissRun, type Job, type Piece, type Run, stopRun, tryRest, useRun } from './run.ts';
import { mostSelected, type Selection } from './use-selection.ts';

/** What can be done with many rows at once. */
export interface Action<Row> extends Omit<Job, 'pieces'> {
  verb: string;
  danger?: boolean;
  applies: (row: Row) => boolean;
  /** Why it does not apply to the others. */
  others: string;
  /** Cents that move. */
  cents: (row: Row) => number;
  /** They are held from the pool. */
  holds?: boolean;
  title: (rows: number) => string;
  /** What the button says. */
  press: (rows: number, cents: number) => string;
  says: (cents: number, rows: readonly Row[]) => ReactNode;
  /** Rows that are done only if their owner says so, and the words to say it with. */
  doubtful?: { is: (row: Row) => boolean; ask: (rows: number) => string; why: string };
  piece: (row: Row) => Pick<Piece, 'name' | 'work'>;
}

interface BarProps<Row extends { id: string }> {
  selection: Selection<Row>;
  actions: readonly Action<Row>[];
  /** Chooses all rows that there are; left out where all are chosen. */
  all?: { label: string; busy: boolean; choose: () => void } | undefined;
}

/** What is chosen in a list and what can be done with it; below it, what goes on. It stays in sight below the list. */
export function BulkBar<Row extends { id: string }>({ selection, actions, all }: BarProps<Row>) {
  const run = useRun();
  const { selected } = selection;
  const going = useRef<HTMLElement>(null);
  const isEmpty = selected.length === 0;
  const wasEmpty = useRef(isEmpty);
  useEffect(() => {
    // The button that began it is gone, and with it the focus.
    if (isEmpty && !wasEmpty.current && document.activeElement === document.body) going.current?.focus();
    wasEmpty.current = isEmpty;
  }, [isEmpty]);
  if (!run && isEmpty) return null;
  const isFull = selected.length === mostSelected;
  return (
    <div className="screen-only sticky bottom-4 z-10 grid grid-cols-[minmax(0,1fr)] divide-y divide-line rounded-large border border-line-strong bg-surface text-small shadow-raised">
      {!isEmpty && (
        <section aria-label="Selected" className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
          <p className="min-w-0 flex-1 basis-40 font-medium">
            <span role="status" className="figures">
              {count(selected.length)} selected
            </span>
            {isFull && <span className="block font-normal text-soft">So many can be selected at once.</span>}
          </p>
          <div className="flex flex-wrap gap-2">
            {all && !isFull && (
              <Button kind="quiet" busy={all.busy} onClick={all.choose}>
                {all.label}
              </Button>
            )}
            <Button kind="quiet" onClick={() => selection.set([])}>
              Clear
            </Button>
            {actions.map((action) => (
              <Act
                key={action.verb}
                action={action}
                selection={selection}
                isBusy={run !== null && run.state !== 'ended'}
              />
            ))}
          </div>
        </section>
      )}
      {run && <Going run={run} place={going} />}
    </div>
  );
}

function Act<Row extends { id: string }>({
  action,
  selection,
  isBusy,
}: {
  action: Action<Row>;
  selection: Selection<Row>;
  isBusy: boolean;
}) {
  const [isAsked, setAsked] = useState(false);
  const close = useCallback(() => setAsked(false), []);
  const { selected } = selection;
  const fit = selected.filter(action.applies);
  const of = fit.length === selected.length ? '' : ` of ${count(selected.length)}`;
  return (
    <>
      <Button
        kind={action.danger ? 'danger' : 'plain'}
        why={isBusy ? 'Wait until what goes on has ended.' : fit.length === 0 ? action.others : null}
        onClick={() => setAsked(true)}
      >
        {action.verb} {count(fit.length)}
        {of}
      </Button>
      {isAsked && <AskFirst action={action} fit={fit} selection={selection} close={close} />}
    </>
  );
}

interface AskProps<Row extends { id: string }> {
  action: Action<Row>;
  fit: readonly Row[];
  selection: Selection<Row>;
  close: () => void;
}

/** Says what it does to the money, and begins it. */
function AskFirst<Row extends { id: string }>({ action, selection, close, ...now }: AskProps<Row>) {
  const [withDoubtful, setWithDoubtful] = useState(false);
  /** What was confirmed: the rows change while it goes on. */
  const [begun, setBegun] = useState<{ fit: readonly Row[]; of: number } | null>(null);
  const { fit, of } = begun ?? { fit: now.fit, of: selection.selected.length };
  const doubtful = action.doubtful ? fit.filter(action.doubtful.is) : [];
  const rows = withDoubtful ? fit : fit.filter((row) => !doubtful.includes(row));
  const cents = rows.reduce((sum, row) => sum + action.cents(row), 0);
  const out = of - fit.length;
  const begin = () => {
    beginRun({
      doing: action.doing,
      done: action.done,
      refresh: action.refresh,
      pieces: rows.map((row) => ({
        ...action.piece(row),
        cents: action.cents(row),
        idempotencyKey: crypto.randomUUID(),
      })),
    });
    setBegun({ fit, of });
  };
  useEffect(() => {
    if (!begun) return;
    // The second half of a double click falls on the dialog, not on the row below it.
    const timer = setTimeout(() => {
      close();
      selection.set([]);
    }, doubleClickMs);
    return () => clearTimeout(timer);
  }, [begun, close, selection.set]);
  return (
    <Confirm
      title={action.title(rows.length)}
      open
      onClose={close}
      verb={action.press(rows.length, cents)}
      dismiss="Back"
      {...(action.danger && { danger: true })}
      why={rows.length === 0 ? action.doubtful?.why : null}
      busy={begun !== null}
      error={null}
      onConfirm={begin}
    >
      {action.says(cents, rows)}
      {out > 0 && (
        <p className="text-soft">
          {count(out)} of the {count(of)} selected {out === 1 ? 'is' : 'are'} left out. {action.others}
        </p>
      )}
      {action.doubtful && doubtful.length > 0 && (
        <Checkbox
          label={action.doubtful.ask(doubtful.length)}
          hint={action.doubtful.why}
          checked={withDoubtful}
          onChange={(event) => setWithDoubtful(event.target.checked)}
        />
      )}
      {action.holds && <PoolNote cents={cents} />}
      <p className="text-soft">It goes on while you visit other pages in this tab, and you can stop it.</p>
    </Confirm>
  );
}

const doubleClickMs = 400;

/** Whether the pool has what would be held. */
function PoolNote({ cents }: { cents: number }) {
  const pool = useQuery(poolQuery).data;
  if (!pool || pool.balance >= cents) return null;
  return (
    <Note kind="warn">
      {money(pool.balance)} is free in your pool, so not all of them can be submitted.{' '}
      <TextLink to="/vault">Top up {money(cents - pool.balance)} or more</TextLink>.
    </Note>
  );
}

/** How far it is, and at the end what became of it. */
function Going({ run, place }: { run: Run; place: RefObject<HTMLElement | null> }) {
  const { total, done, failed, untried, state } = run;
  const goOn = () => {
    place.current?.focus();
    tryRest(run);
  };
  const hasEnded = state === 'ended';
  const rest = failed.length + untried.length;
  return (
    <section ref={place} tabIndex={-1} aria-label={run.doing} className="grid gap-3 px-4 py-3 outline-none">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-56">
          <p className="font-medium">{hasEnded ? <span role="status">{run.outcome}</span> : run.doing}</p>
          <p className="figures text-soft">
            {hasEnded ? '' : `${count(done + failed.length)} of ${count(total)}`}
            {failed.length > 0 && `${hasEnded ? '' : ', '}${count(failed.length)} failed`}
            {untried.length > 0 && `${failed.length > 0 ? ', ' : ''}${count(untried.length)} not tried`}
            <Waits run={run} />
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          {hasEnded && rest > 0 && (
            <Button kind="primary" onClick={goOn}>
              {untried.length > 0 ? `Go on with the other ${count(rest)}` : 'Try the failed again'}
            </Button>
          )}
          {hasEnded ? (
            <Button onClick={dismissRun}>Close</Button>
          ) : (
            <Button busy={state === 'stopping'} onClick={stopRun}>
              Stop
            </Button>
          )}
        </div>
      </div>
      {!hasEnded && (
        <progress
          aria-label={run.doing}
          max={total}
          value={done + failed.length}
          className="h-1.5 w-full appearance-none overflow-hidden rounded-full bg-line [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-accent"
        />
      )}
      {failed.length > 0 && <Failures failed={failed} />}
    </section>
  );
}

function Waits({ run: { waitsUntil, state } }: { run: Run }) {
  const left = Math.ceil(((waitsUntil ?? 0) - useNow()) / 1_000);
  if (state !== 'running' || left <= 0) return null;
  return <> · waits {duration(left * 1_000)}, because the server takes so many requests a minute</>;
}

function Failures({ failed }: Pick<Run, 'failed'>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <ul aria-label="Failed" tabIndex={0} className="grid max-h-40 gap-1 overflow-y-auto">
      {failed.map(({ piece, error }) => (
        <li key={piece.idempotencyKey} className="[overflow-wrap:anywhere]">
          {piece.name} <span className="text-soft">{errorText(error)}</span>
        </li>
      ))}
    </ul>
  );
}
