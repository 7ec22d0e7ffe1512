"""A world that is awaited. Calls of one turn of the event loop go to the engine together, as one tick:

    async with world.awaited() as town:
        mine, hers = await asyncio.gather(town.search("tea"), town.search("harbour"))

A tick's reads see the world as of its start: what is written in the same turn is not in them. Await the
write first where it has to be.
"""

import asyncio
from types import TracebackType
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple, Type, TypeVar

from . import asks
from .asks import Ask, Memory, Tick
from .errors import MnemeError
from .records import Found, Record
from .world import World

T = TypeVar("T")

#: What may be an item of a tick, with no more keys than an item takes.
_READS = frozenset(("find", "context", "retrieve", "chroma", "search", "get", "resolve", "edges"))
_WRITES = frozenset(("write", "update", "update_head", "tombstone", "add_edge", "remove_edge"))
_ALONE = frozenset(("deadline_ms", "durability", "receipt"))
#: A tick takes no more.
_MOST = 1000

_Waiting = Tuple[Ask[Any], "asyncio.Future[Any]"]


class AsyncWorld:
    """The methods of World, to be awaited. It belongs to one event loop."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._turn: List[_Waiting] = []

    async def run(self, ask: Ask[T]) -> T:
        """Runs a request that was made with `asks`, together with what else this turn asks."""
        loop = asyncio.get_running_loop()
        answer: "asyncio.Future[T]" = loop.create_future()
        goes_along = ask.op in _READS | _WRITES and not _ALONE & ask.request.keys()
        if not goes_along:
            self._send(loop, ask.op, ask.request, [(ask, answer)])
        else:
            if not self._turn:
                loop.call_soon(self._end_turn, loop)
            self._turn.append((ask, answer))
        return await answer

    def _end_turn(self, loop: asyncio.AbstractEventLoop) -> None:
        waiting, self._turn = self._turn, []
        for first in range(0, len(waiting), _MOST):
            self._send_together(loop, waiting[first:first + _MOST])

    def _send_together(self, loop: asyncio.AbstractEventLoop, waiting: List[_Waiting]) -> None:
        if len(waiting) == 1:
            self._send(loop, waiting[0][0].op, waiting[0][0].request, waiting)
            return
        reads = [one for one in waiting if one[0].op in _READS]
        writes = [one for one in waiting if one[0].op in _WRITES]
        together = {"reads": [ask.item() for ask, _ in reads],
                    "writes": [ask.item() for ask, _ in writes]}
        self._send(loop, "tick", together, reads + writes)

    def _send(self, loop: asyncio.AbstractEventLoop, op: str, request: Dict[str, Any],
              waiting: List[_Waiting]) -> None:
        def answered(said: Dict[str, Any]) -> None:
            try:
                loop.call_soon_threadsafe(self._share, op, said, waiting)
            except RuntimeError:
                pass  # the loop is closed: nobody waits any more
        try:
            self.world.backend.call_later(op, request, answered)
        except MnemeError as refused:
            for _, answer in waiting:
                if not answer.done():
                    answer.set_exception(refused)

    @staticmethod
    def _share(op: str, said: Dict[str, Any], waiting: List[_Waiting]) -> None:
        """Gives each what is his of the answer."""
        is_shared = len(waiting) > 1 and op == "tick"
        parts = [said] * len(waiting)
        if is_shared and said.get("ok"):
            parts = said["reads"] + said["writes"]
        for (ask, answer), part in zip(waiting, parts):
            if answer.done():
                continue  # he was cancelled
            try:
                answer.set_result(ask.answer(dict(part)))
            except Exception as problem:  # also what cannot be read: somebody waits for it
                answer.set_exception(problem)

    async def call(self, op: str, **request: Any) -> Record:
        """Any op, by name; the answer as it is."""
        return await self.run(asks.ask(op, **request))

    async def stats(self) -> Record:
        """Counts and sizes."""
        return await self.call("stats")

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

    async def tick(self, reads: Iterable[Ask[Any]] = (), writes: Iterable[Ask[Any]] = (), **more: Any) -> Tick:
        """Reads and writes of many agents as one: the reads see one moment, the writes are one commit, and
        what fails, fails alone."""
        return await self.run(asks.tick(reads, writes, **more))

    async def get(self, memory: Memory, **more: Any) -> Record:
        """The newest version of a memory."""
        return await self.run(asks.get(memory, **more))

    async def resolve(self, uri: Memory, **more: Any) -> Record:
        """Exactly the version that the uri names."""
        return await self.run(asks.resolve(uri, **more))

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

    async def retrieve(self, q: str, **more: Any) -> Found:
        """Topics near to a question, with their fields and what these were."""
        return await self.run(asks.retrieve(q, **more))

    async def chroma(self, hashtags: Iterable[str], **more: Any) -> Found:
        """What is near in colour, recent and strong."""
        return await self.run(asks.chroma(hashtags, **more))

    async def context(self, **more: Any) -> Record:
        """What an agent should know first: actor=…, query=…, budget_tokens=…."""
        return await self.run(asks.context(**more))

    async def prove(self, **more: Any) -> Record:
        """Proofs that memories, edges, fields or entries are, or are not, under a root."""
        return await self.run(asks.prove(**more))

    async def root(self, at_seq: Optional[int] = None) -> Record:
        """The root over all state, now or as of a seq."""
        return await self.run(asks.root(at_seq))

    async def journal(self, **more: Any) -> Found:
        """Entries of the journal."""
        return await self.run(asks.journal(**more))

    async def close(self) -> None:
        """Closes the world, in another thread."""
        await asyncio.get_running_loop().run_in_executor(None, self.world.close)

    async def __aenter__(self) -> "AsyncWorld":
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]], problem: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        await self.close()
