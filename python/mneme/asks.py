"""Requests as values: what a world is asked, before it is. `World` and `AsyncWorld` run them, and a
tick or a batch takes many of them:

    world.tick(reads=[asks.search("when is tea"), asks.find("Note", limit=5)],
               writes=[asks.write("Note", {"statement": "it rains"}, actor="ana")])

Keywords are the keys of the request as `mneme help OP` lists them. What Python keeps for itself takes
an underscore behind it (`from_`). Times may be datetimes (with a time zone) or dates, vectors anything with
tolist(), memories the records that an answer had in place of their ids.
"""

import datetime
import json
import operator
import os
import re
import threading
from typing import (Any, Callable, Dict, Generic, Iterable, Iterator, List, Mapping, Optional, Sequence, SupportsIndex,
                    Type, TypeVar, Union, overload)

from .encoding import can_be_said, floats_of, unsayable, vector_of
from .errors import InvalidRequest, MnemeError, error_of, error_told, placed, told_at_once
from .records import Found, Record, parsed

T = TypeVar("T")
Memory = Union[str, Mapping[str, Any]]  #: an id, a uri, or a record that has one
JsonAnswer = Dict[str, Any]


class Ask(Generic[T]):
    """One request, and how its answer is read. Its vectors are arrays, of 32-bit floats."""

    __slots__ = ("op", "request", "read")

    def __init__(self, op: str, request: Dict[str, Any], read: Callable[[JsonAnswer], T]) -> None:
        self.op = op
        self.request = request
        self.read = read

    def answer(self, answered: JsonAnswer) -> T:
        """What was asked for; raises what a refusal stands for."""
        if not answered.pop("ok", False):
            raise error_of(answered)
        return self.read(answered)

    def item(self) -> Dict[str, Any]:
        """As an item of a tick or a batch."""
        return {"op": self.op, **self.request}

    def __repr__(self) -> str:
        return f"{self.op}({', '.join(f'{k}={v!r}' for k, v in self.request.items())})"


class _Unread:
    """What a read of a tick found, as text, until somebody looks at it. A Tick shows none; what reaches into lists
    past their methods, as heapq does, finds in it what it says, and takes it for that. What is raised, or goes to
    C code that looks at the real type, as json does, wants list(tick)."""

    __slots__ = ("_text", "_read", "_said")

    def __init__(self, text: bytes, read: Callable[[JsonAnswer], Any]) -> None:
        self._text = text
        self._read = read
        self._said: List[Any] = []  # what it says, once somebody knows

    @staticmethod
    def take_all(unread: "List[_Unread]") -> List[Any]:
        """What they say: together it takes less than one by one."""
        with _PLACES:
            new = [one for one in unread if not one._said]
            answers: Any = parsed(b"[" + b",".join(one._text for one in new) + b"]") if new else ()
            for one, answer in zip(new, answers):
                one._said.append(_outcome(answer, one._read))
                one._text = b""
            return [one._said[0] for one in unread]

    def _itself(self) -> Any:
        return self.take_all([self])[0]

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return type(self._itself())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._itself(), name)

    def __getitem__(self, place: Any) -> Any:
        return self._itself()[place]

    def __setitem__(self, place: Any, item: Any) -> None:
        self._itself()[place] = item

    def __delitem__(self, place: Any) -> None:
        del self._itself()[place]

    def __dir__(self) -> List[str]:
        return dir(self._itself())

    def __len__(self) -> int:
        return len(self._itself())

    def __bool__(self) -> bool:
        return bool(self._itself())

    def __iter__(self) -> Iterator[Any]:
        return iter(self._itself())

    def __reversed__(self) -> Iterator[Any]:
        return reversed(self._itself())

    def __contains__(self, item: object) -> bool:
        return item in self._itself()

    def __add__(self, other: Any) -> Any:
        return self._itself() + _looked_at(other)

    def __radd__(self, other: Any) -> Any:
        return other + self._itself()

    def __or__(self, other: Any) -> Any:
        return self._itself() | _looked_at(other)

    def __ror__(self, other: Any) -> Any:
        return other | self._itself()

    def __repr__(self) -> str:
        return repr(self._itself())

    def __str__(self) -> str:
        return str(self._itself())

    def __format__(self, how: str) -> str:
        return format(self._itself(), how)

    def __eq__(self, other: object) -> bool:
        return bool(self._itself() == _looked_at(other))

    def __hash__(self) -> int:
        return hash(self._itself())  # an error has one

    def __lt__(self, other: Any) -> bool:
        return bool(self._itself() < _looked_at(other))

    def __le__(self, other: Any) -> bool:
        return bool(self._itself() <= _looked_at(other))

    def __gt__(self, other: Any) -> bool:
        return bool(self._itself() > _looked_at(other))

    def __ge__(self, other: Any) -> bool:
        return bool(self._itself() >= _looked_at(other))

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        return _looked_at, (self._itself(),)


def _looked_at(item: Any) -> Any:
    """The item, or what it says if it is not parsed."""
    return item._itself() if type(item) is _Unread else item


def _outcome(answered: JsonAnswer, read: Callable[[JsonAnswer], Any]) -> Any:
    """What was asked for, or the error in its place."""
    return read(answered) if answered.pop("ok", False) else error_of(answered)


def _all_of(other: Any) -> Any:
    """The same, with nothing that is not parsed if it is a tick's answer."""
    return other._looked_at() if isinstance(other, Tick) else other


#: So many are parsed together by who goes through all.
_AHEAD = 200
#: Held while places of a tick are parsed, or change: no thread puts back what another has taken out or looked at. One
#: for all ticks, so that a tick may be copied and pickled.
_PLACES = threading.RLock()
if hasattr(os, "register_at_fork"):  # a child must not find it held by a thread that it does not have
    os.register_at_fork(before=_PLACES.acquire, after_in_parent=_PLACES.release, after_in_child=_PLACES.release)


class Tick(List[Any]):
    """What a tick's reads found, in their order, and `writes` what its writes came to. In place of
    one that failed stands its MnemeError: the others went on. What a read found is parsed when it is first looked
    at."""

    def __init__(self, reads: List[Any], writes: List[Any], seq: Optional[int]) -> None:
        super().__init__(reads)
        self.writes = writes
        self.seq = seq

    def _look_at(self, first: int, last: int) -> None:
        """Parses what is not yet, from one place to before another: together it takes less than one by one."""
        with _PLACES:
            found = [(place, item) for place, item in enumerate(super().__getitem__(slice(first, last)), first)
                     if type(item) is _Unread]
            for (place, _), said in zip(found, _Unread.take_all([item for _, item in found])):
                super().__setitem__(place, said)

    def _looked_at(self) -> "Tick":
        """Itself, with nothing that is not parsed."""
        self._look_at(0, len(self))
        return self

    @overload
    def __getitem__(self, place: SupportsIndex) -> Any: ...

    @overload
    def __getitem__(self, place: slice) -> List[Any]: ...

    def __getitem__(self, place: Union[SupportsIndex, slice]) -> Any:
        if isinstance(place, slice):
            return super(Tick, self._looked_at()).__getitem__(place)
        item = super().__getitem__(place)
        if type(item) is not _Unread:
            return item
        with _PLACES:
            item = super().__getitem__(place)
            if type(item) is _Unread:
                at = operator.index(place) % len(self)
                self._look_at(at, at + 1)
                item = super().__getitem__(at)
            return item

    def __setitem__(self, place: Any, item: Any) -> None:
        with _PLACES:
            super().__setitem__(place, item)

    def __delitem__(self, place: Union[SupportsIndex, slice]) -> None:
        with _PLACES:
            super().__delitem__(place)

    def insert(self, place: SupportsIndex, item: Any) -> None:
        with _PLACES:
            super().insert(place, item)

    def reverse(self) -> None:
        with _PLACES:
            super().reverse()

    def clear(self) -> None:
        with _PLACES:
            super().clear()

    def __iter__(self) -> Iterator[Any]:
        place = 0
        while True:
            try:
                if type(super().__getitem__(place)) is _Unread:
                    self._look_at(place, place + _AHEAD)
                item = self[place]
            except IndexError:  # also where another thread has made it shorter
                return
            yield item
            place += 1

    def __reversed__(self) -> Iterator[Any]:
        return super(Tick, self._looked_at()).__reversed__()

    def __contains__(self, item: object) -> bool:
        return super(Tick, self._looked_at()).__contains__(item)

    def __eq__(self, other: object) -> bool:
        return super(Tick, self._looked_at()).__eq__(_all_of(other))

    def __ne__(self, other: object) -> bool:
        return super(Tick, self._looked_at()).__ne__(_all_of(other))

    def __lt__(self, other: Any) -> bool:
        return super(Tick, self._looked_at()).__lt__(_all_of(other))

    def __le__(self, other: Any) -> bool:
        return super(Tick, self._looked_at()).__le__(_all_of(other))

    def __gt__(self, other: Any) -> bool:
        return super(Tick, self._looked_at()).__gt__(_all_of(other))

    def __ge__(self, other: Any) -> bool:
        return super(Tick, self._looked_at()).__ge__(_all_of(other))

    __hash__ = None  # as a list

    def __add__(self, other: Any) -> Any:
        return super(Tick, self._looked_at()).__add__(_all_of(other))

    def __radd__(self, other: List[Any]) -> List[Any]:
        return other + list(self)

    def __mul__(self, times: SupportsIndex) -> List[Any]:
        return super(Tick, self._looked_at()).__mul__(times)

    def __rmul__(self, times: SupportsIndex) -> List[Any]:
        return super(Tick, self._looked_at()).__rmul__(times)

    def copy(self) -> List[Any]:
        return super(Tick, self._looked_at()).copy()

    def count(self, item: Any) -> int:
        return super(Tick, self._looked_at()).count(item)

    def index(self, item: Any, *bounds: SupportsIndex) -> int:
        return super(Tick, self._looked_at()).index(item, *bounds)

    def pop(self, place: SupportsIndex = -1) -> Any:
        with _PLACES:
            item = self[place]
            super().pop(place)
            return item

    def remove(self, item: Any) -> None:
        with _PLACES:
            super(Tick, self._looked_at()).remove(item)

    def sort(self, **how: Any) -> None:
        with _PLACES:
            super(Tick, self._looked_at()).sort(**how)

    def __repr__(self) -> str:
        return f"<mneme.Tick seq={self.seq} reads={list.__repr__(self._looked_at())} writes={self.writes!r}>"


_PLAIN = frozenset((str, int, float, bool, type(None)))
_VECTORS = frozenset(("vector", "near_vector"))


def plain(value: Any) -> Any:
    """The JSON value that a Python value stands for."""
    if type(value) in _PLAIN or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, (list, tuple)) and _PLAIN.issuperset(map(type, value)):
        return list(value)
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone; say which: "
                             "datetime.now(datetime.timezone.utc)")
        try:
            moment = value.astimezone(datetime.timezone.utc)
        except OverflowError:
            raise ValueError(f"{value!r} is no time that can be said in UTC") from None
        return moment.isoformat().replace("+00:00", "Z")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, Ask):
        return value.item()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        listed = value.tolist()
        return listed if isinstance(listed, (int, float)) else plain(listed)
    if isinstance(value, Iterable) and not isinstance(value, (bytes, bytearray, memoryview)):
        return [plain(item) for item in value]
    raise TypeError(f"a request cannot say {value!r} (of type {type(value).__name__})")


def _value(key: str, value: Any) -> Any:
    if key in _VECTORS:
        in_memory = floats_of(value)
        if in_memory is not None:
            return in_memory
        numbers = value.tolist() if hasattr(value, "tolist") else value
        vector = vector_of(numbers)
        return plain(numbers) if vector is None else vector
    return plain(value)


def keys(given: Mapping[str, Any]) -> Dict[str, Any]:
    """Keywords as keys of a request; None is the same as not given."""
    if "op" in given:
        raise TypeError("the op is what was called: it is no key of its request")
    try:
        return {key[:-1] if key.endswith("_") else key: _value(key, value)
                for key, value in given.items() if value is not None}
    except RecursionError:
        raise ValueError("the request is nested too deep, or within itself") from None


_ULID_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_URI = re.compile(r"mneme://[A-Za-z]+/([^/#]+)#[0-9]+")


def ulid(raw: Any) -> str:
    """Sixteen bytes, as arrays have them, as the text that is an id."""
    octets = bytes(raw)
    if len(octets) != 16:
        raise ValueError(f"an id is of 16 bytes, not {len(octets)}")
    number = int.from_bytes(octets, "big")
    return "".join(_ULID_DIGITS[number >> shift & 31] for shift in range(125, -1, -5))


def id_of(memory: Any) -> str:
    """Of an id, a uri, a record that has one, or an element of an array of ids."""
    if isinstance(memory, str):
        uri = _URI.fullmatch(memory)
        return uri.group(1) if uri else memory
    if isinstance(memory, Mapping):
        for key in ("id", "topic_id", "uri"):
            if key in memory:
                return id_of(str(memory[key]))
    elif isinstance(memory, bytes) or hasattr(memory, "tobytes"):
        return ulid(memory)
    raise TypeError(f"neither an id nor a record of a memory: {memory!r}")


def uri_of(memory: Any) -> str:
    """Of a uri, or a record that has one. An id does not say its type, which a uri has."""
    if isinstance(memory, str):
        if len(memory) == 26 and memory.isalnum():
            raise InvalidRequest("bad_uri", f"{memory} is an id; here a uri is wanted, or a record that has one, "
                                 "such as world.get(id)", "uri")
        return memory
    if isinstance(memory, Mapping) and "uri" in memory:
        return str(memory["uri"])
    raise TypeError(f"neither a uri nor a record that has one: {memory!r}")


def named(memory: Any) -> Dict[str, str]:
    """Of an id, a uri, or a record that has one: what a change names a memory by, under the key that it is. An id
    means it as it is then."""
    if isinstance(memory, Mapping) and "uri" in memory:
        return {"uri": str(memory["uri"])}
    name = memory if isinstance(memory, str) else id_of(memory)
    return {"uri" if name.startswith("mneme:") else "id": name}


def listed(items: Iterable[T], kind: Type[T], name: str) -> List[T]:
    """The items, all of the kind; a text is not taken for the list of its letters."""
    if isinstance(items, (str, bytes)):
        raise TypeError(f"{name} is a list, not one text: {items!r}")
    checked = list(items)
    for item in checked:
        if not isinstance(item, kind):
            raise TypeError(f"{name} has {item!r} where one of {kind.__name__} stands")
    return checked


def whole(answer: JsonAnswer) -> Record:
    return answer if isinstance(answer, Record) else Record(answer)


def _found(key: str) -> Callable[[JsonAnswer], Found]:
    def read(answer: JsonAnswer) -> Found:
        return Found(answer.pop(key, []), whole(answer))
    return read


def _part(key: str) -> Callable[[JsonAnswer], Record]:
    def read(answer: JsonAnswer) -> Record:
        return whole(answer[key])
    return read


def ask(op: str, **request: Any) -> Ask[Record]:
    """Any request; the answer as it is."""
    if not isinstance(op, str):
        raise TypeError(f"an op is a text, not {op!r}")
    return Ask(op, keys(request), whole)


# Writes.

def _text_of(payload: Any) -> Any:
    """JSON of the caller's own: text as it is, anything else as json.dumps has it. What has a number that JSON does
    not have stays as it is: it is refused when it is asked, with its place, and in a tick alone."""
    if payload is None or isinstance(payload, str):
        return payload
    try:
        return json.dumps(payload, ensure_ascii=False, allow_nan=False)
    except ValueError:
        if unsayable(payload) is None:
            raise
        return payload


def write(type: str, data: Optional[Mapping[str, Any]] = None, *, payload: Any = None,
          **more: Any) -> Ask[Record]:
    return Ask("write", keys({"type": type, "data": data or {}, "payload": _text_of(payload), **more}), whole)


def put(namespace: str, key: str, type: str, data: Optional[Mapping[str, Any]] = None,
        payload: Any = None, **more: Any) -> Ask[Record]:
    return Ask("put", keys({"namespace": namespace, "key": key, "type": type, "data": data or {},
                            "payload": _text_of(payload), **more}), whole)


def delete_by(namespace: str, key: str, **more: Any) -> Ask[Record]:
    return Ask("delete_by", keys({"namespace": namespace, "key": key, **more}), whole)


def sweep(**more: Any) -> Ask[Record]:
    return Ask("sweep", keys(more), whole)


def trim(before: Optional[int] = None, **more: Any) -> Ask[Record]:
    return Ask("trim", keys({"before": before, **more}), whole)


def update(memory: Memory, data: Optional[Mapping[str, Any]] = None, *, payload: Any = None,
           **more: Any) -> Ask[Record]:
    return Ask("update", {**named(memory), **keys({"data": data, "payload": _text_of(payload), **more})},
               whole)


def update_head(memory: Memory, **more: Any) -> Ask[Record]:
    return Ask("update_head", {**named(memory), **keys(more)}, whole)


def tombstone(memory: Memory, reason: str = "", **more: Any) -> Ask[Record]:
    return Ask("tombstone", {**named(memory), "reason": reason, **keys(more)}, whole)


def restore(memory: Memory, **more: Any) -> Ask[Record]:
    return Ask("restore", {"id": id_of(memory), **keys(more)}, whole)


def add_edge(src: Memory, type: str, dst: Memory, **more: Any) -> Ask[Record]:
    return Ask("add_edge", {"src": id_of(src), "type": type, "dst": id_of(dst), **keys(more)}, whole)


def remove_edge(src: Memory, type: str, dst: Memory, **more: Any) -> Ask[Record]:
    return Ask("remove_edge", {"src": id_of(src), "type": type, "dst": id_of(dst), **keys(more)},
               whole)


def ingest(placement: str, **more: Any) -> Ask[Record]:
    return Ask("ingest", {"placement": placement, **keys(more)}, whole)


def forget_matching(words: str, **more: Any) -> Ask[Record]:
    return Ask("forget_matching", {"words": words, **keys(more)}, whole)


def supersede_matching(write: Ask[Record], **more: Any) -> Ask[Record]:
    return Ask("supersede_matching", {"write": listed([write], Ask, "write")[0].request, **keys(more)},
               whole)


# Reads.

def get(memory: Memory, **more: Any) -> Ask[Record]:
    return Ask("get", {"id": id_of(memory), **keys(more)}, _part("memory"))


def get_by(namespace: str, key: str, **more: Any) -> Ask[Record]:
    return Ask("get", keys({"namespace": namespace, "key": key, **more}), _part("memory"))


def _types(types: Sequence[str], more: Mapping[str, Any]) -> Dict[str, Any]:
    if types and "types" in more:
        raise TypeError("types are given twice: by place and by name")
    return {"types": listed(types, str, "types")} if types else {}


def list_(*types: str, **more: Any) -> Ask[Found]:
    given = _types(types, more)
    return Ask("list", {**given, **keys(more)}, _found("memories"))


def history(memory: Optional[Memory] = None, **more: Any) -> Ask[Found]:
    named = {} if memory is None else {"id": id_of(memory)}
    return Ask("history", {**named, **keys(more)}, _found("versions"))


def changes(*types: str, **more: Any) -> Ask[Found]:
    given = _types(types, more)
    return Ask("changes", {**given, **keys(more)}, _found("changes"))


def namespaces(**more: Any) -> Ask[Found]:
    return Ask("namespaces", keys(more), _found("namespaces"))


def actors(**more: Any) -> Ask[Found]:
    return Ask("actors", keys(more), _found("actors"))


def resolve(uri: Memory, **more: Any) -> Ask[Record]:
    return Ask("resolve", {"uri": uri_of(uri), **keys(more)}, _part("memory"))


def edges(memory: Memory, **more: Any) -> Ask[Found]:
    return Ask("edges", {"id": id_of(memory), **keys(more)}, _found("edges"))


def stale_of(memory: Memory, **more: Any) -> Ask[Found]:
    return Ask("stale_of", {"id": id_of(memory), **keys(more)}, _found("memories"))


def find(*types: str, **more: Any) -> Ask[Found]:
    given = _types(types, more)
    return Ask("find", {**given, **keys(more)}, _found("memories"))


def search(query: str, **more: Any) -> Ask[Found]:
    return Ask("search", {"query": query, **keys(more)}, _found("results"))


def retrieve(q: Optional[str] = None, **more: Any) -> Ask[Found]:
    asked = {} if q is None else {"q": q}
    return Ask("retrieve", {**asked, **keys(more)}, _found("candidates"))


def chroma(hashtags: Iterable[str], **more: Any) -> Ask[Found]:
    return Ask("chroma", {"hashtags": listed(hashtags, str, "hashtags"), **keys(more)}, _found("results"))


def context(**more: Any) -> Ask[Record]:
    return Ask("context", keys(more), whole)


def absent(query: Optional[str] = None, **more: Any) -> Ask[Record]:
    return Ask("absent", keys({"query": query, **more}), whole)


def replay_receipt(receipt: Mapping[str, Any], **more: Any) -> Ask[Record]:
    return Ask("replay_receipt", keys({"receipt": receipt, **more}), whole)


def weights(**more: Any) -> Ask[Record]:
    return Ask("weights", keys(more), whole)


def set_weights(weights: Optional[str] = None, **more: Any) -> Ask[Record]:
    return Ask("set_weights", keys({"weights": weights, **more}), whole)


def prove(**more: Any) -> Ask[Record]:
    return Ask("prove", keys(more), whole)


def verify(**more: Any) -> Ask[Record]:
    return Ask("verify", keys(more), whole)


def root(at_seq: Optional[int] = None, **more: Any) -> Ask[Record]:
    return Ask("root", keys({"at_seq": at_seq, **more}), whole)


def journal(**more: Any) -> Ask[Found]:
    return Ask("journal", keys(more), _found("entries"))


# Many at once.

def batch(items: Iterable[Ask[Any]], **more: Any) -> Ask[List[Any]]:
    asked: List[Ask[Any]] = listed(items, Ask, "items")

    def read(answer: JsonAnswer) -> List[Any]:
        for said in answer["results"]:
            said.pop("ok", None)
        return [one.read(said) for one, said in zip(asked, answer["results"])]
    return Ask("batch", {"items": [one.item() for one in asked], **keys(more)}, read)


def tick(reads: Iterable[Ask[Any]] = (), writes: Iterable[Ask[Any]] = (),
         **more: Any) -> Ask[Tick]:
    asked: List[Ask[Any]] = listed(reads, Ask, "reads")
    written: List[Ask[Any]] = listed(writes, Ask, "writes")

    def each(asks: List[Ask[Any]], answers: List[Any]) -> List[Any]:
        return [_Unread(said, one.read) if isinstance(said, bytes) else _outcome(said, one.read)
                for one, said in zip(asks, answers)]

    def read(answer: JsonAnswer) -> Tick:
        return Tick(each(asked, answer["reads"]), each(written, answer["writes"]),
                    answer.get("seq"))
    return Ask("tick", {"reads": [one.item() for one in asked],
                        "writes": [one.item() for one in written], **keys(more)}, read)


#: So many items are left out of a tick one by one, each for a refusal of the whole; with more it stays refused.
_MOST_NAMED = 100
_ITEM = re.compile(r"(reads|writes)\[(\d+)\]\.?")


def is_of_an_item(refused: MnemeError) -> bool:
    """A tick that was refused, and did nothing, for what cannot be read in one of its items."""
    return isinstance(refused, InvalidRequest) and _ITEM.match(refused.at or "") is not None


class SayableTick:
    """A tick without the items that cannot be said: `ask` is what is left, and `told` puts the refusals of
    those, each asked alone, where they belong. What else is not read is left out when a refusal names it."""

    def __init__(self, tick: Ask[Tick]) -> None:
        self._request = tick.request
        self._answer = tick.read
        self.left_out: Dict[str, Dict[int, Ask[Any]]] = {}
        self._named: Dict[str, Dict[int, MnemeError]] = {"reads": {}, "writes": {}}
        self._left: Dict[str, List[int]] = {}  # the places of what is asked together
        for key in self._named:
            items = tick.request[key]
            self.left_out[key] = {place: Ask(item["op"], {name: value for name, value in item.items() if name != "op"},
                                             whole)
                                  for place, item in enumerate(items) if not can_be_said(item)}
            self._left[key] = [place for place in range(len(items)) if place not in self.left_out[key]]

    @property
    def ask(self) -> Ask[JsonAnswer]:
        items = {key: [self._request[key][place] for place in left] for key, left in self._left.items()}
        return Ask("tick", {**self._request, **items}, dict)

    def leave_out(self, refused: MnemeError) -> None:
        """The item for which `ask` was refused; a refusal that is of none is raised."""
        item = _ITEM.match(refused.at or "")
        is_too_many = sum(map(len, self._named.values())) >= _MOST_NAMED
        if item is None:
            raise refused
        if is_too_many or not is_of_an_item(refused):
            raise error_of({"error": placed(error_told(refused), self._as_given)})
        its, where = item[0].rstrip("."), int(item[2])
        alone = error_told(refused)
        of_it = [fault for fault in alone.get("faults", ()) if str(fault["at"]).startswith(its)]
        if len(of_it) < len(alone.get("faults", ())):
            alone["message"] = told_at_once(of_it)
            alone["faults"] = of_it
        alone = placed(alone, lambda at: at[len(its):].lstrip(".") if at.startswith(its) else at)
        self._named[item[1]][self._left[item[1]].pop(where)] = error_of({"error": alone})

    def _as_given(self, at: str) -> str:
        """The place in the tick as it was given that is this one of what is asked together."""
        item = _ITEM.match(at)
        return at if item is None else f"{item[1]}[{self._left[item[1]][int(item[2])]}]{at[item.end(2) + 1:]}"

    def told(self, answer: JsonAnswer, refusals: Mapping[str, Mapping[int, MnemeError]]) -> Tick:
        for key, named in self._named.items():
            refused = {**refusals[key], **named}
            for place, why in sorted(refused.items()):
                answer[key].insert(place, {"ok": False, "error": error_told(why)})
            for place, item in enumerate(answer[key]):
                if not item.get("ok"):
                    # Where it stood among those that were asked together, or alone.
                    inner = re.compile(rf"{key}\[\d+\]\.?" if place not in refused else "")
                    item["error"] = placed(item["error"], _moved(inner, f"{key}[{place}]"))
        return self._answer(answer)


def _moved(inner: "re.Pattern[str]", outer: str) -> Callable[[str], str]:
    """What a place within `inner` is within `outer`."""
    def moved(at: str) -> str:
        found = inner.match(at)
        rest = at[found.end():] if found else at
        return f"{outer}.{rest}" if rest else outer
    return moved
