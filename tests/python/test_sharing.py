"""Several programs on one world: a second one joins the first, and goes on when that one ends."""

import os
import pathlib
import subprocess
import sys

import pytest

import mneme
from conftest import COMMAND

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
