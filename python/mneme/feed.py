"""Changes of a world as they are committed, one by one: what `World.subscribe` gives.

    for change in world.subscribe("Note", since=seen):
        print(change.seq, change.kind, change.get("uri"))
        seen = change.seq
"""

import asyncio
import collections
import concurrent.futures
import time
from typing import TYPE_CHECKING, Any, Callable, Deque, Dict, Optional

from .errors import Busy, MnemeError, Shutdown, Unreachable, error_of
from .records import Record

if TYPE_CHECKING:
    from .world import Backend

#: Longer than it takes another program to take a world over, or a server to start again.
_PATIENCE_S = 30.0
_BETWEEN_TRIES_S = 0.1


class Changes:
    """An iterator that waits for the next change, and ends when the world or it is closed.

    seq     everything up to here was given, or is not wanted: `since` of who goes on later

    Where the program that has the world open ends, or its server, it goes on with whoever takes over:
    each change comes once, in order. One thread at a time."""

    def __init__(self, backend: "Backend", request: Dict[str, Any]) -> None:
        self._backend = backend
        self._request = request
        self._ready: Deque[Record] = collections.deque()
        self._closed = False
        since = request.pop("since", None)
        # Also where he says from when: what is wrong with what he asks is told here, and not later.
        if since is None:
            since = self._ask({"limit": 1}).next
        else:
            self._ask_patiently({"limit": 1, "since": since})
        self.seq: int = since
        self._next: int = since

    def _ask(self, more: Dict[str, Any]) -> Record:
        answer = Record(self._backend.call("changes", {**self._request, **more}))
        if not answer.pop("ok", False):
            raise error_of(answer)
        return answer

    def _ask_patiently(self, more: Dict[str, Any]) -> Record:
        until = time.monotonic() + _PATIENCE_S
        while True:
            try:
                return self._ask(more)
            except (Busy, Unreachable):
                if self._closed or time.monotonic() > until:
                    raise
                time.sleep(_BETWEEN_TRIES_S)

    def fill(self) -> bool:
        """Waits until there is a change to give; False: there is none any more."""
        while not self._ready and not self._closed:
            self.seq = self._next
            try:
                page = self._ask_patiently({"since": self._next, "wait_ms": self._backend.wait_ms})
            except Shutdown:
                return False
            self._ready.extend(page.changes)
            self._next = page.next
        return not self._closed

    def take(self) -> Record:
        """The next of what fill() has found."""
        change = self._ready.popleft()
        self.seq = change.seq
        return change

    def __iter__(self) -> "Changes":
        return self

    def __next__(self) -> Record:
        if not self.fill():
            raise StopIteration
        return self.take()

    def close(self) -> None:
        """It gives nothing any more; from any thread."""
        self._closed = True

    def __enter__(self) -> "Changes":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<mneme.Changes seq={self.seq}>"


def waited_page(backend: "Backend", request: Dict[str, Any], is_wanted: Callable[[], bool]) -> Dict[str, Any]:
    """The answer to a request for changes that waits for them. It is asked in short calls: when nobody
    wants it any more, it ends soon."""
    until = time.monotonic() + request["wait_ms"] / 1_000
    while True:
        left_ms = max(0, round((until - time.monotonic()) * 1_000))
        page = backend.call("changes", {**request, "wait_ms": min(left_ms, backend.wait_ms)})
        if left_ms <= backend.wait_ms or not page["ok"] or page["changes"] or page["more"] or not is_wanted():
            return page
        request = {**request, "since": page["next"]}


class AsyncChanges:
    """The same for `async for`. It waits in a thread of its own, so that the loop goes on."""

    def __init__(self, made: Changes, pool: concurrent.futures.ThreadPoolExecutor) -> None:
        self._changes = made
        self._pool = pool

    @property
    def seq(self) -> int:
        return self._changes.seq

    def __aiter__(self) -> "AsyncChanges":
        return self

    async def __anext__(self) -> Record:
        try:
            there_is = await asyncio.get_running_loop().run_in_executor(self._pool,
                                                                        self._changes.fill)
        except RuntimeError:  # the pool has ended
            raise StopAsyncIteration from None
        if not there_is:
            raise StopAsyncIteration
        return self._changes.take()

    async def aclose(self) -> None:
        """It gives nothing any more."""
        self._changes.close()
        self._pool.shutdown(wait=False)

    async def __aenter__(self) -> "AsyncChanges":
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"<mneme.AsyncChanges seq={self.seq}>"


async def begin(backend: "Backend", request: Dict[str, Any]) -> AsyncChanges:
    """Subscribes in the thread that waits then."""
    pool = concurrent.futures.ThreadPoolExecutor(1, "mneme-changes")
    try:
        made = await asyncio.get_running_loop().run_in_executor(pool, Changes, backend, request)
    except MnemeError:
        pool.shutdown(wait=False)
        raise
    return AsyncChanges(made, pool)
