"""Requests as JSON: vectors are said quickly, and are what they were."""

import asyncio
import base64
import json
import math
import random
import struct
from array import array

import pytest

import mneme
from mneme import asks
from mneme.encoding import encoded, vector_of, weight


def bits(vector):
    return array("f", vector).tobytes()


def test_a_vector_is_said_as_the_floats_that_it_is():
    drawn = random.Random(1)
    every = [struct.unpack("f", struct.pack("I", drawn.getrandbits(32)))[0] for _ in range(20_000)]
    every = [number for number in every if math.isfinite(number)]
    for vector in (every, [0.0, -0.0, 1.0, -0.0], [1e-45, -1e-45, 3.4028235e38, -1.17549435e-38], [], [-0.0],
                   [drawn.gauss(0, 1) for _ in range(1_000)], [1, -2, 3], [1e-10, -1e-20]):
        request = asks.find(near_vector=vector, limit=1).request
        assert isinstance(request["near_vector"], array)
        said = json.loads(encoded({"a": "[]", **request, "b": [request["near_vector"]]}))
        assert base64.b64decode(said["near_vector"], validate=True) == base64.b64decode(said["b"][0]) == bits(vector)
        assert said["a"] == "[]" and said["limit"] == 1


def test_a_vector_in_memory_is_the_same_whatever_it_lies_in():
    numpy = pytest.importorskip("numpy")
    numbers = numpy.linspace(-1, 1, 24, dtype=numpy.float32)
    laid_out = {"in a row": numbers, "apart": numpy.repeat(numbers, 3)[::3],
                "as a column": numpy.stack([numbers] * 2, 1)[:, 1],
                "of other bytes": numbers.astype(">f4"), "of 64 bits": numbers.astype(numpy.float64),
                "an array": array("f", numbers), "a view": memoryview(numbers)}
    for how, vector in laid_out.items():
        asked = asks.find(near_vector=vector).request["near_vector"]
        assert isinstance(asked, array) and asked.tobytes() == numbers.astype("=f4").tobytes(), how
        vector[0] = 9
        assert asked[0] == -1
        vector[0] = -1
    assert not isinstance(asks.find(near_vector=numbers.reshape(2, 12)).request["near_vector"], array)
    masked = numpy.ma.array(numbers[:3], mask=[False, True, False])
    assert asks.find(near_vector=masked).request["near_vector"] == [-1, None, numbers[2]]
    with pytest.raises(TypeError):
        asks.find(near_vector=b"abcd")


def test_what_is_no_vector_is_said_as_it_is():
    for wrong in ([True], ["a"], [None], [[1.0]], [10**400], "tea"):
        assert vector_of(wrong) is None
        assert asks.find(near_vector=wrong).request["near_vector"] == wrong
    assert asks.write("Note", {"numbers": [0.1, 1e300]}).request["data"] == {"numbers": [0.1, 1e300]}


def test_what_a_request_weighs_is_what_it_is_encoded():
    for data in ({"statement": "tea"}, {"statement": "海" * 99}, {"statement": '"\\\n' * 99}, {"statement": "\ud800"}):
        request = asks.write("Note", data).request
        assert weight(request) == len(encoded(request))
    request = asks.write("Note", {"statement": "tea"}, vector=[math.sin(n) for n in range(384)]).request
    assert weight(request) == len(encoded(request))
    endless = {}
    endless["a"] = endless
    assert weight(endless) == 0 and weight({"a": object()}) < 20


def test_vectors_of_lists_arrays_and_numbers_are_the_same_memories(world):
    vector = [math.sin(n) for n in range(384)]
    world.write("Note", {"statement": "tea"}, vector=vector)
    for near in (vector, tuple(vector), array("f", vector), array("d", vector)):
        assert world.find(near_vector=near, limit=1).answer.distances[0] == pytest.approx(0, abs=1e-6)
    tick = world.tick(reads=[asks.find(near_vector=vector, limit=1), asks.find(near_vector=["a"], limit=1)],
                      writes=[asks.write("Note", {"statement": "x"}, vector=vector)])
    assert len(tick[0]) == 1 and isinstance(tick[1], mneme.InvalidRequest) and tick.writes[0].version == 1
    for wrong in ([1e300] * 384, [True] * 384, [None] * 384, vector[:5]):
        with pytest.raises(mneme.InvalidRequest):
            world.find(near_vector=wrong, limit=1)


def test_a_vector_that_no_world_takes_is_refused_alone(world):
    good = [1.0] + [0.0] * 383
    for wrong in ([float("nan")] * 384, [float("inf")] * 384, [1e300] * 384):
        tick = world.tick([asks.find(near_vector=wrong, limit=1), asks.find(near_vector=good, limit=1)],
                          [asks.write("Note", {"statement": "x"}, vector=wrong),
                           asks.write("Note", {"statement": "y"}, vector=good)])
        assert tick[0].code == "bad_vector" and tick[0].at == "reads[0].near_vector"
        assert tick.writes[0].code == "bad_vector" and tick.writes[0].at == "writes[0].vector"
        assert isinstance(tick[1], list) and tick.writes[1].version == 1


NOT_FINITE = [float("nan"), float("inf"), -float("inf")]


@pytest.mark.parametrize("number", NOT_FINITE)
def test_a_number_that_no_json_has_is_refused_with_its_place(world, number):
    def wrong():
        return asks.write("Note", {"statement": "x"}, metadata={"list": [1.5, number]})
    for call in (lambda: world.run(wrong()), lambda: asyncio.run(world.awaited().run(wrong()))):
        with pytest.raises(mneme.InvalidRequest) as refused:
            call()
        assert isinstance(refused.value, ValueError)
        assert (refused.value.code, refused.value.at) == ("out_of_range", "metadata.list[1]")
    assert world.stats().memories == 0


def test_what_is_within_itself_is_refused(world):
    ring = {"list": []}
    ring["list"].append(ring)
    with pytest.raises(ValueError, match="Circular|within itself"):
        world.write("Note", {"statement": "x"}, metadata=ring)
    assert world.stats().memories == 0


@pytest.mark.parametrize("number", NOT_FINITE)
def test_a_tick_refuses_a_number_that_no_json_has_alone_also_when_it_is_awaited(world, number):
    reads = [asks.search("tea"), asks.find("Note", limit=1, where={"gt": ["confidence", number]})]
    writes = [asks.write("Note", {"statement": "x"}, importance=number), asks.write("Note", {"statement": "y"}),
              asks.write("Note", {"statement": "z\ud800"}), asks.write("Note", {"statement": "z"}, importance=[])]

    async def awaited():
        return await world.awaited().tick(reads, writes)
    for tick in (world.tick(reads, writes), asyncio.run(awaited())):
        assert tick[0] == [] and tick.writes[1].version == 1
        assert [(type(one), one.code, one.at) for one in (tick[1], *tick.writes[:1], *tick.writes[2:])] == [
            (mneme.InvalidRequest, "out_of_range", "reads[1].where.gt[1]"),
            (mneme.InvalidRequest, "out_of_range", "writes[0].importance"),
            (mneme.InvalidRequest, "bad_json", "writes[2].data.statement"),
            (mneme.InvalidRequest, "wrong_type", "writes[3].importance")]
    assert world.stats().memories == 2


def nested(depth):
    inner = "x"
    for _ in range(depth):
        inner = {"a": inner}
    return inner


#: Keywords of a write that the engine cannot read, and what it says of them.
UNREADABLE = [({"importance": 10**400}, "out_of_range", "importance"),
              ({"metadata": {"x": 2**70}}, "out_of_range", "metadata.x"),
              ({"metadata": {"x": 10**5_000}}, "out_of_range", "metadata.x"),
              ({"vector": [10**400] * 3}, "out_of_range", "vector[0]"),
              ({"metadata": {"x": nested(62)}}, "bad_json", "metadata.x" + ".a" * 59),
              ({"payload": {"x": [float("nan")]}}, "out_of_range", "payload.x[0]")]


def test_a_tick_refuses_what_cannot_be_read_alone_also_when_it_is_awaited(world):
    reads = [asks.search("tea"), asks.find("Note", near_vector=[10**400] * 3, limit=1), asks.find("Note", limit=2**70)]
    writes = [asks.write("Note", {"statement": "x"})]
    for more, _, _ in UNREADABLE:
        writes += [asks.write("Note", {"statement": "x"}, **more), asks.write("Note", {"statement": "y"})]

    async def awaited():
        return await world.awaited().tick(reads, writes)
    for tick in (world.tick(reads, writes), asyncio.run(awaited())):
        assert isinstance(tick[0], mneme.Found) and all(one.version == 1 for one in tick.writes[::2])
        assert [(one.code, one.at) for one in tick[1:]] == [("out_of_range", "reads[1].near_vector[0]"),
                                                            ("out_of_range", "reads[2].limit")]
        for place, (one, (_, code, at)) in enumerate(zip(tick.writes[1::2], UNREADABLE)):
            assert isinstance(one, mneme.InvalidRequest) and one.code == code
            assert one.at.startswith(f"writes[{2 * place + 1}].{at}") and one.faults[0].at == one.at
    assert world.stats().memories == 2 * (1 + len(UNREADABLE))


def test_a_tick_with_much_that_cannot_be_read_is_refused(monkeypatch):
    monkeypatch.setattr(asks, "_MOST_NAMED", 2)
    writes = [asks.write("Note", {"statement": "x"}, importance=importance) for importance in (2**70, 1, 2**70, 2**70)]
    with mneme.open_in_memory(embedder="none") as world:
        assert world.tick(writes=writes[:3]).writes[1].version == 1
        with pytest.raises(mneme.InvalidRequest) as refused:
            world.tick(writes=writes)
        assert refused.value.at == refused.value.faults[0].at == "writes[3].importance" and world.stats().memories == 1


def test_what_cannot_be_read_refuses_nobody_else_of_its_turn(world):
    async def live():
        town = world.awaited()
        return await asyncio.gather(
            town.write("Note", {"statement": "x"}), town.search("tea"),
            *[town.write("Note", {"statement": "x"}, **more) for more, _, _ in UNREADABLE],
            town.find("Note", near_vector=[10**400] * 3, limit=1), return_exceptions=True)
    note, found, *refused, near = asyncio.run(live())
    assert note.version == 1 and found == []
    assert [one.code for one in refused[:4]] == ["out_of_range"] * 4
    assert [one.at for one in refused[:4]] == [at for _, _, at in UNREADABLE[:4]]
    assert refused[5].at == "payload.x[0]" and isinstance(refused[5], ValueError)
    assert all(isinstance(one, mneme.InvalidRequest) for one in (*refused, near)) and near.at == "near_vector[0]"


def test_a_payload_may_not_be_within_itself():
    inner = []
    inner.append(inner)
    with pytest.raises(ValueError):
        asks.write("Note", {"statement": "x"}, payload={"x": inner})


def test_a_load_says_which_item_has_a_number_that_no_json_has(world):
    items = [asks.write("Note", {"statement": "x"}, confidence=n) for n in (1.0, 1.0, 1.0, float("nan"))]

    async def awaited():
        await world.awaited().load(items, batch=2)
    for load in (lambda: world.load(items, batch=2), lambda: asyncio.run(awaited())):
        with pytest.raises(mneme.InvalidRequest) as refused:
            load()
        assert refused.value.at == "items[3].confidence" and refused.value.details["written"] == 2
