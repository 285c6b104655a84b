import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';

interface RawPage<T> {
  data: T[];
  pagination: { nextCursor: string | null };
}

/**
 * A collection of the API, page by page. `fetch` gets the cursor to put into the query:
 * `pagesOf(['tasks', filter], (cursor) => agora.tasks.list({ ...filter, ...cursor }))`.
 */
export const pagesOf = <T>(
  queryKey: readonly unknown[],
  fetch: (cursor: { cursor?: string }) => PromiseLike<RawPage<T>>,
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: async ({ pageParam }): Promise<RawPage<T>> => {
      const { data, pagination } = await fetch(pageParam === null ? {} : { cursor: pageParam });
      return { data, pagination };
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ pagination }) => pagination.nextCursor,
  });

/** The rows that are loaded so far, and how to get more. `rows` is undefined until the first page is there. */
export function useRows<T>(options: ReturnType<typeof pagesOf<T>>) {
  const query = useInfiniteQuery(options);
  return { ...query, rows: query.data?.pages.flatMap(({ data }) => data) };
}
