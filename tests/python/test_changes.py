"""The change feed from Python: pages, iterators, and who takes over."""

import asyncio
import itertools
import subprocess
import sys
import threading

import pytest

import mneme


def note(world, text, **more):
    return world.write("Note", {"statement": text}, **more)


def test_pages_say_what_was_committed(world):
    first = note(world, "tea at five", actor="ana", tags=["tea"])
    world.update(first, {"statement": "tea at six"}, actor="bo")
    world.tombstone(f"{first.uri[:-1]}2", "over")
    page = world.changes(since=0)
    assert [c.kind for c in page] == ["written", "updated", "tombstoned"]
    assert [c.seq for c in page] == [1, 2, 3] and page.answer.next == 3 and not page.answer.more
    assert page[1].actor == "bo" and "data.statement" in page[1].fields and page[1].version == 2
    assert repr(page[0]) == f"<change 1 written> {first.uri} by ana"
    assert [c.seq for c in world.changes("Note", since=1, limit=1, with_record=True)] == [2]
    assert world.changes(since=1, kinds=["updated"], with_record=True)[0].record.version.data.statement \
        == "tea at six"
    assert not world.changes("Fact", since=0) and not world.changes()
    with pytest.raises(mneme.SeqUnavailable):
        world.changes(since=99)
    with pytest.raises(mneme.InvalidRequest):
        world.changes(since=0, kinds=["eaten"])


def test_an_iterator_goes_on_from_its_seq(world):
    for text in ("a", "b", "c"):
        note(world, text)
    with world.subscribe(since=0) as feed:
        assert [next(feed).seq, next(feed).seq] == [1, 2] and feed.seq == 2
    assert list(feed) == []  # closed
    later = world.subscribe("Note", since=feed.seq, owners=["ana"])
    note(world, "d", actor="ana")
    assert next(later).seq == 4
    from_now = world.subscribe()
    note(world, "e")
    assert next(from_now).seq == 5
    for wrong, at in (({"since": -1}, "since"), ({"since": "x"}, "since"), ({"since": 1, "kinds": ["eaten"]}, "kinds[0]")):
        with pytest.raises(mneme.InvalidRequest) as refused:  # at once
            world.subscribe(**wrong)
        assert refused.value.at == at


def test_who_waits_is_told_and_ends_with_the_world():
    world = mneme.open_in_memory(seed=1)
    heard = []
    feed = world.subscribe(since=0)
    listening = threading.Thread(target=lambda: heard.extend(c.seq for c in feed))
    listening.start()
    for i in range(20):
        note(world, str(i))
    while len(heard) < 20:
        listening.join(0.01)
    world.close()
    listening.join(30)
    assert not listening.is_alive() and heard == list(range(1, 21))


def test_async_iterators_side_by_side(world):
    async def listen(town, begun):
        async with await town.subscribe(since=0) as feed:
            begun.append(feed)
            return [change.seq async for change in _first(feed, 10)]

    async def _first(feed, count):
        for _ in range(count):
            yield await feed.__anext__()

    async def main():
        town = world.awaited()
        begun = []
        listeners = [asyncio.create_task(listen(town, begun)) for _ in range(12)]
        while len(begun) < 12:
            await asyncio.sleep(0.01)
        for i in range(10):
            await town.write("Note", {"statement": str(i)})
        return await asyncio.gather(*listeners)
    assert asyncio.run(main()) == [list(range(1, 11))] * 12


_HOST = """
import sys, mneme
world = mneme.open(sys.argv[1])
print("ready", flush=True)
for line in sys.stdin:
    world.write("Note", {"statement": line.strip()})
    print("written", flush=True)
"""


def test_it_goes_on_with_whoever_takes_over(tmp_path):
    place = tmp_path / "world"

    def host():
        process = subprocess.Popen([sys.executable, "-c", _HOST, str(place)], text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdout.readline() == "ready\n"
        return process

    def write(process, text):
        process.stdin.write(text + "\n")
        process.stdin.flush()
        assert process.stdout.readline() == "written\n"

    heard = []
    first = host()
    with mneme.open(place) as world:
        assert world.opened.joined
        feed = world.subscribe(since=0)
        listening = threading.Thread(
            target=lambda: heard.extend(c.seq for c in itertools.islice(feed, 30)))
        listening.start()
        for i in range(10):
            write(first, str(i))
        first.kill()
        first.communicate()
        for i in range(10):
            note(world, str(i))  # this one has it now
        second = host()
        for i in range(10):
            write(second, str(i))
        listening.join(60)
        assert heard == list(range(1, 31))
        second.kill()
        second.communicate()


def test_a_server_that_starts_again_goes_on(tmp_path):
    from conftest import Served
    place = tmp_path / "world"
    first = Served(place)
    world = mneme.connect(first.url)
    feed = world.subscribe(since=0)
    note(world, "a")
    assert next(feed).seq == 1
    first.stop()
    port = first.url.rsplit(":", 1)[1]
    again = Served(place, port)
    try:
        note(world, "b")
        assert next(feed).seq == 2
    finally:
        again.stop()
