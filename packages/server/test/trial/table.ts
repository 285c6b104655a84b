import type { Books, Try } from './traffic.ts';

/** A stretch of the trial, in Unix milliseconds. */
export interface Window {
  name: string;
  failover: string | undefined;
  from: number;
  to: number;
}

export const failed = (books: Books, kind: Try['kind'], { from, to }: Window): Try[] =>
  books.tries.filter((each) => each.kind === kind && each.at >= from && each.at < to && each.error !== undefined);

/** The longest time in which no try of a kind succeeded, as far as it lies in the window. */
function longestGapMs({ tries }: Books, kind: Try['kind'], { from, to }: Window): number {
  const answered = tries
    .filter((each) => each.kind === kind && each.error === undefined)
    .map(({ at, ms }) => at + ms)
    .filter((at) => at >= from && at < to)
    .sort((a, b) => a - b);
  return Math.max(...[from, ...answered, to].map((at, nth, all) => at - (all[nth - 1] ?? from)));
}

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

const names = [
  ...['fault', 's', 'failover of', 'reads failed', 'longest gap s', 'writes failed', 'longest gap s'],
  ...['SDK gave up', 'completed', 'errors of one try'],
];
export const head = [names, names.map(() => '---')].map(line).join('\n');

/** What callers met in a window; of its tasks those that are completed by now. */
export function rowOf(books: Books, window: Window): string {
  const within = (at: number) => at >= window.from && at < window.to;
  const tries = (kind: Try['kind']) => {
    const count = books.tries.filter((each) => each.kind === kind && within(each.at)).length;
    return [`${failed(books, kind, window).length} of ${count}`, seconds(longestGapMs(books, kind, window))];
  };
  const submitted = books.journeys.filter(({ at }) => within(at));
  const refused = submitted.filter((each) => each.refused !== undefined);
  const completed = submitted.filter(({ end }) => end?.status === 'completed');
  return line([
    ...[window.name, seconds(window.to - window.from), window.failover ?? '', ...tries('read'), ...tries('write')],
    ...[`${refused.length} of ${submitted.length}`, String(completed.length)],
    saidBy([...failed(books, 'read', window), ...failed(books, 'write', window)]),
  ]);
}

const seconds = (ms: number) => (ms / 1_000).toFixed(1);

function saidBy(tries: Try[]): string {
  const counts = new Map<string, number>();
  for (const { error = '' } of tries) counts.set(error, (counts.get(error) ?? 0) + 1);
  return [...counts].map(([error, count]) => `${error}: ${count}`).join(', ');
}
