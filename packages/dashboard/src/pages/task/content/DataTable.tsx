import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Reader } from '../../../reading/reader.ts';
import { Button } from '../../../ui/Button.tsx';
import { count } from '../../../ui/format.ts';
import { Loaded } from '../../../ui/States.tsx';

const rowsAtOnce = 100;

/** An array of flat objects, a hundred rows at a time. */
export function DataTable({ reader, columns, total }: { reader: Reader; columns: readonly string[]; total: number }) {
  const [from, setFrom] = useState(0);
  const query = useQuery({
    queryKey: ['json-rows', reader.name, from],
    queryFn: () => reader.ask('rows', [...columns], from, rowsAtOnce),
    placeholderData: keepPreviousData,
    ...{ staleTime: 'static', gcTime: 0, retry: false, structuralSharing: false },
  });
  const last = Math.min(total, from + rowsAtOnce);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form */}
      <div
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        role="group"
        aria-label="Table"
        className="max-h-[36rem] overflow-auto rounded-base border border-line"
      >
        <Loaded query={query}>
          {(rows) => (
            <table className="w-max min-w-full text-small">
              <thead className="sticky top-0 bg-sunken text-left">
                <tr>
                  {columns.map((column) => (
                    <th key={column} scope="col" className="max-w-80 truncate px-3 py-1.5 font-medium">
                      <bdi>{column.slice(0, 200) || '(no name)'}</bdi>
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody className="divide-y divide-line">
                {rows.map((cells, nth) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: rows of data have no other name and never move
                  <tr key={from + nth}>
                    {cells.map((cell, column) => (
                      <td
                        key={columns[column]}
                        className="figures max-w-80 truncate px-3 py-1 align-top"
                        title={cell && cell.length > 40 ? cell : undefined}
                      >
                        {cell === null ? <span className="text-faint">–</span> : <bdi>{cell}</bdi>}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </Loaded>
      </div>
      {total > rowsAtOnce && (
        <div className="flex flex-wrap items-center gap-3 text-small">
          <span aria-live="polite" className="figures text-soft">
            Rows {count(from + 1)} to {count(last)} of {count(total)}
          </span>
          <Button small why={from === 0 ? 'These are the first.' : null} onClick={() => setFrom(from - rowsAtOnce)}>
            Previous
          </Button>
          <Button small why={last === total ? 'These are the last.' : null} onClick={() => setFrom(from + rowsAtOnce)}>
            Next
          </Button>
        </div>
      )}
    </div>
  );
}
