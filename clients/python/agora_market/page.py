"""Pages of collections."""

from __future__ import annotations

from typing import Any, Callable, Generic, Iterator, TypeVar

T = TypeVar("T")


class Page(Generic[T]):
    """One page. Iterating over it goes on with the pages that follow.

    data: the items of this page.
    pagination: `pageSize`, and `nextCursor`, which is None on the last page.
    """

    def __init__(self, raw: Any, fetch: Callable[[str], Any]) -> None:
        self.data: list[T] = raw["data"]
        self.pagination: dict[str, Any] = raw["pagination"]
        self._fetch = fetch

    def next_page(self) -> Page[T] | None:
        """The page that follows, or None after the last."""
        cursor = self.pagination["nextCursor"]
        return None if cursor is None else Page(self._fetch(cursor), self._fetch)

    def __iter__(self) -> Iterator[T]:
        page: Page[T] | None = self
        while page is not None:
            yield from page.data
            page = page.next_page()
