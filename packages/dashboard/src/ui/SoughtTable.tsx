import { useEffect } from 'react';
import type { useRows } from '../api/pages.ts';
import { Button } from './Button.tsx';
import { Empty, Failure, Skeleton } from './States.tsx';
import { Table, type TableProps, tableOf } from './Table.tsx';

/** Pages without a match that are passed over by themselves; after that the reader decides. */
const pagesPassed = 4;

interface SoughtTableProps<T> extends Pick<TableProps<T>, 'label' | 'columns' | 'rowKey' | 'empty'> {
  query: ReturnType<typeof useRows<T>>;
}

/** What filters match in a log that is looked through page by page, so that a page may be empty although more follow. */
export function SoughtTable<T>({ query, empty, ...table }: SoughtTableProps<T>) {
  const { rows, data, hasNextPage, isFetching, error, fetchNextPage } = query;
  const nothingYet = rows?.length === 0 && hasNextPage;
  const goesOn = nothingYet && !error && (data?.pages.length ?? 0) < pagesPassed;
  useEffect(() => {
    if (goesOn && !isFetching) void fetchNextPage();
  }, [goesOn, isFetching, fetchNextPage]);
  if (goesOn) return <Skeleton lines={6} className="px-5 py-4" />;
  if (!nothingYet) return <Table {...table} {...tableOf(query)} empty={empty} />;
  return (
    <Empty
      title="Nothing found so far"
      actions={
        <>
          <Failure error={error} />
          <Button busy={isFetching} onClick={() => void fetchNextPage()}>
            Look further back
          </Button>
        </>
      }
    >
      There are older entries that were not looked through.
    </Empty>
  );
}
