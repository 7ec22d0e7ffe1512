"""Ticks in numpy arrays: the same as ticks of requests, and what does not fit is refused."""

import pytest

import mneme
from mneme import asks
from mneme.arrays import ulid

numpy = pytest.importorskip("numpy")

DIM = 16


def vectors(count, seed=1):
    drawn = numpy.random.default_rng(seed).standard_normal((count, DIM)).astype(numpy.float32)
    return drawn / numpy.linalg.norm(drawn, axis=1, keepdims=True)


@pytest.fixture
def town():
    with mneme.open_in_memory(seed=1, embedder="none") as world:
        names = [f"agent {i}" for i in range(30)]
        told = world.tick_arrays(texts=[f"what {name} saw" for name in names], writers=names,
                                 vectors=vectors(30))
        assert told.refused == [] and world.stats().memories == 30
        yield world


def test_a_round_finds_what_finds_find(town):
    queries = vectors(5, seed=2)
    round_ = town.tick_arrays(queries, k=4, with_texts=True)
    assert round_.ids.shape == (5, 4) and round_.seq == 30
    for i, query in enumerate(queries):
        found = town.find(near_vector=query, limit=4, rank="distance")
        same = town.find(near_vector=query, limit=4)
        assert round_.found(i) == [m.id for m in same]
        assert list(round_.distances[i]) == same.answer.distances
        assert list(round_.scores[i]) == pytest.approx(same.answer.scores, rel=1e-3)
        assert round_.texts[i] == [m.version.data.statement for m in same]
        assert len(found) == 4


def test_agents_see_their_own_and_write_their_own(town):
    round_ = town.tick_arrays(vectors(2, seed=3), k=5, askers=["agent 3", "agent 4"],
                              texts=["a new one", "another"], writers=["agent 3", "agent 4"],
                              vectors=vectors(2, seed=4), write={"tags": ["new"]},
                              find={"types": ["Note"]})
    assert list(round_.counts) == [1, 1]
    assert (round_.distances[:, 1:] == 0).all()
    assert town.get(round_.found(0)[0]).actor_scope == "agent 3"
    written = town.get(ulid(round_.written[1]))
    assert written.actor_scope == "agent 4" and written.tags == ["new"]


def test_what_fails_fails_alone(town):
    round_ = town.tick_arrays(vectors(1), k=2, texts=["fine", ""], vectors=vectors(2))
    assert [(part.kind, part.number) for part in round_.refused] == [("write", 1)]
    assert isinstance(round_.refused[0].error, mneme.InvalidRequest)
    assert bytes(round_.written[1]) == bytes(16)
    assert town.get(ulid(round_.written[0])).version.data.statement == "fine"


def test_what_does_not_fit_is_refused_and_changes_nothing(town):
    seq = town.root().seq
    with pytest.raises(ValueError, match="shape"):
        town.tick_arrays(vectors(1)[0])
    with pytest.raises(ValueError, match="one for each"):
        town.tick_arrays(vectors(2), askers=["one"])
    with pytest.raises(ValueError, match="zero character"):
        town.tick_arrays(texts=["a\0b"], vectors=vectors(1))
    with pytest.raises(ValueError, match="a row for each"):
        town.tick_arrays(texts=["a"], vectors=vectors(2))
    with pytest.raises(ValueError, match="k is 1"):
        town.tick_arrays(vectors(1), k=0)
    with pytest.raises(TypeError, match="a list"):
        town.tick_arrays(texts="abc")
    for request in ({"find": {"limt": 1}}, {"find": {"limit": 9}}, {"find": {"near_vector": [1.0]}},
                    {"texts": ["a"], "write": {"data": 5}}):
        with pytest.raises(mneme.MnemeError):
            town.tick_arrays(vectors(1), **{"k": 3, **request})
    assert town.root().seq == seq


def test_arrays_of_another_kind_are_converted_and_views_may_be_strided(town):
    wide = numpy.zeros((3, 2 * DIM))
    wide[:, ::2] = vectors(3, seed=5)
    same = town.tick_arrays(vectors(3, seed=5), k=2)
    assert (town.tick_arrays(wide[:, ::2], k=2).ids == same.ids).all()


def test_a_server_has_no_arrays(served):
    with mneme.connect(served.url) as world:
        with pytest.raises(TypeError, match="tick"):
            world.tick_arrays(vectors(1))
        assert world.tick(writes=[asks.write("Note", {"statement": "tea"})]).seq == 1


def test_a_number_that_no_json_has_is_refused_with_its_place(town):
    for more in ({"write": {"metadata": {"x": float("nan")}}},
                 {"find": {"where": {"gt": ["confidence", float("inf")]}}}):
        with pytest.raises(ValueError) as refused:
            town.tick_arrays(texts=["x"], vectors=vectors(1), **more)
        assert isinstance(refused.value, mneme.InvalidRequest) and refused.value.code == "out_of_range"
        assert refused.value.at in ("write.metadata.x", "find.where.gt[1]")
