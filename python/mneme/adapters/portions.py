"""Requests and answers of any size. A line, a batch and an answer have bounds: what is beyond one is asked, or
written, in portions."""

from typing import Any, Callable, Dict, Iterable, Iterator, List, Sequence, Tuple, TypeVar

from .. import asks
from ..encoding import encoded
from ..errors import MnemeError
from ..records import Found
from ..world import World

MOST_AT_ONCE = 10_000  # writes of a batch
_MOST_BYTES = 15 << 20  # of a request: a line has 16 MiB
_PAGE = 10_000


T = TypeVar("T")
Fetch = Callable[[int, Dict[str, Any]], Tuple[Sequence[T], int]]


def in_pages(wanted: int, fetch: "Fetch[T]") -> List[T]:
    """All that `fetch(limit, more)` finds in a fixed order, page by page where it is too much for one answer.
    It tells the rows, and as of which seq they are; `more` says where the page begins, and that seq."""
    rows: List[T] = []
    size = _PAGE
    more: Dict[str, Any] = {}
    while True:
        size = min(size, wanted - len(rows))
        try:
            page, seq = fetch(size, more)
        except MnemeError as refused:
            if size <= 1 or not too_large(refused):
                raise
            size //= 2
            continue
        rows += page
        if len(page) < size or len(rows) >= wanted:
            return rows
        more = {"offset": len(rows), "at_seq": more.get("at_seq", seq)}


def found_in_pages(world: World, ask: "asks.Ask[Found]") -> Found:
    """What a `find` with a fixed order finds, as of one moment."""
    answers: List[Any] = []

    def fetch(limit: int, more: Dict[str, Any]) -> Tuple[Found, int]:
        page = world.run(asks.Ask(ask.op, {**ask.request, **more, "limit": limit}, ask.read))
        answers.append(page.answer)
        return page, page.answer["at_seq"]
    rows = in_pages(ask.request["limit"], fetch)
    told = answers[0]
    told["distances"] = [distance for answer in answers for distance in answer.get("distances") or []]
    return Found(rows, told)


def read_in_portions(world: World, reads: Sequence["asks.Ask[Any]"]) -> List[Any]:
    """What reads find, as one tick where that fits."""
    found: List[Any] = []
    waiting = list(portions([read] for read in reads))[::-1]
    while waiting:
        portion = waiting.pop()
        try:
            answers = list(world.tick(reads=portion))
        except MnemeError as refused:
            if len(portion) == 1 or not too_large(refused):
                raise
            half = len(portion) // 2
            waiting += [portion[half:], portion[:half]]
            continue
        for answer in answers:
            if isinstance(answer, MnemeError):
                raise answer
        found += answers
    return found


def portions(groups: Iterable[Sequence["asks.Ask[Any]"]]) -> Iterator[List["asks.Ask[Any]"]]:
    """The requests, as many together as fit into one. What is of one group stays together, unless it is too
    much by itself."""
    portion: List["asks.Ask[Any]"] = []
    size = 0
    for group in groups:
        sizes = [_bytes_of(ask) for ask in group]
        if portion and not _fits(len(portion) + len(group), size + sum(sizes)):
            yield portion
            portion, size = [], 0
        for ask, more in zip(group, sizes):
            if portion and not _fits(len(portion) + 1, size + more):
                yield portion
                portion, size = [], 0
            portion.append(ask)
            size += more
    if portion:
        yield portion


def _fits(count: int, size: int) -> bool:
    return count <= MOST_AT_ONCE and size <= _MOST_BYTES


def _bytes_of(ask: "asks.Ask[Any]") -> int:
    return len(encoded(ask.item())) + 1


def too_large(refused: MnemeError) -> bool:
    """Whether it was the answer that was too much; a program that joined a world has less room for it."""
    return refused.code in ("limit_exceeded", "line_too_long")
