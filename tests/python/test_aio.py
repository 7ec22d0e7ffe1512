"""Worlds that are awaited: the calls of one turn are one tick."""

import asyncio
import http.client
import threading
import time

import pytest

import mneme
from mneme import asks

TEA = {"statement": "tea is served at five"}


class Counted:
    """A backend that notes the ops that reach it."""

    def __init__(self, inner):
        self.inner = inner
        self.ops = []
        self.opened = inner.opened

    def call(self, op, request):
        self.ops.append(op)
        return self.inner.call(op, request)

    def call_later(self, op, request, then):
        self.ops.append(op)
        self.inner.call_later(op, request, then)

    def close(self):
        self.inner.close()


@pytest.fixture
def counted(world):
    return mneme.World(Counted(world.backend))


def test_what_one_turn_asks_is_one_tick(counted):
    async def live():
        town = counted.awaited()
        note = await town.write("Note", TEA)
        answers = await asyncio.gather(
            town.search("tea"), town.get(note), town.find("Note", limit=3),
            town.write("Note", {"statement": "it rains"}), town.get("01HZZZZZZZZZZZZZZZZZZZZZZZ"),
            town.root(), return_exceptions=True)
        assert answers[0][0].id == note.id and answers[1].id == note.id
        assert [m.id for m in answers[2]] == [note.id]  # as of the start of the tick
        assert answers[3].version == 1
        assert isinstance(answers[4], mneme.NotFound)
        assert answers[5].seq >= 1
        assert len(await town.find("Note", limit=3)) == 2
    asyncio.run(live())
    assert sorted(counted.backend.ops) == ["find", "root", "tick", "write"]


def test_a_tick_takes_as_many_as_are_asked(counted):
    async def live():
        town = counted.awaited()
        await asyncio.gather(*(town.write("Note", {"statement": str(i)}) for i in range(1200)))
        assert (await town.stats()).memories == 1200
    asyncio.run(live())
    assert counted.backend.ops == ["tick", "stats"]


def test_who_is_cancelled_leaves_the_others_alone(world):
    async def live():
        town = world.awaited()
        gone = asyncio.ensure_future(town.search("tea"))
        kept = asyncio.ensure_future(town.write("Note", TEA))
        await asyncio.sleep(0)
        gone.cancel()
        assert (await kept).version == 1
        with pytest.raises(asyncio.CancelledError):
            await gone
    asyncio.run(live())


def test_a_closed_world_refuses_who_awaits_it():
    async def live():
        async with mneme.open_in_memory().awaited() as town:
            await town.write("Note", TEA)
        with pytest.raises(mneme.Shutdown):
            await town.root()
        with pytest.raises(mneme.Shutdown):
            await asyncio.gather(town.search("a"), town.search("b"))
    asyncio.run(live())


def test_a_refusal_says_its_place_as_if_nobody_else_had_asked(world):
    async def ask():
        town = world.awaited()
        return await asyncio.gather(
            town.write("Note", {"statement": "tea"}), town.write("Note", {"stmt": "x"}, importance=50),
            town.find("Note", limt=3), town.find("Note", limit=1), return_exceptions=True)
    _, write, find, found = asyncio.run(ask())
    assert (write.at, find.at) == ("data.stmt", "limt")
    assert "also at importance" in write.message and "writes[" not in write.message
    assert [fault.at for fault in write.faults] == ["data.stmt", "data.statement", "importance"]
    assert isinstance(found, mneme.Found)


def test_one_value_that_cannot_be_said_fails_alone(world):
    async def live():
        town = world.awaited()
        found = await asyncio.wait_for(asyncio.gather(
            town.search("tea"), town.find("Note", near_vector=[float("nan")], limit=1),
            town.write("Note", TEA, importance=float("inf")), town.search("tea\ud800"),
            town.write("Note", TEA), town.search("tea"), return_exceptions=True), 30)
        assert found[0] == [] and found[5] == []
        assert isinstance(found[1], ValueError) or isinstance(found[1], mneme.MnemeError)
        assert isinstance(found[2], ValueError) or isinstance(found[2], mneme.MnemeError)
        assert isinstance(found[3], mneme.InvalidRequest)
        assert found[4].version == 1
    asyncio.run(live())


class Keyed(Counted):
    """A server that knows who asks by a key, ana's."""

    def call_later(self, op, request, then):
        for key in ("reads", "writes"):
            for place, item in enumerate(request.get(key, ())):
                if item.get("actor", "ana") != "ana":
                    then({"ok": False, "error": {"code": "actor_mismatch", "message": 'this key is of "ana"',
                                                 "at": f"{key}[{place}].actor"}})
                    return
        if request.get("actor", "ana") != "ana":
            then({"ok": False, "error": {"code": "actor_mismatch", "message": 'this key is of "ana"', "at": "actor"}})
            return
        super().call_later(op, request, then)


def test_what_a_key_does_not_allow_refuses_nobody_else_of_its_turn():
    async def live(town):
        return await asyncio.gather(town.write("Note", TEA, actor="ana"), town.search("tea"),
                                    town.search("tea", actor="bo"), return_exceptions=True)
    with mneme.open_in_memory(embedder="none") as world:
        note, found, refused = asyncio.run(live(mneme.World(Keyed(world.backend)).awaited()))
    assert note.version == 1 and found == []
    assert isinstance(refused, mneme.Forbidden) and refused.at == "actor"


def test_what_is_too_much_together_is_asked_one_by_one():
    async def live(town):
        text = {"statement": "x" * 900_000}
        found = await asyncio.gather(*(town.write("Note", text) for _ in range(20)),
                                     town.search("tea"))
        assert [w.version for w in found[:20]] == [1] * 20 and found[20] == []
    with mneme.open_in_memory(embedder="none") as world:
        asyncio.run(live(world.awaited()))


def test_what_is_asked_in_order_is_done_in_order():
    async def live(town):
        note = await town.write("Note", TEA)
        await asyncio.gather(town.tombstone(note, "over"), town.restore(note))
        assert (await town.get(note)).tombstone is None
        answers = await asyncio.gather(
            town.write("Note", TEA), town.batch([asks.write("Note", TEA)]), town.root())
        assert [answers[0].seq, answers[1][0].seq, answers[2].seq] == [4, 5, 5]
        return answers[2].root

    def root():
        with mneme.open_in_memory(seed=1, manual_clock=True, per_request=True) as world:
            return asyncio.run(live(world.awaited()))
    assert root() == root()


def test_who_waits_for_changes_holds_up_nobody(world):
    async def live():
        town = world.awaited()
        await town.write("Note", TEA)
        began = time.monotonic()
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(town.changes(since=1, wait_ms=30_000), .1)  # and is cancelled
        waiting = [asyncio.ensure_future(town.changes("Note", since=1, wait_ms=30_000)) for _ in range(20)]
        in_vain = asyncio.ensure_future(town.changes("Fact", since=1, wait_ms=1_500))
        await asyncio.sleep(0)
        assert len(await town.find("Note", limit=3)) == 1
        assert time.monotonic() - began < 10
        await town.write("Note", {"statement": "it rains"})
        assert [[change.seq for change in await one] for one in waiting] == [[2]] * 20
        empty = await in_vain
        assert empty == [] and empty.answer.next == 2
        with pytest.raises(mneme.InvalidRequest):
            await town.changes(since=1, wait_ms=10**9)
        with pytest.raises(mneme.SeqUnavailable):
            await town.changes(since=99, wait_ms=30_000)
        assert time.monotonic() - began < 20
    asyncio.run(live())
    until = time.monotonic() + 10
    while any(thread.name == "mneme-changes" for thread in threading.enumerate()):
        assert time.monotonic() < until, "a call that was cancelled waits on"
        time.sleep(.01)


def test_who_waits_for_changes_ends_with_the_world():
    async def live():
        town = mneme.open_in_memory().awaited()
        waiting = asyncio.ensure_future(town.changes(since=0, wait_ms=30_000))
        await town.root()
        await asyncio.wait_for(town.close(), 10)
        with pytest.raises(mneme.Shutdown):
            await asyncio.wait_for(waiting, 10)
    asyncio.run(live())


def test_who_finds_no_thread_to_wait_in_is_told(monkeypatch):
    def none(self):
        raise RuntimeError("can't start new thread")

    async def live(town):
        with monkeypatch.context() as patched:
            patched.setattr(threading.Thread, "start", none)
            waiting = asyncio.ensure_future(town.changes(since=0, wait_ms=30_000))
            with pytest.raises(RuntimeError, match="new thread"):
                await asyncio.wait_for(waiting, 10)
            beside = asyncio.gather(town.changes(since=0, wait_ms=30_000), town.root(), return_exceptions=True)
            refused, root = await asyncio.wait_for(beside, 10)
            assert isinstance(refused, RuntimeError) and root.seq == 0
        assert (await asyncio.wait_for(town.root(), 10)).seq == 0
    with mneme.open_in_memory() as world:
        asyncio.run(live(world.awaited()))


def test_who_waited_for_changes_closes_the_connection(served, monkeypatch):
    closed = []
    close = http.client.HTTPConnection.close
    monkeypatch.setattr(http.client.HTTPConnection, "close",
                        lambda self: (closed.append(threading.current_thread().name), close(self))[1])

    async def live(town):
        await town.changes(since=0, wait_ms=10)
        assert "mneme-changes" in closed
        closed.clear()
        with pytest.raises(mneme.SeqUnavailable):
            await town.changes(since=99, wait_ms=10)
        assert "mneme-changes" in closed
    with mneme.connect(served.url) as world:
        asyncio.run(live(world.awaited()))


def test_a_load_lets_others_in_between(world):
    async def live():
        town = world.awaited()
        loading = asyncio.ensure_future(town.load((asks.write("Note", {"statement": str(n)}) for n in range(30)),
                                                  batch=3))
        await asyncio.sleep(0)
        assert (await town.stats()).memories < 30
        assert await loading == {"written": 30, "seq": 30}
        with pytest.raises(mneme.InvalidRequest) as refused:
            await town.load([asks.write("Note", {"statement": "x"})] * 4 + [asks.write("Note", {})], batch=2)
        assert refused.value.at.startswith("items[4]") and refused.value.details["written"] == 4

        def items():
            yield from (asks.write("Note", {"statement": "x"}) for _ in range(2))
            world.get("0" * 26)
        with pytest.raises(mneme.MnemeError) as raised:
            await town.load(items(), batch=2)
        assert "written" not in raised.value.details and (await town.stats()).memories == 36
        notes = (asks.put("pages", str(n), "Note", {"statement": "x"}, payload={"text": "y" * 100_000})
                 for n in range(300))
        assert (await town.load(notes)).written == 300
    asyncio.run(live())


def test_one_loop_at_a_time():
    with mneme.open_in_memory() as world:
        town = world.awaited()

        async def broken_off():
            asyncio.ensure_future(town.search("tea"))
            await asyncio.sleep(0)
            raise KeyboardInterrupt
        loop = asyncio.new_event_loop()
        loop.set_exception_handler(lambda *_: None)  # of the search that nobody awaits, when it is collected
        with pytest.raises(KeyboardInterrupt):
            loop.run_until_complete(broken_off())

        async def asked():
            return await asyncio.wait_for(town.search("tea"), 30)
        with pytest.raises(RuntimeError, match="another event loop"):
            asyncio.run(asked())
        loop.close()
        assert asyncio.run(asked()) == []
