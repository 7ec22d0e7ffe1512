"""Many writes, batch by batch: World.load and its awaited twin."""

import collections
import itertools
import re
from typing import TYPE_CHECKING, Any, Deque, Dict, Iterable, Iterator, Mapping, Optional

from .asks import Ask, JsonAnswer, batch, keys, whole
from .errors import MnemeError, error_of
from .records import Record

if TYPE_CHECKING:
    from .world import Backend

_ITEM = re.compile(r"items\[(\d+)\]")


class Loading:
    """A load under way: its batches, and what it has written so far."""

    def __init__(self, items: Iterable[Ask[Any]], size: int, more: Mapping[str, Any]) -> None:
        if not isinstance(size, int) or size < 1:
            raise ValueError(f"a batch is of one item or more, not {size!r}")
        self._items = iter(items)
        self._size = size
        self._more = keys(more)
        self._sent: Deque[int] = collections.deque()  # how many items, of each batch that is not answered
        self._written = 0
        self._seq: Optional[int] = None

    def batches(self) -> Iterator[Ask[JsonAnswer]]:
        """Each is made when it is wanted."""
        while True:
            items = list(itertools.islice(self._items, self._size))
            if not items:
                return
            self._sent.append(len(items))
            yield Ask("batch", {**batch(items).request, **self._more}, whole)

    def take(self, answer: JsonAnswer) -> None:
        self._written += self._sent.popleft()
        self._seq = answer["seq"]

    def told(self) -> Record:
        return Record(written=self._written, seq=self._seq)

    def placed(self, refused: MnemeError) -> MnemeError:
        """A refusal of a batch as one of the load: items are counted from the first of all."""
        at = refused.at and _ITEM.sub(lambda item: f"items[{int(item[1]) + self._written}]", refused.at, 1)
        return type(refused)(refused.code, refused.message, at, {**refused.details, "written": self._written})


def load(backend: "Backend", items: Iterable[Ask[Any]], size: int, more: Mapping[str, Any]) -> Record:
    """See World.load."""
    loading = Loading(items, size, more)

    def one_by_one(op: str, requests: Iterable[Dict[str, Any]]) -> Iterator[JsonAnswer]:
        return (backend.call(op, request) for request in requests)
    each = getattr(backend, "call_each", one_by_one)
    try:
        for answer in each("batch", (ask.request for ask in loading.batches())):
            if not answer.pop("ok", False):
                raise error_of(answer)
            loading.take(answer)
    except MnemeError as refused:
        raise loading.placed(refused) from None
    return loading.told()
