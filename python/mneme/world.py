"""A world, of this process or of a server, asked call by call."""

from types import TracebackType
from typing import (TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Mapping, Optional, Protocol,
                    Sequence, Type, TypeVar)

from . import asks
from .asks import Ask, Memory, Tick
from .errors import MnemeError
from .feed import Changes
from .records import Found, Record

if TYPE_CHECKING:
    from .aio import AsyncWorld
    from .arrays import Round

T = TypeVar("T")


class Backend(Protocol):
    """What runs requests: `library.Engine`, `server.Server`, or a stand-in of a test's own."""

    opened: Dict[str, Any]
    wait_ms: int  #: how long one call may wait for a change

    def call(self, op: str, request: Dict[str, Any]) -> Dict[str, Any]: ...

    def call_later(self, op: str, request: Dict[str, Any],
                   then: Callable[[Dict[str, Any]], None]) -> None: ...

    def close(self) -> None: ...


class World:
    """An open world. Each method is an op of `mneme help ops`, and its keywords are the op's keys.
    From any thread; the interpreter is free meanwhile. A refusal raises a MnemeError, and changed
    nothing."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend

    def run(self, ask: Ask[T]) -> T:
        """Runs a request that was made with `asks`."""
        return ask.answer(self.backend.call(ask.op, ask.request))

    def call(self, op: str, **request: Any) -> Record:
        """Any op, by name; the answer as it is."""
        return self.run(asks.ask(op, **request))

    @property
    def opened(self) -> Record:
        """What opening found: world, seq, embedder, and what it repaired. It stays as it was then: `joined`
        says that another program had the world open, also after this one has taken it over."""
        return asks.whole(dict(self.backend.opened))

    def stats(self) -> Record:
        """Counts and sizes."""
        return self.call("stats")

    def verify(self, **more: Any) -> Record:
        """Reads the whole journal again and checks it: root, seq, entries, frames and segments. Corrupt: what is
        wrong with it."""
        return self.run(asks.verify(**more))

    def checkpoint(self) -> Record:
        """Makes the next open fast."""
        return self.call("checkpoint")

    def write(self, type: str, data: Optional[Mapping[str, Any]] = None, **more: Any) -> Record:
        """A new memory: its type, its data, and what else the op `write` takes (tags, actor, id, payload as
        `put` has it, …). Answers id, uri, version and seq."""
        return self.run(asks.write(type, data, **more))

    def update(self, memory: Memory, data: Optional[Mapping[str, Any]] = None, **more: Any) -> Record:
        """A new version: `data` whole, or replace={...} for one span of its text; `payload` as `put` has it.
        The memory is a uri, or a record that has one; update_head, tombstone and resolve want the same."""
        return self.run(asks.update(memory, data, **more))

    def update_head(self, memory: Memory, **more: Any) -> Record:
        """Tags, frames, importance, visibility, lifecycle or metadata; or affirm=True."""
        return self.run(asks.update_head(memory, **more))

    def tombstone(self, memory: Memory, reason: str = "", **more: Any) -> Record:
        """Takes it out of every answer; `restore` brings it back."""
        return self.run(asks.tombstone(memory, reason, **more))

    def restore(self, memory: Memory, **more: Any) -> Record:
        """Brings back what was tombstoned or forgotten, as it was."""
        return self.run(asks.restore(memory, **more))

    def add_edge(self, src: Memory, type: str, dst: Memory, **more: Any) -> Record:
        """A typed edge, such as "derived_from"."""
        return self.run(asks.add_edge(src, type, dst, **more))

    def remove_edge(self, src: Memory, type: str, dst: Memory, **more: Any) -> Record:
        """Ends an edge."""
        return self.run(asks.remove_edge(src, type, dst, **more))

    def ingest(self, placement: str, **more: Any) -> Record:
        """A topic with fields: "new_topic" with title and fields, and so on."""
        return self.run(asks.ingest(placement, **more))

    def forget_matching(self, words: str, **more: Any) -> Record:
        """Forgets what words mean; dry_run=True shows what that is."""
        return self.run(asks.forget_matching(words, **more))

    def supersede_matching(self, write: Ask[Record], **more: Any) -> Record:
        """Writes asks.write(…) in place of what said the old, in one step."""
        return self.run(asks.supersede_matching(write, **more))

    def batch(self, items: Iterable[Ask[Any]], **more: Any) -> List[Any]:
        """Many writes, all or none."""
        return self.run(asks.batch(items, **more))

    def load(self, items: Iterable[Ask[Any]], batch: int = 256, **more: Any) -> Record:
        """Writes all of the items, asks.write(…) and other writes, in their order, a batch at a time; the next
        batch is made and encoded while the one before is committed. Answers how many were `written`, and the
        last `seq`. The first batch that is refused ends it: `at` of the error counts items from the first of
        the load, and its details say how many were `written` before. A batch ends also at about 4 MiB. What
        `items` raises passes as it is; had the batch before been refused, that is raised instead, and this is its
        `__context__`."""
        from .load import load
        return load(self.backend, items, batch, more)

    def tick(self, reads: Iterable[Ask[Any]] = (), writes: Iterable[Ask[Any]] = (), **more: Any) -> Tick:
        """Reads and writes of many agents as one: the reads see one moment, the writes are one commit, and
        what fails, fails alone."""
        ask = asks.tick(reads, writes, **more)
        try:
            return self._run_tick(ask)
        except MnemeError as refused:
            if not asks.is_of_an_item(refused):
                raise
        rest = asks.SayableTick(ask)
        while True:
            try:
                answer = self.run(rest.ask)
                break
            except MnemeError as refused:
                rest.leave_out(refused)
        return rest.told(answer, {key: {place: self._refusal(one) for place, one in left.items()}
                                  for key, left in rest.left_out.items()})

    def _run_tick(self, ask: Ask[Tick]) -> Tick:
        """What its reads found is parsed where it is looked at, if the backend has it in parts."""
        in_parts: Optional[Callable[[Dict[str, Any]], Dict[str, Any]]] = getattr(self.backend, "call_in_parts", None)
        return self.run(ask) if in_parts is None else ask.answer(in_parts(ask.request))

    def _refusal(self, ask: Ask[Any]) -> MnemeError:
        try:
            self.run(ask)
        except MnemeError as refused:
            return refused
        raise AssertionError(f"{ask.op} was to be refused")

    def get(self, memory: Memory, **more: Any) -> Record:
        """The newest version of a memory."""
        return self.run(asks.get(memory, **more))

    def resolve(self, uri: Memory, **more: Any) -> Record:
        """Exactly the version that the uri names."""
        return self.run(asks.resolve(uri, **more))

    def put(self, namespace: str, key: str, type: str, data: Optional[Mapping[str, Any]] = None,
            payload: Any = None, **more: Any) -> Record:
        """Writes the memory that has the key, or makes it; what was tombstoned is back. `payload` is JSON of
        your own: text as it is, anything else as json.dumps has it. Answers also an `outcome`: "created",
        "updated" or "revived"."""
        return self.run(asks.put(namespace, key, type, data, payload, **more))

    def delete_by(self, namespace: str, key: str, **more: Any) -> Record:
        """Tombstones the memory that has the key; `changed` says whether there was one."""
        return self.run(asks.delete_by(namespace, key, **more))

    def sweep(self, **more: Any) -> Record:
        """Tombstones what has expired (expires_at): `swept` are its ids."""
        return self.run(asks.sweep(**more))

    def trim(self, before: Optional[int] = None, **more: Any) -> Record:
        """Drops how the world was used before a seq (or before_time=…, or so far); what was said
        stays. versions=True: also what memories said before that and have said otherwise since."""
        return self.run(asks.trim(before, **more))

    def get_by(self, namespace: str, key: str, **more: Any) -> Record:
        """The newest version of the memory that has the key."""
        return self.run(asks.get_by(namespace, key, **more))

    def history(self, memory: Optional[Memory] = None, **more: Any) -> Found:
        """All versions of a memory (or of namespace=…, key=…), newest first, with what each changed."""
        return self.run(asks.history(memory, **more))

    def namespaces(self, **more: Any) -> Found:
        """The namespaces of keys, and how many memories each has."""
        return self.run(asks.namespaces(**more))

    def actors(self, **more: Any) -> Found:
        """The actors, and how many memories each has."""
        return self.run(asks.actors(**more))

    def list(self, *types: str, **more: Any) -> Found:
        """What there is, newest first; `answer.next` is the cursor of the next page."""
        return self.run(asks.list_(*types, **more))

    def edges(self, memory: Memory, **more: Any) -> Found:
        """The edges of a memory, out first, then in."""
        return self.run(asks.edges(memory, **more))

    def stale_of(self, memory: Memory, **more: Any) -> Found:
        """What rests on a memory that has fallen."""
        return self.run(asks.stale_of(memory, **more))

    def find(self, *types: str, **more: Any) -> Found:
        """The typed query: types, where, tags, near, from_, order_by, limit, …"""
        return self.run(asks.find(*types, **more))

    def search(self, query: str, **more: Any) -> Found:
        """Memories and chunks by words and meaning, best first."""
        return self.run(asks.search(query, **more))

    def retrieve(self, q: Optional[str] = None, **more: Any) -> Found:
        """Topics near to a question (or query=…), with their fields and what these were."""
        return self.run(asks.retrieve(q, **more))

    def chroma(self, hashtags: Iterable[str], **more: Any) -> Found:
        """What is near in colour, recent and strong."""
        return self.run(asks.chroma(hashtags, **more))

    def context(self, **more: Any) -> Record:
        """What an agent should know first: actor=…, query=…, budget_tokens=…."""
        return self.run(asks.context(**more))

    def absent(self, query: Optional[str] = None, **more: Any) -> Record:
        """Whether nothing that holds says this; ids=[…] and fields=[…] that are to be nowhere come with proofs."""
        return self.run(asks.absent(query, **more))

    def replay_receipt(self, receipt: Mapping[str, Any], **more: Any) -> Record:
        """Asks again what the receipt of an answer (receipt=True) says was asked: `equal`, or `differences`."""
        return self.run(asks.replay_receipt(receipt, **more))

    def weights(self, **more: Any) -> Record:
        """The weights by which search ranks, and who set them."""
        return self.run(asks.weights(**more))

    def set_weights(self, weights: Optional[str] = None, **more: Any) -> Record:
        """Sets them for the world, "text=0.5,recency=0.1"; reset=True takes those that it was made with."""
        return self.run(asks.set_weights(weights, **more))

    def prove(self, **more: Any) -> Record:
        """Proofs that memories, edges, fields or entries are, or are not, under a root."""
        return self.run(asks.prove(**more))

    def root(self, at_seq: Optional[int] = None, **more: Any) -> Record:
        """The root over all state, now or as of a seq."""
        return self.run(asks.root(at_seq, **more))

    def journal(self, **more: Any) -> Found:
        """Entries of the journal."""
        return self.run(asks.journal(**more))

    def changes(self, *types: str, **more: Any) -> Found:
        """A page of what was committed behind since=SEQ, in order; `answer.next` is where the next one
        begins. kinds, made_by, owners, namespaces, tags, ids, with_record=True, wait_ms, …"""
        return self.run(asks.changes(*types, **more))

    def subscribe(self, *types: str, since: Optional[int] = None, **more: Any) -> Changes:
        """An iterator over changes as they are committed, behind `since` or from now on; filters are those
        of `changes`. Its `seq` is where to go on another time."""
        return Changes(self.backend, asks.changes(*types, since=since, **more).request)

    def tick_arrays(self, queries: Any = None, k: int = 5,
                    askers: Optional[Sequence[str]] = None,
                    find: Optional[Mapping[str, Any]] = None,
                    texts: Optional[Sequence[str]] = None,
                    writers: Optional[Sequence[str]] = None, vectors: Any = None,
                    write: Optional[Mapping[str, Any]] = None, text_field: Optional[str] = None,
                    with_texts: bool = False) -> "Round":
        """A tick in numpy arrays: each row of `queries` (asks, dim) is what one agent looks for, and
        each of `texts` what one writes.

        k                 of the nearest memories, for each ask
        askers, writers   who asks and who writes, one name for each; without: the host
        find, write       what else all finds and all writes have: {"types": ["Note"]}, {"tags": [...]}
        vectors           (writes, dim) of the texts; without: the world's embedder makes them
        text_field        of the data that a text is; "statement" by default
        with_texts        the texts of what was found come, too

        float32 arrays whose rows lie one behind the other are used where they are. A world of a
        server has no arrays: TypeError."""
        from .arrays import tick_arrays
        call = getattr(self.backend, "tick_arrays", None)
        if call is None:
            raise TypeError("arrays go to a world of this process alone: use tick()")
        return tick_arrays(call, queries, k, askers, find, texts, writers, vectors, write,
                           text_field, with_texts)

    def awaited(self) -> "AsyncWorld":
        """The same world, to be awaited: the calls of one turn of the event loop become one tick."""
        from .aio import AsyncWorld
        return AsyncWorld(self)

    def close(self) -> None:
        """Closes it; of a server, lets go of it."""
        self.backend.close()

    def __enter__(self) -> "World":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], problem: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def __repr__(self) -> str:
        told = ", ".join(f"{key}={value!r}" for key, value in self.backend.opened.items()
                         if key in ("url", "world", "seq"))
        return f"<mneme.World {told}>"
