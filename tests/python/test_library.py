"""The engine in this process: where it keeps its world, what ends it, what it survives."""

import os
import queue
import subprocess
import sys
import threading
import weakref

import pytest

import mneme
from mneme import asks


def test_a_world_is_there_again(tmp_path):
    with mneme.open(tmp_path / "notes", world_name="town", embedder="none") as world:
        assert world.opened.world == "town"
        note = world.write("Note", {"statement": "tea"})
        root = world.root().root
    with mneme.open(tmp_path / "notes") as world:
        assert world.root().root == root
        assert world.get(note).id == note.id
        assert "town" in repr(world)


def test_only_what_is_there_is_opened_where_that_is_asked(tmp_path):
    with pytest.raises(mneme.MnemeError):
        mneme.open(tmp_path / "nowhere", create=False)
    assert not (tmp_path / "nowhere").exists()
    with pytest.raises(mneme.InvalidRequest) as refused:
        mneme.open("")
    assert refused.value.at == "directory"
    with pytest.raises(mneme.InvalidRequest) as refused:
        mneme.open_in_memory(sead=1)
    assert refused.value.at == "sead"


def test_no_world_is_made_where_something_else_is(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (project / "main.py").write_text("print()")
    mneme.open(tmp_path / "notes").close()
    for place in (project, tmp_path / "notes" / "journal"):
        before = sorted(place.iterdir())
        for options in ({}, {"create": True}):
            with pytest.raises(mneme.NotFound, match="no world"):
                mneme.open(place, **options)
        assert sorted(place.iterdir()) == before
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "LOCK").touch()
    mneme.open(tmp_path / "empty").close()
    mneme.open(tmp_path / "empty", create=True).close()


def test_one_process_has_a_world_at_a_time(tmp_path):
    with mneme.open(tmp_path / "notes", seed=1):  # a run that is to be repeated is nobody else's
        with pytest.raises(mneme.Busy):
            mneme.open(tmp_path / "notes", seed=1)
    mneme.open(tmp_path / "notes").close()


def test_a_closed_world_says_so_and_closes_twice():
    world = mneme.open_in_memory()
    world.close()
    world.close()
    with pytest.raises(mneme.Shutdown):
        world.root()


def test_the_same_calls_give_the_same_root():
    def root():
        with mneme.open_in_memory(seed=3, manual_clock=True, per_request=True) as world:
            world.call("clock", now="2026-01-01T00:00:00Z")
            world.tick(writes=[asks.write("Note", {"statement": str(i)}) for i in range(20)])
            world.search("3")
            return world.root().root
    assert root() == root()


def test_a_child_of_a_fork_is_told_to_open_its_own():
    world = mneme.open_in_memory()
    child = os.fork()
    if child == 0:
        try:
            world.root()
        except mneme.MnemeError as refused:
            os._exit(0 if "fork" in str(refused) else 1)
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    world.close()


def test_a_program_may_end_with_a_world_open(tmp_path):
    script = ("import mneme\n"
              f"world = mneme.open({str(tmp_path / 'notes')!r})\n"
              "world.write('Note', {'statement': 'tea'})\n")
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)
    with mneme.open(tmp_path / "notes") as world:
        assert world.stats().memories == 1


def test_a_library_that_is_nowhere_is_asked_for_in_words():
    script = "import mneme\ntry:\n  mneme.open_in_memory()\nexcept ImportError as e:\n  print(e)\n"
    said = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True,
                          env={**os.environ, "MNEME_LIBRARY": "/nowhere/libmneme.so"})
    assert "MNEME_LIBRARY" in said.stdout and "/nowhere/libmneme.so" in said.stdout


def test_who_closes_waits_for_those_who_call():
    for _ in range(60):
        world = mneme.open_in_memory(embedder="none")

        def ask(world=world):
            try:
                while True:
                    world.root()
            except mneme.Shutdown:
                pass
        threads = [threading.Thread(target=ask) for _ in range(3)]
        for thread in threads:
            thread.start()
        world.close()
        for thread in threads:
            thread.join()


def test_a_world_that_nobody_has_any_more_is_closed(tmp_path):
    def use():
        world = mneme.open(tmp_path / "notes", embedder="none")
        world.write("Note", {"statement": "tea"})
        return weakref.ref(world.backend)
    assert use()() is None
    assert use()() is None


def test_a_call_under_way_does_not_close_its_world():
    world = mneme.open_in_memory()
    answered = queue.Queue()

    def then(_):
        try:
            world.close()
            answered.put("closed")
        except mneme.MnemeError as refused:
            answered.put(refused)
    world.backend.call_later("root", {}, then)
    said = answered.get(timeout=30)
    assert isinstance(said, mneme.MnemeError) and "callback" in str(said)


def test_options_and_names_are_looked_at():
    with mneme.open_in_memory(seed=7, embedder="none") as world:
        for wrong in ("root\0x", "no\0op"):
            with pytest.raises(ValueError):
                world.call(wrong)
        with pytest.raises(TypeError):
            world.call(5)
    with pytest.raises(ValueError, match="zero character"):
        mneme.open("a\0b")


def test_a_file_in_the_place_of_the_directory_is_told_in_words(tmp_path):
    place = tmp_path / "file"
    place.write_text("x")
    with pytest.raises(mneme.MnemeError, match="is a file, and a world is a directory") as refused:
        mneme.open(place)
    assert str(place) in str(refused.value) and "LOG" not in str(refused.value)
    assert place.read_text() == "x"
