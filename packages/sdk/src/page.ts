import { type ApiPromise, apiPromise } from './api-promise.ts';

/** A collection reply as it is sent. */
export interface RawPage<T> {
  data: T[];
  pagination: { pageSize: number; nextCursor: string | null };
}

/** Fetches the page that starts at a cursor, or the first without one. */
type FetchPage<T> = (cursor: string | undefined) => ApiPromise<RawPage<T>>;

/** One page of a collection. Iterating over it continues with the following pages. */
export class Page<T> implements AsyncIterable<T> {
  readonly data: T[];
  /** `nextCursor` is null on the last page. */
  readonly pagination: RawPage<T>['pagination'];
  readonly #fetch: FetchPage<T>;

  constructor(raw: RawPage<T>, fetch: FetchPage<T>) {
    this.data = raw.data;
    this.pagination = raw.pagination;
    this.#fetch = fetch;
  }

  hasNextPage(): boolean {
    return this.pagination.nextCursor !== null;
  }

  /** The next page, or null after the last. */
  async nextPage(): Promise<Page<T> | null> {
    const cursor = this.pagination.nextCursor;
    return cursor === null ? null : new Page(await this.#fetch(cursor), this.#fetch);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for (let page: Page<T> | null = this; page !== null; page = await page.nextPage()) yield* page.data;
  }
}

/** A promise of the first page. It can also be iterated directly: `for await (const task of agora.tasks.list())`. */
export type PagePromise<T> = ApiPromise<Page<T>> & AsyncIterable<T>;

/** Fetches the first page; the iteration fetches the others when it reaches them. */
export function pagePromise<T>(fetch: FetchPage<T>): PagePromise<T> {
  const first = fetch(undefined).withResponse();
  const promise = apiPromise(first.then(({ data, response }) => ({ data: new Page(data, fetch), response })));
  return Object.assign(promise, {
    async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
      yield* await promise;
    },
  });
}
