"""Many writes, batch by batch: World.load and its awaited twin."""

import contextlib
import re
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple

from .asks import Ask, JsonAnswer, batch, keys, whole
from .encoding import weight
from .errors import MnemeError, error_of, error_told, placed
from .records import Record

if TYPE_CHECKING:
    from .world import Backend

#: Sends a request that is encoded; what it answers waits for the answer, also when it is asked again.
_Send = Callable[[], Callable[[], JsonAnswer]]

_ITEM = re.compile(r"items\[(\d+)\]")
#: A batch that has so much is sent with fewer items than it may have: a request has at most 16 MiB.
_MOST_BYTES = 4 << 20


class Loading:
    """A load under way: its batches, and what it has written so far. One batch is answered before the next
    one is sent."""

    def __init__(self, items: Iterable[Ask[Any]], size: int, more: Mapping[str, Any]) -> None:
        if not isinstance(size, int) or size < 1:
            raise ValueError(f"a batch is of one item or more, not {size!r}")
        self._items = iter(items)
        self._size = size
        self._more = keys(more)
        self._written = 0
        self._seq: Optional[int] = None

    def batches(self) -> Iterator[Ask[JsonAnswer]]:
        """Each is made when it is wanted."""
        items: List[Ask[Any]] = []
        size = 0
        for item in self._items:
            added = weight(item.request) if isinstance(item, Ask) else 0  # what is no Ask, batch() refuses
            if items and size + added > _MOST_BYTES:
                yield self._batch(items)
                items, size = [], 0
            items.append(item)
            size += added
            if len(items) == self._size:  # at once: the next item may never come
                yield self._batch(items)
                items, size = [], 0
        if items:
            yield self._batch(items)

    def _batch(self, items: List[Ask[Any]]) -> Ask[JsonAnswer]:
        return Ask("batch", {**batch(items).request, **self._more}, whole)

    def take(self, sent: Ask[JsonAnswer], answer: JsonAnswer) -> None:
        self._written += len(sent.request["items"])
        self._seq = answer["seq"]

    def _placed(self, at: str) -> str:
        item = _ITEM.match(at)
        return at if item is None else f"items[{int(item[1]) + self._written}]{at[item.end():]}"

    def told(self) -> Record:
        return Record(written=self._written, seq=self._seq)

    @contextlib.contextmanager
    def placing(self) -> Iterator[None]:
        """A refusal of a batch is one of the load: items are counted from the first of all. What the items
        themselves raise is none, and never comes by here."""
        try:
            yield
        except MnemeError as refused:
            told = error_of({"error": placed(error_told(refused), self._placed)})
            refused.at, refused.message, refused.faults = told.at, told.message, told.faults
            refused.args = (refused.message,)
            refused.details["written"] = self._written
            raise


def load(backend: "Backend", items: Iterable[Ask[Any]], size: int, more: Mapping[str, Any]) -> Record:
    """See World.load."""
    loading = Loading(items, size, more)
    prepared: Optional[Callable[[str, Dict[str, Any]], _Send]] = getattr(backend, "prepared", None)
    if prepared is not None:
        _load_ahead(loading, prepared)
    else:
        for ask in loading.batches():
            with loading.placing():
                loading.take(ask, ask.answer(backend.call(ask.op, ask.request)))
    return loading.told()


def _load_ahead(loading: Loading, prepared: Callable[[str, Dict[str, Any]], _Send]) -> None:
    """The next batch is made and encoded while the one before is worked on."""
    under_way: List[Tuple[Ask[JsonAnswer], Callable[[], JsonAnswer]]] = []  # one, or none

    def settle() -> None:
        for ask, answered in under_way[:]:
            answer = answered()  # who interrupts the waiting finds it under way still
            under_way.clear()
            with loading.placing():
                loading.take(ask, ask.answer(answer))
    try:
        for ask in loading.batches():
            try:
                send = prepared(ask.op, ask.request)
            except MnemeError:
                settle()  # which says how far items are counted
                with loading.placing():
                    raise
            settle()
            with loading.placing():
                under_way.append((ask, send()))
        settle()
    except BaseException as problem:  # mostly of the items: what was sent before is done all the same
        try:
            settle()
        except MnemeError as refused:  # it came first; what the items raised is its context
            if not isinstance(problem, Exception):
                raise problem from refused
            raise
        raise
