"""Several programs on one world: a second one joins the first, and goes on when that one ends."""

import json
import os
import pathlib
import signal
import subprocess
import sys

import pytest

import mneme
from conftest import COMMAND
from mneme import asks

OTHER = """
import sys
import mneme
with mneme.open(sys.argv[1]) as world:
    assert world.opened.joined and world.opened.embedder == "hash:384", world.opened
    world.write("Note", {"statement": "said by the other"}, actor="bo")
    print("joined", flush=True)
    sys.stdin.readline()  # until the first has ended
    for number in range(20):
        world.write("Note", {"statement": f"said alone {number}"}, actor="bo")
    print(world.stats().memories, flush=True)
"""


def other(place: pathlib.Path) -> "subprocess.Popen[str]":
    return subprocess.Popen([sys.executable, "-c", OTHER, str(place)], text=True, stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE)


def test_a_second_program_joins_and_takes_over(tmp_path):
    place = tmp_path / "world"
    world = mneme.open(place)
    world.write("Note", {"statement": "tea at five"}, actor="ana")
    assert "joined" not in world.opened
    with other(place) as second:
        assert second.stdout.readline() == "joined\n"
        assert "said by the other" in [hit.content for hit in world.search("said")]
        told = subprocess.run([COMMAND, "stats", str(place), "--json"], text=True, capture_output=True,
                              check=True)
        assert '"memories":2' in told.stdout
        world.close()
        out, _ = second.communicate("go on\n", timeout=60)
    assert out == "22\n" and second.returncode == 0
    with mneme.open(place) as again:
        assert again.stats().memories == 22
    assert not os.path.exists(place / "SOCKET")


def test_no_process_reads_files_for_another(tmp_path):
    place, source = tmp_path / "world", tmp_path / "tea.md"
    source.write_text("# Tea\n\nThe tea house opens at noon.\n")
    first = mneme.open(place)
    assert first.call("ingest_source", path=str(source)).added == 1
    second = mneme.open(place)
    assert second.opened.joined
    with pytest.raises(mneme.InvalidRequest, match="reads no files for another one: .*close the world") as refused:
        second.call("ingest_source", path=str(source))
    assert refused.value.code == "unsupported"
    beside = subprocess.run([COMMAND, "ingest-source", str(place), str(source)], text=True, capture_output=True)
    assert beside.returncode != 0 and "close the world there" in beside.stderr
    assert len(second.search("when does the tea house open?")) == 1  # what the first has read, all find
    first.close()
    assert second.call("ingest_source", path=str(source)).unchanged == 1
    second.close()


def test_who_takes_over_goes_on_with_the_same_world(tmp_path, monkeypatch):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(tmp_path)
    first = mneme.open("world")
    first.write("Note", {"statement": "tea at five"})
    second = mneme.open("world")
    assert second.opened.joined
    # Where the program works later is no matter of the world's.
    monkeypatch.chdir(elsewhere)
    assert first.verify().seq == 1 and len(first.changes(since=0)) == 1
    first.close()
    assert second.write("Note", {"statement": "tea at six"}).seq == 2
    assert not os.path.exists(elsewhere / "world")
    # Whoever takes over makes no world, and takes no other.
    third = mneme.open(tmp_path / "world")
    assert third.opened.joined
    second.close()
    os.rename(tmp_path / "world", tmp_path / "moved")
    with pytest.raises(mneme.NotFound):
        third.write("Note", {"statement": "tea at seven"})
    assert not os.path.exists(tmp_path / "world")
    with mneme.open(tmp_path / "world", shared=False) as other_world:
        other_world.write("Note", {"statement": "coffee"})
    with pytest.raises(mneme.NotFound) as refused:
        third.write("Note", {"statement": "tea at seven"})
    assert "another world" in refused.value.message
    os.rename(tmp_path / "world", tmp_path / "other")
    os.rename(tmp_path / "moved", tmp_path / "world")
    assert third.write("Note", {"statement": "tea at seven"}).seq == 3
    third.close()


def test_a_world_may_be_kept_to_oneself(tmp_path):
    place = tmp_path / "world"
    with mneme.open(place, shared=False):
        with pytest.raises(mneme.Busy):
            mneme.open(place, shared=False)
        assert not os.path.exists(place / "SOCKET")
    with mneme.open(place, manual_clock=True):
        assert not os.path.exists(place / "SOCKET")
    with pytest.raises(mneme.InvalidRequest):
        mneme.open(place, manual_clock=True, shared=True)
    with pytest.raises(mneme.InvalidRequest):
        mneme.open_in_memory(shared=True)


def test_arrays_go_to_a_world_that_is_open_here(tmp_path):
    numpy = pytest.importorskip("numpy")
    place = tmp_path / "world"
    with mneme.open(place, embedder="none") as first:
        first.write("Note", {"statement": "one"}, vector=[1.0, 0.0], actor="ana")
        with mneme.open(place) as second:  # the same program may join itself
            assert second.opened.joined
            queries = numpy.array([[1.0, 0.0]], dtype=numpy.float32)
            with pytest.raises(mneme.MnemeError, match="open in this process"):
                second.tick_arrays(queries, k=1)
            first.close()
            assert len(second.tick_arrays(queries, k=1).ids) == 1


HOLDER = """
import os, sys, time
import mneme
world = mneme.open(sys.argv[1])
world.write("Note", {"statement": "kept"}, actor="ana")
child = os.fork()
if child == 0:
    time.sleep(60)
    os._exit(0)
print(child, flush=True)
sys.stdin.readline()
world.close()
with mneme.open(sys.argv[1]) as again:
    print(again.stats().memories, flush=True)
    sys.stdin.readline()
"""


def holder(place: pathlib.Path) -> "subprocess.Popen[str]":
    return subprocess.Popen([sys.executable, "-c", HOLDER, str(place)], text=True, stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE)


def stats_of(place: pathlib.Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([COMMAND, "stats", str(place), "--json"], text=True, capture_output=True, check=False,
                          timeout=60)


def test_a_forked_child_holds_nothing(tmp_path):
    with holder(tmp_path / "world") as first:
        child = int(first.stdout.readline())
        try:
            first.stdin.write("close, and open again\n")
            first.stdin.flush()
            assert first.stdout.readline() == "1\n"  # while the child lives
            first.kill()
            first.wait(60)
            told = stats_of(tmp_path / "world")
            assert '"memories":1' in told.stdout, told.stderr
        finally:
            os.kill(child, signal.SIGKILL)


def test_a_program_that_was_stopped_is_told_of(tmp_path):
    with holder(tmp_path / "world") as first:
        child = int(first.stdout.readline())
        try:
            os.kill(first.pid, signal.SIGSTOP)
            told = stats_of(tmp_path / "world")
            assert told.returncode == 3 and "stopped" in told.stdout and str(first.pid) in told.stdout
            os.kill(first.pid, signal.SIGCONT)
            assert '"memories":1' in stats_of(tmp_path / "world").stdout
        finally:
            os.kill(first.pid, signal.SIGCONT)
            first.kill()
            os.kill(child, signal.SIGKILL)


def test_answers_of_another_program_may_be_long(tmp_path):
    place = tmp_path / "world"
    with mneme.open(place, embedder="none") as first:
        for number in range(18):
            first.put("big", str(number), "Note", {"statement": "x"}, payload=json.dumps("x" * 1_000_000))
        with mneme.open(place) as second:
            assert second.opened.joined
            found = second.tick(reads=[asks.find("Note", limit=50)],
                                writes=[asks.put("t", "k", "Note", {"statement": "y"})])
            assert len(found[0]) == 18
