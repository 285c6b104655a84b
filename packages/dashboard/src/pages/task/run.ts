import type { Assessment, ItemOf } from '@agora-market/sdk';
import { type Criterion, partsOf, verdictOf } from './assessment-words.ts';
import { criterionWords } from './criterion-words.ts';
import { told } from './timeline-words.ts';

/** The run of a task as rows on one axis of time: attempts, in them steps, in them commands, notes, messages and checks. */

type Event = ItemOf<'tasks.events'>;
type Command = ItemOf<'tasks.commands'>;

export const kinds = ['step', 'command', 'note', 'message', 'check'] as const;
export type RunKind = (typeof kinds)[number];

export interface RunRow {
  key: string;
  kind: RunKind;
  /** 0 for an attempt or what stands beside one, 1 for its steps, 2 for what happened in a step. */
  depth: 0 | 1 | 2;
  title: string;
  /** The title is a stranger's. */
  isStrangers?: true;
  /** ms since 1970. */
  from: number;
  /** null while it goes on. What happened at one moment ends when it began. */
  to: number | null;
  /** ms; of a check, whose beginning nobody noted. */
  tookMs?: number;
  state: 'done' | 'failed' | 'none';
  /** Said beside the title. */
  aside?: string;
  /** What was printed, to be unfolded. */
  printed?: string;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

class Run {
  readonly rows: RunRow[] = [];
  readonly gates = new Set<RunRow>();
  attempts = 0;
  attempt: RunRow | null = null;
  step: RunRow | null = null;

  open(row: Omit<RunRow, 'to' | 'state'>): RunRow {
    const made: RunRow = { ...row, to: null, state: 'none' };
    this.rows.push(made);
    return made;
  }

  /** Ends the step before and begins the next, in the attempt if there is one. */
  begin(event: Event, title: string, state: RunRow['state'] = 'done'): RunRow {
    this.end(event, state);
    const depth = this.attempt ? 1 : 0;
    this.step = this.open({ key: event.eventId, kind: 'step', depth, title, from: Date.parse(event.timestamp) });
    return this.step;
  }

  end(event: Event, state: RunRow['state']): void {
    if (this.step) Object.assign(this.step, { to: Date.parse(event.timestamp), state });
    this.step = null;
  }

  endAttempt(event: Event, state: RunRow['state']): void {
    this.end(event, state);
    if (this.attempt) Object.assign(this.attempt, { to: Date.parse(event.timestamp), state });
    this.attempt = null;
  }

  moment(event: Event, row: Pick<RunRow, 'kind' | 'title' | 'isStrangers' | 'aside'>, state: RunRow['state'] = 'none') {
    const at = Date.parse(event.timestamp);
    const depth = this.attempt ? 2 : this.step ? 1 : 0;
    this.rows.push({ key: event.eventId, depth, from: at, to: at, state, ...row });
  }
}

/** Verbs that end a task although nothing in it failed. */
const calmEnds = new Set(['cancel', 'decline', 'passOver']);

const follow: Record<string, (run: Run, event: Event) => unknown> = {
  'task.submitted': (run, event) => run.begin(event, 'Waiting for an agent'),
  'task.assigned': (run, event) => {
    run.end(event, 'done');
    run.attempts += 1;
    const [key, from] = [`${event.eventId} attempt`, Date.parse(event.timestamp)];
    run.attempt = run.open({ key, kind: 'step', depth: 0, title: `Attempt ${run.attempts}`, from });
    run.begin(event, 'Offered to the agent');
  },
  'task.unassigned': (run, event) => {
    const { text } = told(event);
    if (run.attempt) run.attempt.aside = text;
    run.endAttempt(event, 'failed');
  },
  'task.started': (run, event) => run.begin(event, 'Work'),
  'task.delivered': (run, event) => {
    run.gates.add(run.begin(event, 'Quality gate'));
  },
  'task.shortlisted': (run, event) => run.begin(event, 'Waiting for the other attempts'),
  'task.completed': (run, event) => {
    if (run.attempt) run.attempt.aside = told(event).text;
    run.endAttempt(event, 'done');
  },
  'task.failed': (run, event) => {
    const { text } = told(event);
    const state = calmEnds.has(String(event.data.verb)) ? 'none' : 'failed';
    if (run.attempt) run.attempt.aside = text;
    else run.moment(event, { kind: 'step', title: text }, state);
    run.endAttempt(event, state);
  },
  'task.progressed': (run, event) => {
    const { percent, message } = event.data;
    const said = typeof percent === 'number' && { aside: `${percent} %` };
    if (isText(message)) run.moment(event, { kind: 'note', title: message, isStrangers: true, ...said });
    else run.moment(event, { kind: 'note', title: 'Progress', ...said });
  },
  'message.posted': (run, event) => run.moment(event, { kind: 'message', title: told(event).text }),
  'message.unanswered': (run, event) => run.moment(event, { kind: 'message', title: told(event).text }, 'failed'),
};

/** The rows of a run, in the order in which they began. */
export function runOf(
  events: readonly Event[],
  commands: readonly Command[],
  assessments: readonly Assessment[],
): RunRow[] {
  const run = new Run();
  for (const event of events) follow[event.eventType]?.(run, event);
  const rows = byBeginning([...run.rows, ...commands.map(commandOf)]);
  return rows.flatMap((row) => (run.gates.has(row) ? [row, ...checksOf(row, assessments)] : [row]));
}

/** What begins at the same moment as its step comes after it. */
const byBeginning = (rows: RunRow[]): RunRow[] =>
  rows.sort((one, other) => one.from - other.from || one.depth - other.depth);

function commandOf({ label, startedAt, running, durationMs, exitCode, timedOut }: Command, nth: number): RunRow {
  const from = Date.parse(startedAt);
  const row: RunRow = {
    key: `command ${nth}`,
    kind: 'command',
    depth: 2,
    title: label,
    isStrangers: true,
    from,
    to: null,
    state: 'none',
  };
  if (running) return row;
  const tookMs = durationMs ?? 0;
  const aside = timedOut ? 'timed out' : exitCode === null ? 'did not end' : `exit code ${exitCode}`;
  return { ...row, to: from + tookMs, tookMs, aside, state: exitCode === 0 ? 'done' : 'failed' };
}

/** The measures of the gate that have run, one after the other: of each only is known how long it took. */
function checksOf(step: RunRow, assessments: readonly Assessment[]): RunRow[] {
  const verdict = assessments.find(({ purpose }) => purpose === 'gate');
  if (!verdict || step.to === null) return [];
  let from = step.from;
  return verdict.criteria.flatMap((criterion, at) => {
    if (criterion.durationMs === undefined) return [];
    const row = checkOf(criterion, `${step.key} ${at}`, from);
    from = row.to ?? from;
    return row;
  });
}

function checkOf(criterion: Criterion, key: string, from: number): RunRow {
  const { name, exitCode, durationMs: tookMs = 0, evidence } = criterion;
  const { said, printed } = partsOf(evidence);
  const exit = exitCode === undefined ? undefined : exitCode === null ? 'did not end' : `exit code ${exitCode}`;
  const shown = printed ?? said;
  return {
    key,
    kind: 'check',
    depth: 2,
    title: criterionWords(name),
    isStrangers: true,
    from,
    to: from + tookMs,
    tookMs,
    state: verdictOf(criterion) === 'failed' ? 'failed' : 'done',
    ...(exit !== undefined && { aside: exit }),
    ...(shown !== '' && { printed: shown }),
  };
}

interface RunFilter {
  kind: RunKind | 'all';
  text: string;
}

/** Rows that the filter lets through. */
export function filtered(rows: readonly RunRow[], { kind, text }: RunFilter): readonly RunRow[] {
  const words = text.trim().toLowerCase();
  if (kind === 'all' && words === '') return rows;
  return rows.filter(
    (row) =>
      (kind === 'all' || row.kind === kind) &&
      (words === '' || `${row.title} ${row.aside ?? ''}\n${row.printed ?? ''}`.toLowerCase().includes(words)),
  );
}

/** From the beginning of the run to its end, or to now. */
export function spanOf(rows: readonly RunRow[], now: number): { from: number; ms: number } {
  const from = Math.min(...rows.map((row) => row.from));
  const to = Math.max(...rows.map((row) => row.to ?? now));
  return { from, ms: Math.max(1, to - from) };
}
