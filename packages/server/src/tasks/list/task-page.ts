import type { TaskView } from '@agora-market/contract';
import { encodeCursor } from '../../platform/index.ts';

/** Input and output in one page, in bytes of their text; with the task that crosses it the page ends. */
const pageBytes = 1024 ** 2;
/** Tasks read at once: a task may carry a megabyte of text, so many are read only after small ones. */
const fewAtOnce = 3;
const manyAtOnce = 10;

interface PageRequest<Row, View, Place> {
  pageSize: number;
  /** Of the last task of the page before. */
  from: Place | null;
  look(last: Place | null, limit: number): Promise<Row[]>;
  placeOf(task: Row): Place;
  view(task: Row): View;
}

/** A page that ends early, with a cursor, where its tasks are large: a hundred of them would be some 50 MB. */
export async function taskPage<Row, View extends Pick<TaskView, 'input' | 'output'>, Place>({
  pageSize,
  from,
  look,
  placeOf,
  view,
}: PageRequest<Row, View, Place>) {
  const data: View[] = [];
  let last = from;
  for (let bytes = 0; ; ) {
    const areSmall = bytes * manyAtOnce < pageBytes * data.length;
    // One row more than fits shows that there is a next page.
    const limit = Math.min(areSmall ? manyAtOnce : fewAtOnce, pageSize + 1 - data.length);
    const found = await look(last, limit);
    for (const task of found) {
      if (data.length === pageSize || bytes >= pageBytes) {
        return { data, pagination: { pageSize, nextCursor: encodeCursor(last) } };
      }
      const shown = view(task);
      bytes += Buffer.byteLength(JSON.stringify([shown.input, shown.output]));
      data.push(shown);
      last = placeOf(task);
    }
    if (found.length < limit) return { data, pagination: { pageSize, nextCursor: null } };
  }
}
