"""LangGraph's store over a mneme world.

    from mneme.adapters.langgraph import MnemeStore

    store = MnemeStore(index={"dims": 1536, "embed": embeddings, "fields": ["text"]}, world=world)
    store.put(("users", "ana"), "tea", {"text": "drinks her tea at five"})
    store.search(("users",), query="when is tea?", limit=3)
    graph = builder.compile(store=store)

The signatures and results are those of langgraph.store.base.BaseStore (langgraph-checkpoint 4.2).
"""

import asyncio
import datetime
import inspect
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import (TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Mapping, NamedTuple, Optional,
                    Sequence, Set, Tuple)

from .external_key import KeyedValues, Kept, Namespace, Write, kept_of
from .frameworks import found
from .json_paths import texts_at
from .portions import found_in_pages, portions, read_in_portions
from .shelf import has_direction

if TYPE_CHECKING:
    from ..world import World

_ALL = 1_000_000_000
_BY_CONFIG: Any = object()  # a time to live that nobody gave
_Waiting = Tuple[List[Any], "asyncio.Future[List[Any]]"]  # ops, and whom their answers are for


class GetOp(NamedTuple):
    """Stands in for LangGraph's own where LangGraph is not installed, as those below do."""

    namespace: Namespace
    key: str
    refresh_ttl: bool = True


class SearchOp(NamedTuple):
    namespace_prefix: Namespace
    filter: Optional[Dict[str, Any]] = None
    limit: int = 10
    offset: int = 0
    query: Optional[str] = None
    refresh_ttl: bool = True


class MatchCondition(NamedTuple):
    match_type: str
    path: Namespace


class ListNamespacesOp(NamedTuple):
    match_conditions: Optional[Tuple[MatchCondition, ...]] = None
    max_depth: Optional[int] = None
    limit: int = 100
    offset: int = 0


class PutOp(NamedTuple):
    namespace: Namespace
    key: str
    value: Optional[Dict[str, Any]]
    index: Any = None
    ttl: Optional[float] = None


class Item:
    """A value, and when it was put there first and last."""

    def __init__(self, *, value: Dict[str, Any], key: str, namespace: Namespace,
                 created_at: datetime.datetime, updated_at: datetime.datetime) -> None:
        self.value, self.key, self.namespace = value, key, tuple(namespace)
        self.created_at, self.updated_at = created_at, updated_at

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Item) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((self.namespace, self.key))

    def dict(self) -> Dict[str, Any]:
        return {"namespace": list(self.namespace), "key": self.key, "value": self.value,
                "created_at": self.created_at.isoformat(), "updated_at": self.updated_at.isoformat()}

    def __repr__(self) -> str:
        return f"Item({self.dict()!r})"


class SearchItem(Item):
    def __init__(self, namespace: Namespace, key: str, value: Dict[str, Any], created_at: datetime.datetime,
                 updated_at: datetime.datetime, score: Optional[float] = None) -> None:
        super().__init__(value=value, key=key, namespace=namespace, created_at=created_at, updated_at=updated_at)
        self.score = score


class InvalidNamespaceError(ValueError):
    """A namespace is of texts that are not empty and have no dot, and "langgraph" is not its root."""


class _Derived:
    """What BaseStore derives from batch and abatch, where LangGraph is not installed."""

    def get(self, namespace: Namespace, key: str, *, refresh_ttl: Optional[bool] = None) -> Any:
        return self.batch([GetOp(namespace, str(key), self._refreshes(refresh_ttl))])[0]

    def search(self, namespace_prefix: Namespace, /, *, query: Optional[str] = None,
               filter: Optional[Dict[str, Any]] = None, limit: int = 10, offset: int = 0,
               refresh_ttl: Optional[bool] = None) -> List[Any]:
        refreshes = self._refreshes(refresh_ttl)
        hits: List[Any] = self.batch([SearchOp(namespace_prefix, filter, limit, offset, query, refreshes)])[0]
        return hits

    def put(self, namespace: Namespace, key: str, value: Dict[str, Any], index: Any = None, *,
            ttl: Any = _BY_CONFIG) -> None:
        _check(namespace)
        self.batch([PutOp(namespace, str(key), value, index, self._minutes(ttl))])

    def delete(self, namespace: Namespace, key: str) -> None:
        self.batch([PutOp(namespace, str(key), None)])

    def list_namespaces(self, *, prefix: Optional[Namespace] = None, suffix: Optional[Namespace] = None,
                        max_depth: Optional[int] = None, limit: int = 100, offset: int = 0) -> List[Namespace]:
        names: List[Namespace] = self.batch([_listing(prefix, suffix, max_depth, limit, offset)])[0]
        return names

    async def aget(self, namespace: Namespace, key: str, *, refresh_ttl: Optional[bool] = None) -> Any:
        return (await self.abatch([GetOp(namespace, str(key), self._refreshes(refresh_ttl))]))[0]

    async def asearch(self, namespace_prefix: Namespace, /, *, query: Optional[str] = None,
                      filter: Optional[Dict[str, Any]] = None, limit: int = 10, offset: int = 0,
                      refresh_ttl: Optional[bool] = None) -> List[Any]:
        refreshes = self._refreshes(refresh_ttl)
        hits: List[Any] = (await self.abatch(
            [SearchOp(namespace_prefix, filter, limit, offset, query, refreshes)]))[0]
        return hits

    async def aput(self, namespace: Namespace, key: str, value: Dict[str, Any], index: Any = None, *,
                   ttl: Any = _BY_CONFIG) -> None:
        _check(namespace)
        await self.abatch([PutOp(namespace, str(key), value, index, self._minutes(ttl))])

    async def adelete(self, namespace: Namespace, key: str) -> None:
        await self.abatch([PutOp(namespace, str(key), None)])

    async def alist_namespaces(self, *, prefix: Optional[Namespace] = None, suffix: Optional[Namespace] = None,
                               max_depth: Optional[int] = None, limit: int = 100,
                               offset: int = 0) -> List[Namespace]:
        names: List[Namespace] = (await self.abatch([_listing(prefix, suffix, max_depth, limit, offset)]))[0]
        return names

    def batch(self, ops: Iterable[Any]) -> List[Any]:
        raise NotImplementedError

    async def abatch(self, ops: Iterable[Any]) -> List[Any]:
        raise NotImplementedError

    def _minutes(self, ttl: Any) -> Optional[float]:
        """A time to live that was given as minutes, a timedelta or a datetime; None is for ever."""
        if ttl is _BY_CONFIG:
            ttl = (getattr(self, "ttl_config", None) or {}).get("default_ttl")
        if isinstance(ttl, datetime.datetime):
            ttl -= datetime.datetime.now(ttl.tzinfo)
        if isinstance(ttl, datetime.timedelta):
            return ttl.total_seconds() / 60
        return None if ttl is None else float(ttl)

    def _refreshes(self, told: Optional[bool]) -> bool:
        config: Mapping[str, Any] = getattr(self, "ttl_config", None) or {}
        return bool(config.get("refresh_on_read", True)) if told is None else told


if TYPE_CHECKING:
    _Base = _Derived
else:
    _Base = found("langgraph.store.base", "BaseStore", _Derived)


def _check(namespace: Namespace) -> None:
    wrong = not namespace or namespace[0] == "langgraph" or any(
        not isinstance(label, str) or not label or "." in label for label in namespace)
    if wrong:
        raise found("langgraph.store.base", "InvalidNamespaceError", InvalidNamespaceError)(
            f"{namespace!r} is no namespace: texts that are not empty and have no dot, the first not langgraph")


def _listing(prefix: Optional[Namespace], suffix: Optional[Namespace], max_depth: Optional[int], limit: int,
             offset: int) -> ListNamespacesOp:
    told = [MatchCondition(kind, path) for kind, path in (("prefix", prefix), ("suffix", suffix)) if path]
    return ListNamespacesOp(tuple(told), max_depth, limit, offset)


class MnemeStore(_Base):
    """Values by namespace and key, with filters, vectors and times to live.

        MnemeStore()                                             # gone with the program
        MnemeStore(world=world)                                  # found again in the world
        MnemeStore(index={"dims": 384, "embed": embed})          # search(query=…): embed is a function of
                                                                 # texts, also async, or LangChain's Embeddings
        MnemeStore(ttl={"default_ttl": 60, "refresh_on_read": True})     # minutes

    The calls of one turn of an event loop are one batch. With an index a world that is given has vectors of
    that length (embedder="none"). `now` gives the seconds since 1970 that a time to live is counted from."""

    supports_ttl = True

    def __init__(self, index: Optional[Mapping[str, Any]] = None, *, ttl: Optional[Mapping[str, Any]] = None,
                 world: Optional["World"] = None, actor: str = "store",
                 now: Callable[[], float] = time.time) -> None:
        from .. import open_in_memory
        self.ttl_config: Any = dict(ttl) if ttl else None
        self.index_config: Any = dict(index) if index else None
        self._world = open_in_memory(embedder="none") if world is None else world
        self._values = KeyedValues(actor)
        self._now = now
        self._lock = threading.RLock()
        self._waiting: Dict[asyncio.AbstractEventLoop, List[_Waiting]] = {}
        self._turns: Set["asyncio.Task[None]"] = set()
        self._worker = ThreadPoolExecutor(1, "mneme-store")

    def batch(self, ops: Iterable[Any]) -> List[Any]:
        """The answers in the order of the ops. Reads see what was there before the puts; of the puts to one
        key the last holds; and the puts are one write, all or none, of up to 10,000 memories and 15 MiB. What
        is more is written in portions, one behind the other."""
        asked = _in_json(ops)
        return self._run(asked, self._embedded(self._texts(asked)))

    async def abatch(self, ops: Iterable[Any]) -> List[Any]:
        """The same, to be awaited, together with what else is asked in this turn of the loop."""
        loop = asyncio.get_running_loop()
        answered: "asyncio.Future[List[Any]]" = loop.create_future()
        waiting = self._waiting.setdefault(loop, [])
        waiting.append((list(ops), answered))
        if len(waiting) == 1:
            loop.call_soon(self._start_turn, loop)
        return await answered

    def sweep_ttl(self) -> int:
        """Takes out what has expired. How many that were."""
        with self._lock:
            rows = found_in_pages(self._world, self._values.under((), {}, _ALL))
            gone = [kept for kept in map(kept_of, rows) if self._expired(kept)]
            beside = read_in_portions(self._world, [self._values.facets(kept.namespace, kept.key)
                                                    for kept in gone])
            self._write([self._values.delete(kept.record, facets) for kept, facets in zip(gone, beside)])
            return len(gone)

    # One batch.

    def _run(self, ops: List[Any], vectors: Mapping[str, List[float]]) -> List[Any]:
        with self._lock:
            puts = {(tuple(op.namespace), op.key): op for op in ops if _kind(op) == "put"}
            keys = [*dict.fromkeys((tuple(op.namespace), op.key) for op in ops if _kind(op) in ("get", "put"))]
            reads = [self._values.get(*key) for key in keys] + [self._values.facets(*key) for key in puts]
            told = read_in_portions(self._world, reads)
            there = {key: kept_of(rows[0]) for key, rows in zip(keys, told) if rows}
            facets = dict(zip(puts, told[len(keys):]))
            touched: Dict[Tuple[Namespace, str], Kept] = {}
            answers = [self._answer(op, there, vectors, touched) for op in ops]
            writes: List[List[Write]] = []  # those of one key stay together
            for key, op in puts.items():
                old = there[key].record if key in there else None
                if op.value is None:
                    writes.append(self._values.delete(old, facets[key]))
                    continue
                passed: List[Write] = []
                if old is not None and self._expired(there[key]):
                    passed = self._values.delete(old, [])  # what is put now is a new one
                    old = None
                ttl: Optional[float] = getattr(op, "ttl", None)
                own = [vectors[text] for text in self._texts_of(op) if has_direction(vectors[text])]
                writes.append(passed + self._values.put(*key, dict(op.value), old, facets[key], own,
                                                        self._expires(ttl), ttl))
            writes += [[self._values.refresh(kept, self._now() + 60 * kept.ttl)] for key, kept in touched.items()
                       if key not in puts and kept.ttl is not None]
            self._write(writes)
            return answers

    def _answer(self, op: Any, there: Mapping[Tuple[Namespace, str], Kept], vectors: Mapping[str, List[float]],
                touched: Dict[Tuple[Namespace, str], Kept]) -> Any:
        kind = _kind(op)
        if kind == "put":
            return None
        if kind == "list":
            return self._namespaces(op)
        if kind == "get":
            kept = there.get((tuple(op.namespace), op.key))
            kept = None if kept is None or self._hidden(kept) else kept
            hits: List[Tuple[Kept, Optional[float]]] = [] if kept is None else [(kept, None)]
        else:
            hits = self._search(op, vectors)
        if getattr(op, "refresh_ttl", True):
            touched.update(((kept.namespace, kept.key), kept) for kept, _ in hits)
        if kind == "get":
            item = found("langgraph.store.base", "Item", Item)
            return item(**_told(hits[0][0])) if hits else None
        searched = found("langgraph.store.base", "SearchItem", SearchItem)
        return [searched(**_told(kept), score=score) for kept, score in hits]

    def _write(self, writes: List[List[Write]]) -> None:
        for portion in portions(writes):
            self._world.batch(portion)

    # Searching.

    def _search(self, op: Any, vectors: Mapping[str, List[float]]) -> List[Tuple[Kept, Optional[float]]]:
        prefix, wanted = tuple(op.namespace_prefix), op.offset + op.limit
        if op.limit <= 0:
            return []

        def fits(kept: Kept) -> bool:
            return kept.namespace[:len(prefix)] == prefix and not self._hidden(kept) \
                and matches(kept.value, op.filter or {})
        hits: List[Tuple[Kept, Optional[float]]] = []
        if op.query and op.query in vectors and has_direction(vectors[op.query]):
            hits += self._near(prefix, vectors[op.query], wanted, fits)
        if len(hits) < wanted:
            near = {(kept.namespace, kept.key) for kept, _ in hits}
            hits += [(kept, None) for kept in self._first(prefix, op.filter or {}, wanted, fits)
                     if (kept.namespace, kept.key) not in near]
        return hits[op.offset:wanted]

    def _near(self, prefix: Namespace, vector: List[float], wanted: int,
              fits: Callable[[Kept], bool]) -> List[Tuple[Kept, Optional[float]]]:
        """The best of each value's vectors, the best first."""
        size = 2 * wanted + 16
        known: Dict[str, Optional[Kept]] = {}
        while True:
            rows = found_in_pages(self._world, self._values.near(prefix, vector, size))
            best: Dict[str, float] = {}
            for row, distance in zip(rows, rows.answer["distances"]):
                best.setdefault(row["metadata"]["of"], 1.0 - distance)
            hits: List[Tuple[Kept, Optional[float]]] = []
            tags = list(best)
            for start in range(0, len(tags), wanted):
                some = tags[start:start + wanted]
                self._look_up([tag for tag in some if tag not in known], known)
                hits += [(kept, best[tag]) for tag in some for kept in [known[tag]]
                         if kept is not None and fits(kept)]
                if len(hits) >= wanted:
                    return hits[:wanted]
            if len(rows) < size:
                return hits
            size *= 4

    def _look_up(self, tags: List[str], known: Dict[str, Optional[Kept]]) -> None:
        told = read_in_portions(self._world, [self._values.of_key_tag(tag) for tag in tags])
        for tag, rows in zip(tags, told):
            known[tag] = kept_of(rows[0]) if rows else None

    def _first(self, prefix: Namespace, filter: Mapping[str, Any], wanted: int,
               fits: Callable[[Kept], bool]) -> List[Kept]:
        """What was written first, and is fit, of as many as are needed."""
        same = {name: told["$eq"] if isinstance(told, dict) and set(told) == {"$eq"} else told
                for name, told in filter.items()}
        size = 2 * wanted + 16
        while True:
            rows = found_in_pages(self._world, self._values.under(prefix, same, size))
            hits = [kept for kept in map(kept_of, rows) if fits(kept)]
            if len(rows) < size or (len(hits) >= 2 * wanted):
                return hits
            size *= 4

    def _namespaces(self, op: Any) -> List[Namespace]:
        conditions = op.match_conditions or ()
        prefix: Namespace = ()
        for condition in conditions:
            if condition.match_type == "prefix":
                path = tuple(condition.path)
                plain = path.index("*") if "*" in path else len(path)
                prefix = max(prefix, path[:plain], key=len)
        names: Set[Namespace] = {kept.namespace for kept in map(
            kept_of, found_in_pages(self._world, self._values.under(prefix, {}, _ALL))) if not self._hidden(kept)}
        matching = {name for name in names if all(_matches_path(condition, name) for condition in conditions)}
        cut = {name if op.max_depth is None else name[:op.max_depth] for name in matching}
        return sorted(cut)[op.offset:op.offset + op.limit]

    # Times to live.

    def _expires(self, ttl: Optional[float]) -> Optional[float]:
        return None if ttl is None else self._now() + 60 * ttl

    def _expired(self, kept: Kept) -> bool:
        return kept.expires is not None and kept.expires <= self._now()

    def _hidden(self, kept: Kept) -> bool:
        return bool((self.ttl_config or {}).get("omit_expired", True)) and self._expired(kept)

    # Vectors.

    def _texts_of(self, op: Any) -> List[str]:
        """The texts of what is put that have a vector each."""
        if not self.index_config or op.value is None or op.index is False:
            return []
        paths = op.index if op.index is not None else self.index_config.get("fields") or ["$"]
        return [text for path in paths for text in texts_at(op.value, path)]

    def _texts(self, ops: Sequence[Any]) -> Tuple[List[str], List[str]]:
        """What is to be embedded: of queries, and of values."""
        last = {(tuple(op.namespace), op.key): op for op in ops if _kind(op) == "put"}
        queries = [op.query for op in ops if _kind(op) == "search" and op.query] if self.index_config else []
        return ([*dict.fromkeys(queries)],
                [*dict.fromkeys(text for op in last.values() for text in self._texts_of(op))])

    def _embedded(self, texts: Tuple[List[str], List[str]]) -> Dict[str, List[float]]:
        queries, documents = texts
        embed: Any = (self.index_config or {}).get("embed")
        if not queries and not documents:
            return {}
        if hasattr(embed, "embed_documents"):
            made = _each(documents, embed.embed_documents(documents)) if documents else {}
            return _plain({**made, **{query: embed.embed_query(query) for query in queries}})
        if _is_async(embed):
            raise ValueError("the embedder is async: use the async methods of the store")
        both = [*dict.fromkeys([*queries, *documents])]
        return _plain(_each(both, _function(embed)(both)))

    async def _awaited(self, texts: Tuple[List[str], List[str]]) -> Dict[str, List[float]]:
        queries, documents = texts
        embed: Any = (self.index_config or {}).get("embed")
        if not queries and not documents:
            return {}
        if hasattr(embed, "aembed_documents"):
            made = _each(documents, await embed.aembed_documents(documents)) if documents else {}
            asked = await asyncio.gather(*(embed.aembed_query(query) for query in queries))
            return _plain({**made, **dict(zip(queries, asked))})
        if _is_async(embed):
            both = [*dict.fromkeys([*queries, *documents])]
            return _plain(_each(both, await _function(embed)(both)))
        return await asyncio.get_running_loop().run_in_executor(self._worker, self._embedded, texts)

    # Turns of an event loop.

    def _start_turn(self, loop: asyncio.AbstractEventLoop) -> None:
        turn = loop.create_task(self._turn(loop, self._waiting.pop(loop)))
        self._turns.add(turn)  # a loop holds its tasks weakly
        turn.add_done_callback(self._turns.discard)

    async def _turn(self, loop: asyncio.AbstractEventLoop, waiting: "List[_Waiting]") -> None:
        try:
            answers = await self._asked(loop, [op for ops, _ in waiting for op in ops])
        except Exception as refused:
            if len(waiting) == 1:
                _settle(waiting[0][1], None, refused)
                return
            for ops, answered in waiting:  # one of them was refused: each for itself
                try:
                    _settle(answered, await self._asked(loop, ops), None)
                except Exception as alone:
                    _settle(answered, None, alone)
            return
        for ops, answered in waiting:
            _settle(answered, answers[:len(ops)], None)
            answers = answers[len(ops):]

    async def _asked(self, loop: asyncio.AbstractEventLoop, ops: List[Any]) -> List[Any]:
        ops = _in_json(ops)
        vectors = await self._awaited(self._texts(ops))
        return await loop.run_in_executor(self._worker, self._run, ops, vectors)


def _settle(answered: "asyncio.Future[List[Any]]", answers: Optional[List[Any]],
            refused: Optional[Exception]) -> None:
    if answered.done():
        return  # nobody waits for it any more
    if refused is not None:
        answered.set_exception(refused)
    else:
        answered.set_result(answers or [])


def _kind(op: Any) -> str:
    for name, kind in (("namespace_prefix", "search"), ("value", "put"), ("match_conditions", "list"),
                       ("key", "get")):
        if hasattr(op, name):
            return kind
    raise ValueError(f"no operation of a store: {op!r}")


def _in_json(ops: Iterable[Any]) -> List[Any]:
    """The ops, and the values of those that put as they will be read: with texts as keys."""
    return [op._replace(value=json.loads(json.dumps(op.value)))
            if _kind(op) == "put" and op.value is not None else op for op in ops]


def _told(kept: Kept) -> Dict[str, Any]:
    return {"namespace": kept.namespace, "key": kept.key, "value": kept.value,
            "created_at": _time(kept.record["created_at"]),
            "updated_at": _time(kept.record["version"]["created_at"])}


def _time(text: str) -> datetime.datetime:
    whole, _, rest = text.rstrip("Z").partition(".")
    return datetime.datetime.fromisoformat(whole).replace(
        microsecond=int(rest[:6].ljust(6, "0")) if rest else 0, tzinfo=datetime.timezone.utc)


def _plain(vectors: Mapping[str, Iterable[Any]]) -> Dict[str, List[float]]:
    return {text: [float(number) for number in vector] for text, vector in vectors.items()}


def _function(embed: Any) -> Callable[[List[str]], Any]:
    if not callable(embed):
        raise ValueError('index["embed"] is a function of texts, or has embed_documents and embed_query')
    function: Callable[[List[str]], Any] = embed
    return function


def _each(texts: List[str], vectors: Iterable[Any]) -> Dict[str, Any]:
    """The vector of each text."""
    made = list(vectors)
    if len(made) != len(texts):
        raise ValueError(f"{len(texts)} texts were to be embedded, and there are {len(made)} vectors")
    return dict(zip(texts, made))


def _is_async(embed: Any) -> bool:
    return inspect.iscoroutinefunction(embed) or inspect.iscoroutinefunction(getattr(embed, "__call__", None))


def _matches_path(condition: Any, name: Namespace) -> bool:
    path = tuple(condition.path)
    if condition.match_type not in ("prefix", "suffix"):
        raise ValueError(f"a namespace is matched by its prefix or its suffix, not by {condition.match_type!r}")
    if len(name) < len(path):
        return False
    part = name[:len(path)] if condition.match_type == "prefix" else name[len(name) - len(path):]
    return all(label in ("*", there) for label, there in zip(path, part))


def matches(value: Mapping[str, Any], filter: Mapping[str, Any]) -> bool:
    """Whether a value has all that a filter asks for: {"a": 1}, {"a": {"b": 1}}, {"a.b": 1}, {"a": {"$gt":
    1}}."""
    return all(_compared(value[name] if name in value else _dotted(value, name), told)
               for name, told in filter.items())


def _dotted(value: Any, name: str) -> Any:
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _compared(value: Any, told: Any) -> bool:
    if isinstance(told, Mapping):
        if any(name.startswith("$") for name in told):
            return all(_operated(value, operator, operand) for operator, operand in told.items())
        return isinstance(value, Mapping) and all(
            _compared(value.get(name), inner) for name, inner in told.items())
    if isinstance(told, (list, tuple)):
        return isinstance(value, (list, tuple)) and len(value) == len(told) \
            and all(_compared(one, other) for one, other in zip(value, told))
    return bool(value == told)


def _operated(value: Any, operator: str, operand: Any) -> bool:
    if operator in ("$eq", "$ne"):
        return bool(value == operand) == (operator == "$eq")
    if operator in ("$in", "$nin"):
        return (value in operand) == (operator == "$in")
    if operator not in ("$gt", "$gte", "$lt", "$lte"):
        raise ValueError(f"unknown operator {operator!r}: $eq, $ne, $gt, $gte, $lt, $lte, $in or $nin")
    try:
        difference = float(value) - float(operand)
    except (TypeError, ValueError):
        return False  # what is no number is neither more nor less
    return {"$gt": difference > 0, "$gte": difference >= 0, "$lt": difference < 0, "$lte": difference <= 0}[
        operator]
