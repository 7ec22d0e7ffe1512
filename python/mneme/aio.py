"""A world that is awaited. Calls of one turn of the event loop go to the engine together, as one tick:

    async with world.awaited() as town:
        mine, hers = await asyncio.gather(town.search("tea"), town.search("harbour"))

A tick's reads see the world as of its start: what is written in the same turn is not in them. Await the
write first where it has to be.
"""

import asyncio
import collections
import threading
from types import TracebackType
from typing import (Any, Callable, Deque, Dict, Iterable, List, Mapping, Optional, Tuple, Type, TypeVar)

from . import asks, feed
from .asks import Ask, Memory, Tick
from .errors import MnemeError, NotFinite, placed
from .load import Loading
from .records import Found, Record
from .world import World

T = TypeVar("T")

#: What may be an item of a tick, with no more keys than an item takes.
_READS = frozenset(("find", "context", "retrieve", "chroma", "search", "get", "resolve", "edges"))
_WRITES = frozenset(("write", "update", "update_head", "tombstone", "add_edge", "remove_edge",
                     "put", "delete_by"))
_ALONE = frozenset(("deadline_ms", "receipt"))
#: A call may wait so long for changes; more is refused at once.
_MOST_WAITED_MS = 60_000
#: A tick takes no more reads, and no more writes.
_MOST = 25_000
#: A tick that is refused with one of these, or for one of its items, did nothing: its parts are asked one by one.
_SPLIT = frozenset(("bad_json", "bad_utf8", "line_too_long", "limit_exceeded"))

_Waiting = Tuple[Ask[Any], "asyncio.Future[Any]"]


class AsyncWorld:
    """The methods of World, to be awaited. It belongs to one event loop at a time: RuntimeError in
    another one while that is open.

    One request is under way at a time, in the order in which they were asked, so that the same calls
    have the same outcome in every run; what is asked meanwhile goes together in the next. Only who waits
    for changes does so beside them."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._asked: Deque[_Waiting] = collections.deque()
        self._is_busy = False  # a request is under way, or will be at the end of the turn

    def _join_loop(self) -> asyncio.AbstractEventLoop:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            if self._loop is not None and not self._loop.is_closed():
                raise RuntimeError("this AsyncWorld belongs to another event loop; make one for "
                                   "each: world.awaited()")
            self._loop, self._is_busy = loop, False
            self._asked.clear()  # whoever asked is gone with his loop
        return loop

    async def run(self, ask: Ask[T]) -> T:
        """Runs a request that was made with `asks`, together with what else this turn asks."""
        loop = self._join_loop()
        answer: "asyncio.Future[T]" = loop.create_future()
        self._asked.append((ask, answer))
        if not self._is_busy:
            self._is_busy = True
            loop.call_soon(self._send_next, loop)
        return await answer

    def _send_next(self, loop: asyncio.AbstractEventLoop) -> None:
        """What has been asked by now, as far as it goes together."""
        if self._loop is not loop:
            return
        together: List[_Waiting] = []
        while self._asked:
            goes_along = _goes_along(self._asked[0][0])
            if together and (not goes_along or len(together) == _MOST):
                break
            together.append(self._asked.popleft())
            if not goes_along:
                break
        together = [one for one in together if not one[1].done()]  # who was cancelled before
        if together and _waits(together[0][0]):
            self._wait_beside(loop, *together.pop())
        if together:
            self._send(loop, together)
        elif self._asked:
            loop.call_soon(self._send_next, loop)
        else:
            self._is_busy = False

    def _send(self, loop: asyncio.AbstractEventLoop, waiting: List[_Waiting]) -> None:
        reads = [one for one in waiting if one[0].op in _READS]
        writes = [one for one in waiting if one[0].op in _WRITES]
        ordered = waiting if len(waiting) == 1 else reads + writes
        op, request = waiting[0][0].op, waiting[0][0].request
        if len(waiting) > 1:
            op, request = "tick", {"reads": [ask.item() for ask, _ in reads],
                                   "writes": [ask.item() for ask, _ in writes]}

        def answered(said: Dict[str, Any]) -> None:
            _tell(loop, self._share, loop, said, ordered)
        try:
            self.world.backend.call_later(op, request, answered)
        except Exception as problem:
            # A value that cannot be said is in one of them.
            is_of_one = not isinstance(problem, MnemeError) or isinstance(problem, NotFinite)
            if is_of_one and len(ordered) > 1:
                self._one_by_one(loop, ordered)
            else:
                self._refuse(loop, ordered, problem)

    def _wait_beside(self, loop: asyncio.AbstractEventLoop, ask: Ask[Any], answer: "asyncio.Future[Any]") -> None:
        """In a thread of its own: what is asked after it goes on."""
        backend = self.world.backend
        leave: Callable[[], None] = getattr(backend, "leave", lambda: None)

        def work() -> None:
            try:
                try:
                    said = feed.waited_page(backend, ask.request,
                                            lambda: not answer.done() and not loop.is_closed())
                finally:
                    leave()
            except Exception as problem:
                _tell(loop, _fail, answer, problem)
            else:
                _tell(loop, _give, ask, answer, said)
        try:
            threading.Thread(target=work, name="mneme-changes").start()
        except Exception as problem:  # no thread is to be had: only he goes without
            _fail(answer, problem)

    def _refuse(self, loop: asyncio.AbstractEventLoop, waiting: List[_Waiting],
                why: Exception) -> None:
        for _, answer in waiting:
            _fail(answer, why)
        self._send_next(loop)

    def _one_by_one(self, loop: asyncio.AbstractEventLoop, waiting: List[_Waiting]) -> None:
        """Before what was asked later, so that the order stays."""
        self._asked.extendleft(reversed([(_Single(ask), answer) for ask, answer in waiting]))
        self._send_next(loop)

    def _share(self, loop: asyncio.AbstractEventLoop, said: Dict[str, Any],
               waiting: List[_Waiting]) -> None:
        """Gives each what is his of the answer, and goes on."""
        if self._loop is not loop:
            return
        if len(waiting) > 1 and not said.get("ok") and _is_of_one(said["error"]):
            self._one_by_one(loop, waiting)
            return
        parts = [said] * len(waiting)
        if len(waiting) > 1 and said.get("ok"):
            parts = [_by_itself(part, f"{key}[{place}]") for key in ("reads", "writes")
                     for place, part in enumerate(said[key])]
        for (ask, answer), part in zip(waiting, parts):
            _give(ask, answer, part)
        self._send_next(loop)

    def __repr__(self) -> str:
        return f"<mneme.AsyncWorld of {self.world!r}>"

    async def call(self, op: str, **request: Any) -> Record:
        """Any op, by name; the answer as it is."""
        return await self.run(asks.ask(op, **request))

    async def stats(self) -> Record:
        """Counts and sizes."""
        return await self.call("stats")

    async def verify(self, **more: Any) -> Record:
        """Reads the whole journal again and checks it: root, seq, entries, frames and segments. Corrupt: what is
        wrong with it."""
        return await self.run(asks.verify(**more))

    async def checkpoint(self) -> Record:
        """Makes the next open fast."""
        return await self.call("checkpoint")

    async def write(self, type: str, data: Optional[Mapping[str, Any]] = None, **more: Any) -> Record:
        """A new memory: its type, its data, and what else the op `write` takes (tags, actor, id, …). Answers
        id, uri, version and seq."""
        return await self.run(asks.write(type, data, **more))

    async def update(self, memory: Memory, data: Optional[Mapping[str, Any]] = None, **more: Any) -> Record:
        """A new version: `data` whole, or replace={...} for one span of its text."""
        return await self.run(asks.update(memory, data, **more))

    async def update_head(self, memory: Memory, **more: Any) -> Record:
        """Tags, frames, importance, visibility, lifecycle or metadata; or affirm=True."""
        return await self.run(asks.update_head(memory, **more))

    async def tombstone(self, memory: Memory, reason: str = "", **more: Any) -> Record:
        """Takes it out of every answer; `restore` brings it back."""
        return await self.run(asks.tombstone(memory, reason, **more))

    async def restore(self, memory: Memory, **more: Any) -> Record:
        """Brings back what was tombstoned or forgotten, as it was."""
        return await self.run(asks.restore(memory, **more))

    async def add_edge(self, src: Memory, type: str, dst: Memory, **more: Any) -> Record:
        """A typed edge, such as "derived_from"."""
        return await self.run(asks.add_edge(src, type, dst, **more))

    async def remove_edge(self, src: Memory, type: str, dst: Memory, **more: Any) -> Record:
        """Ends an edge."""
        return await self.run(asks.remove_edge(src, type, dst, **more))

    async def ingest(self, placement: str, **more: Any) -> Record:
        """A topic with fields: "new_topic" with title and fields, and so on."""
        return await self.run(asks.ingest(placement, **more))

    async def forget_matching(self, words: str, **more: Any) -> Record:
        """Forgets what words mean; dry_run=True shows what that is."""
        return await self.run(asks.forget_matching(words, **more))

    async def supersede_matching(self, write: Ask[Record], **more: Any) -> Record:
        """Writes asks.write(…) in place of what said the old, in one step."""
        return await self.run(asks.supersede_matching(write, **more))

    async def batch(self, items: Iterable[Ask[Any]], **more: Any) -> List[Any]:
        """Many writes, all or none."""
        return await self.run(asks.batch(items, **more))

    async def load(self, items: Iterable[Ask[Any]], batch: int = 256, **more: Any) -> Record:
        """Writes all of the items in their order, a batch at a time, as World.load does; other calls go on
        between the batches."""
        loading = Loading(items, batch, more)
        for ask in loading.batches():
            with loading.placing():
                loading.take(ask, await self.run(ask))
        return loading.told()

    async def tick(self, reads: Iterable[Ask[Any]] = (), writes: Iterable[Ask[Any]] = (), **more: Any) -> Tick:
        """Reads and writes of many agents as one: the reads see one moment, the writes are one commit, and
        what fails, fails alone."""
        ask = asks.tick(reads, writes, **more)
        try:
            return await self.run(ask)
        except MnemeError as refused:
            if not asks.is_of_an_item(refused):
                raise
        rest = asks.SayableTick(ask)
        while True:
            try:
                answer = await self.run(rest.ask)
                break
            except MnemeError as refused:
                rest.leave_out(refused)
        refusals: Dict[str, Dict[int, MnemeError]] = {}
        for key, left in rest.left_out.items():
            refusals[key] = {}  # Python before 3.11 awaits in no comprehension that is within another
            for place, one in left.items():
                refusals[key][place] = await self._refusal(one)
        return rest.told(answer, refusals)

    async def _refusal(self, ask: Ask[Any]) -> MnemeError:
        try:
            await self.run(ask)
        except MnemeError as refused:
            return refused
        raise AssertionError(f"{ask.op} was to be refused")

    async def get(self, memory: Memory, **more: Any) -> Record:
        """The newest version of a memory."""
        return await self.run(asks.get(memory, **more))

    async def resolve(self, uri: Memory, **more: Any) -> Record:
        """Exactly the version that the uri names."""
        return await self.run(asks.resolve(uri, **more))

    async def put(self, namespace: str, key: str, type: str, data: Optional[Mapping[str, Any]] = None,
                  payload: Any = None, **more: Any) -> Record:
        """Writes the memory that has the key, or makes it; what was tombstoned is back. `payload` is JSON of
        your own: text as it is, anything else as json.dumps has it. Answers also an `outcome`: "created",
        "updated" or "revived"."""
        return await self.run(asks.put(namespace, key, type, data, payload, **more))

    async def delete_by(self, namespace: str, key: str, **more: Any) -> Record:
        """Tombstones the memory that has the key; `changed` says whether there was one."""
        return await self.run(asks.delete_by(namespace, key, **more))

    async def sweep(self, **more: Any) -> Record:
        """Tombstones what has expired (expires_at): `swept` are its ids."""
        return await self.run(asks.sweep(**more))

    async def trim(self, before: Optional[int] = None, **more: Any) -> Record:
        """Drops how the world was used before a seq (or before_time=…, or so far); what was said
        stays. versions=True: also what memories said before that and have said otherwise since."""
        return await self.run(asks.trim(before, **more))

    async def get_by(self, namespace: str, key: str, **more: Any) -> Record:
        """The newest version of the memory that has the key."""
        return await self.run(asks.get_by(namespace, key, **more))

    async def history(self, memory: Optional[Memory] = None, **more: Any) -> Found:
        """All versions of a memory (or of namespace=…, key=…), newest first, with what each changed."""
        return await self.run(asks.history(memory, **more))

    async def namespaces(self, **more: Any) -> Found:
        """The namespaces of keys, and how many memories each has."""
        return await self.run(asks.namespaces(**more))

    async def actors(self, **more: Any) -> Found:
        """The actors, and how many memories each has."""
        return await self.run(asks.actors(**more))

    async def list(self, *types: str, **more: Any) -> Found:
        """What there is, newest first; `answer.next` is the cursor of the next page."""
        return await self.run(asks.list_(*types, **more))

    async def edges(self, memory: Memory, **more: Any) -> Found:
        """The edges of a memory, out first, then in."""
        return await self.run(asks.edges(memory, **more))

    async def stale_of(self, memory: Memory, **more: Any) -> Found:
        """What rests on a memory that has fallen."""
        return await self.run(asks.stale_of(memory, **more))

    async def find(self, *types: str, **more: Any) -> Found:
        """The typed query: types, where, tags, near, from_, order_by, limit, …"""
        return await self.run(asks.find(*types, **more))

    async def search(self, query: str, **more: Any) -> Found:
        """Memories and chunks by words and meaning, best first."""
        return await self.run(asks.search(query, **more))

    async def retrieve(self, q: Optional[str] = None, **more: Any) -> Found:
        """Topics near to a question (or query=…), with their fields and what these were."""
        return await self.run(asks.retrieve(q, **more))

    async def chroma(self, hashtags: Iterable[str], **more: Any) -> Found:
        """What is near in colour, recent and strong."""
        return await self.run(asks.chroma(hashtags, **more))

    async def context(self, **more: Any) -> Record:
        """What an agent should know first: actor=…, query=…, budget_tokens=…."""
        return await self.run(asks.context(**more))

    async def absent(self, query: Optional[str] = None, **more: Any) -> Record:
        """Whether nothing that holds says this; ids=[…] and fields=[…] that are to be nowhere come with proofs."""
        return await self.run(asks.absent(query, **more))

    async def replay_receipt(self, receipt: Mapping[str, Any], **more: Any) -> Record:
        """Asks again what the receipt of an answer (receipt=True) says was asked: `equal`, or `differences`."""
        return await self.run(asks.replay_receipt(receipt, **more))

    async def weights(self, **more: Any) -> Record:
        """The weights by which search ranks, and who set them."""
        return await self.run(asks.weights(**more))

    async def set_weights(self, weights: Optional[str] = None, **more: Any) -> Record:
        """Sets them for the world, "text=0.5,recency=0.1"; reset=True takes those that it was made with."""
        return await self.run(asks.set_weights(weights, **more))

    async def prove(self, **more: Any) -> Record:
        """Proofs that memories, edges, fields or entries are, or are not, under a root."""
        return await self.run(asks.prove(**more))

    async def root(self, at_seq: Optional[int] = None, **more: Any) -> Record:
        """The root over all state, now or as of a seq."""
        return await self.run(asks.root(at_seq, **more))

    async def journal(self, **more: Any) -> Found:
        """Entries of the journal."""
        return await self.run(asks.journal(**more))

    async def changes(self, *types: str, **more: Any) -> Found:
        """A page of what was committed behind since=SEQ, in order. With wait_ms it waits in a thread of its
        own, and other calls go on; cancelled, it ends within a second."""
        return await self.run(asks.changes(*types, **more))

    async def subscribe(self, *types: str, since: Optional[int] = None,
                        **more: Any) -> feed.AsyncChanges:
        """Changes as they are committed: `async for change in await town.subscribe()`."""
        request = asks.changes(*types, since=since, **more).request
        return await feed.begin(self.world.backend, request)

    async def close(self) -> None:
        """Closes the world, in another thread."""
        await asyncio.get_running_loop().run_in_executor(None, self.world.close)

    async def __aenter__(self) -> "AsyncWorld":
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]], problem: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        await self.close()


class _Single(Ask[Any]):
    """One that goes by itself, for together with others it was refused."""

    def __init__(self, of: Ask[Any]) -> None:
        super().__init__(of.op, of.request, of.read)


def _is_of_one(error: Mapping[str, Any]) -> bool:
    return error.get("code") in _SPLIT or str(error.get("at", "")).startswith(("reads[", "writes["))


def _by_itself(said: Dict[str, Any], place: str) -> Dict[str, Any]:
    """The answer of an item of a tick as it would be without the others: who asked knows of none."""
    if said.get("ok"):
        return said

    def within(at: str) -> str:
        return at[len(place):].lstrip(".") if at.startswith(place) else at
    return {**said, "error": placed(said["error"], within)}


def _give(ask: Ask[Any], answer: "asyncio.Future[Any]", said: Dict[str, Any]) -> None:
    if answer.done():
        return  # he was cancelled
    try:
        answer.set_result(ask.answer(Record(said)))
    except Exception as problem:  # also what cannot be read: somebody waits for it
        answer.set_exception(problem)


def _fail(answer: "asyncio.Future[Any]", why: Exception) -> None:
    if not answer.done():
        answer.set_exception(why)


def _tell(loop: asyncio.AbstractEventLoop, call: Callable[..., None], *arguments: Any) -> None:
    """From another thread."""
    try:
        loop.call_soon_threadsafe(call, *arguments)
    except RuntimeError:
        pass  # the loop is closed: nobody waits any more


def _waits(ask: Ask[Any]) -> bool:
    wait_ms = ask.request.get("wait_ms")
    return ask.op == "changes" and type(wait_ms) is int and 0 < wait_ms <= _MOST_WAITED_MS


def _goes_along(ask: Ask[Any]) -> bool:
    return (ask.op in _READS or ask.op in _WRITES) and not isinstance(ask, _Single) \
        and not _ALONE & ask.request.keys()
