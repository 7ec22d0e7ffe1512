"""What is beyond the bounds of a line, of a batch and of an answer is written and read in portions."""

import subprocess
import sys

import pytest

import mneme
from mneme import asks
from mneme.adapters import portions
from mneme.adapters.camel import MnemeKeyValueStorage
from mneme.adapters.shelf import Entry, Shelf

JOINED = """
import sys
import mneme
from mneme.adapters.camel import MnemeKeyValueStorage
from mneme.adapters.shelf import Shelf
with mneme.open(sys.argv[1]) as world:
    assert world.opened.joined
    print([record["n"] for record in MnemeKeyValueStorage(world=world, actor="ana").load()])
    shelf = Shelf(world, "ana", "long")
    ids = [id for id, _ in shelf.entries()]
    print([ids.index(id) for id, _ in shelf.nearest([[1.0, 0.0]], 20)[0]])
"""


def long_records(count):
    return [{"n": number, "text": "x" * 1_000_000} for number in range(count)]


def test_a_shelf_of_more_than_an_answer_holds_is_found_again():
    with mneme.open_in_memory(embedder="none") as world:
        MnemeKeyValueStorage(world=world, actor="ana").save(long_records(70))
        with pytest.raises(mneme.InvalidRequest):
            world.find("Note", limit=100)
        again = MnemeKeyValueStorage(world=world, actor="ana")
        assert [record["n"] for record in again.load()] == list(range(70))
        again.clear()
        assert MnemeKeyValueStorage(world=world, actor="ana").load() == []


def test_a_program_that_joined_finds_more_than_a_line_holds(tmp_path):
    with mneme.open(tmp_path / "world", embedder="none") as world:
        MnemeKeyValueStorage(world=world, actor="ana").save(long_records(20))
        Shelf(world, "ana", "long").append(Entry("x" * 1_000_000, None, [1.0, float(n)]) for n in range(20))
        told = subprocess.run([sys.executable, "-c", JOINED, str(tmp_path / "world")], text=True,
                              capture_output=True, timeout=60)
        assert told.stdout == f"{list(range(20))}\n" * 2, told.stderr


def test_pages_are_the_whole_in_its_order(monkeypatch):
    with mneme.open_in_memory(embedder="none") as world:
        world.batch([asks.write("Note", {"statement": f"{number}"}, vector=[1.0, float(number % 7)])
                     for number in range(50)])
        for request in ({"order_by": [{"field": "version.created_at", "dir": "asc"}]},
                        {"near_vector": [1.0, 3.0], "rank": "distance"}):
            for limit in (1, 6, 7, 8, 49, 50, 1000):
                whole = world.find("Note", limit=limit, **request)
                monkeypatch.setattr(portions, "_PAGE", 7)
                paged = portions.found_in_pages(world, asks.find("Note", limit=limit, **request))
                monkeypatch.undo()
                assert list(paged) == list(whole)
                assert paged.answer["distances"] == (whole.answer.get("distances") or [])


def test_the_nearest_are_told_in_pages_too(monkeypatch):
    with mneme.open_in_memory(embedder="none") as world:
        shelf = Shelf(world, "ana", "long")
        shelf.append(Entry("x" * 1_000_000, None, [1.0, float(number)]) for number in range(70))
        whole = shelf.nearest([[1.0, 0.0], [0.0, 1.0]], 70)
        monkeypatch.setattr(Shelf, "_nearest_in_arrays",
                            lambda *given: (_ for _ in ()).throw(ModuleNotFoundError()))
        paged = shelf.nearest([[1.0, 0.0], [0.0, 1.0]], 70)
        for one, other in zip(whole, paged):
            assert [id for id, _ in one] == [id for id, _ in other] and len(one) == 70
            assert [distance for _, distance in other] == pytest.approx([distance for _, distance in one], abs=1e-6)


def test_portions_keep_what_belongs_together():
    def put(size):
        return asks.write("Note", {"statement": "x" * size})
    small = [[put(1), put(2)] for _ in range(7_000)]
    made = list(portions.portions(small))
    assert [len(portion) for portion in made] == [10_000, 4_000]
    assert [ask for portion in made for ask in portion] == [ask for group in small for ask in group]
    assert [len(portion) for portion in portions.portions([put(1_000_000)] for _ in range(31))] == [15, 15, 1]
    assert [len(portion) for portion in portions.portions([[put(1)], [put(1)] * 9_999, [put(1)] * 10_001])] \
        == [10_000, 10_000, 1]
    assert list(portions.portions([])) == []


@pytest.mark.parametrize("long", [0, 20], ids=["in one batch", "in two, the first of which is taken out again"])
def test_a_refused_save_leaves_nothing(long):
    with mneme.open_in_memory(embedder="none") as world:
        storage = MnemeKeyValueStorage(world=world, actor="ana")
        storage.save([{"n": "first"}])
        records = [{"n": number} for number in range(600)] + long_records(long)
        with pytest.raises(mneme.InvalidRequest):
            storage.save([*records, {"text": "x" * 2_000_000}])
        assert storage.load() == [{"n": "first"}]
        assert MnemeKeyValueStorage(world=world, actor="ana").load() == [{"n": "first"}]
        storage.save([{"n": "second"}])
        again = MnemeKeyValueStorage(world=world, actor="ana")
        assert again.load() == storage.load() == [{"n": "first"}, {"n": "second"}]
        again.save([{"n": "third"}])
        assert [record["n"] for record in MnemeKeyValueStorage(world=world, actor="ana").load()] \
            == ["first", "second", "third"]
