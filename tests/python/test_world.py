"""What a host in Python does with a world, in this process and through a server alike."""

import asyncio
import concurrent.futures
import copy
import datetime
import gc
import heapq
import json
import pickle
import re
import threading
import time
import weakref

import pytest

import mneme
from mneme import asks
from mneme import proof as proofs
from mneme.records import parsed

TEA = {"statement": "tea is served at five"}
NOWHERE = "01HZZZZZZZZZZZZZZZZZZZZZZZ"


def test_what_was_written_is_found_by_every_door(world):
    note = world.write("Note", TEA, actor="ana", tags=["tea"])
    assert note.version == 1 and note["id"] == note.id
    assert world.get(note).version.data.statement == TEA["statement"]
    assert world.resolve(note).uri == note.uri
    assert [hit.id for hit in world.search("when is tea?")] == [note.id]
    assert [m.id for m in world.find("Note", where={"has_tag": "tea"}, limit=5)] == [note.id]
    topic = world.ingest("new_topic", title="Harbour", fields={"depth": {"value": 12.5}})
    assert world.retrieve("harbour")[0].topic_id == topic.topic_id
    assert world.retrieve(query="harbour")[0].topic_id == topic.topic_id
    told = world.context(query="tea", budget_tokens=500)
    assert TEA["statement"] in str(told.tiers)


def test_absence_weights_and_receipts(world):
    note = world.write("Note", TEA)
    assert world.absent("zeppelin schedules of the baltic").absent
    assert not world.absent("when is tea served").absent
    gone = world.absent(ids=[NOWHERE])
    assert gone.absent and len(gone.proof.proofs) == 1
    receipt = world.search("when is tea served", receipt=True).answer.receipt
    assert receipt.results[0].id == note.id
    world.write("Note", {"statement": "tea tea tea"})
    assert world.replay_receipt(receipt).equal
    before = world.weights().weights
    world.set_weights("text=0.5")
    assert "text=0.5" in world.weights().weights
    world.set_weights(reset=True)
    assert world.weights().weights == before


def test_changes_make_versions_and_edges_and_can_be_undone(world):
    note = world.write("Note", TEA)
    later = world.update(note, {"statement": "tea is served at six"})
    assert later.version == 2
    assert world.resolve(note.uri).version.data.statement == TEA["statement"]
    other = world.write("Note", {"statement": "the kettle is on"})
    world.add_edge(note, "derived_from", other)
    assert [e.dst for e in world.edges(note)] == [other.id]
    assert world.tombstone(later, "the kitchen is closed").changed
    assert [m.id for m in world.stale_of(other)] == []
    world.restore(note)
    assert world.get(note).version.data.statement == "tea is served at six"
    world.remove_edge(note, "derived_from", other)
    assert world.edges(note) == []


def test_memories_by_key_with_a_payload_that_comes_back_as_it_was(world):
    made = world.put("tea", "today", "Note", TEA, payload={"cups": 2, "z": [1.0, None]})
    assert made.outcome == "created"
    assert json.loads(world.get_by("tea", "today").version.payload) == {"cups": 2, "z": [1.0, None]}
    again = world.put("tea", "today", "Note", {"statement": "tea at six"}, payload='{ "b":1 }')
    assert (again.outcome, again.id, again.version) == ("updated", made.id, 2)
    assert world.get(made).version.payload == '{ "b":1 }'
    assert world.get_by("tea", "today", at_seq=made.seq).version.data == TEA
    assert [v.version for v in world.history(namespace="tea", key="today")] == [2, 1]
    assert world.history(made)[0].changes[0].after == "tea at six"
    world.put("tea", "tomorrow", "Note", TEA, expires_at="1999-01-01T00:00:00Z")
    assert [m.key for m in world.list(namespace="tea", include_ended=True)] == ["tomorrow", "today"]
    page = world.list("Note", limit=1, include_ended=True)
    assert world.list(limit=9, cursor=page.answer.next)[0].key == "today"
    assert len(world.sweep().swept) == 1
    assert world.trim(dry_run=True).changed is False
    assert [(n.namespace, n.memories) for n in world.namespaces()] == [("tea", 1)]
    assert [(a.actor, a.memories) for a in world.actors()] == [("", 1)]
    assert world.delete_by("tea", "today").changed
    assert not world.delete_by("tea", "today").changed
    with pytest.raises(mneme.Tombstoned):
        world.get_by("tea", "today")
    assert world.put("tea", "today", "Note", TEA).outcome == "revived"
    with pytest.raises(mneme.InvalidRequest):
        world.put("tea", "today", "Note", TEA, payload="no JSON")


def test_a_refusal_is_an_exception_that_says_what_and_where(world):
    with pytest.raises(mneme.NotFound) as refused:
        world.get(NOWHERE)
    assert refused.value.code == "not_found" and NOWHERE in str(refused.value)
    with pytest.raises(mneme.InvalidRequest) as refused:
        world.find("Note", limt=5)
    assert refused.value.code == "unknown_key" and refused.value.at == "limt"
    assert "did you mean" in str(refused.value)
    with pytest.raises(mneme.AlreadyExists):
        world.write("Note", TEA, id=world.write("Note", TEA).id)
    with pytest.raises(mneme.VersionConflict):
        world.update(world.write("Note", TEA), TEA, expect_version=7)
    with pytest.raises(mneme.MnemeError):
        world.call("no such op")


def test_values_of_python_become_values_of_requests(world):
    noon = datetime.datetime(2026, 1, 1, 12, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))
    note = world.write("Note", TEA, valid_from=noon, actor=None)
    assert world.get(note).version.valid_from.startswith("2026-01-01T11:00:00")
    day = datetime.date(2026, 1, 2)
    dated = world.write("Note", {"statement": "on that day"}, valid_from=day, metadata={"day": day})
    assert world.get(dated).version.valid_from == "2026-01-02T00:00:00Z"
    assert world.get(dated).metadata.day == "2026-01-02"
    later = {"and": [{"gte": ["version.valid_from", day]}, {"in": ["version.valid_from", [day, noon]]}]}
    assert [m.id for m in world.find("Note", where=later, limit=9)] == [dated.id]
    world.write("Note", {"statement": day})
    assert len(world.find("Note", where={"eq": ["data.statement", day]}, limit=9)) == 1
    assert {m.id for m in world.find("Note", as_of=day, limit=9)} == {note.id, dated.id}
    assert len(world.tick(reads=[asks.find("Note", where=later, limit=9)])[0]) == 1
    with pytest.raises(ValueError, match="time zone"):
        world.write("Note", TEA, valid_from=datetime.datetime(2026, 1, 1))
    with pytest.raises(TypeError, match="cannot say"):
        world.write("Note", {"statement": object()})
    with pytest.raises(mneme.InvalidRequest, match="finite"):
        world.find("Note", near_vector=[float("nan")], limit=1)
    assert len(world.find("Note", from_=note.id, follow=None, limit=1)) <= 1


def test_vectors_may_be_arrays(world):
    numpy = pytest.importorskip("numpy")
    near = numpy.zeros(384, dtype=numpy.float32)
    near[3] = 1
    note = world.write("Note", TEA, vector=near)
    world.write("Note", {"statement": "the far one"}, vector=-near)
    found = world.find(near_vector=near, limit=1)
    assert [m.id for m in found] == [note.id]
    assert found.answer.distances[0] == pytest.approx(0, abs=1e-6)


def test_a_tick_reads_one_moment_and_what_fails_fails_alone(world):
    note = world.write("Note", TEA)
    before = world.root().seq
    tick = world.tick(
        reads=[asks.search("tea"), asks.get(NOWHERE), asks.get(note)],
        writes=[asks.write("Note", {"statement": "it rains"}), asks.write("Note", {"stmt": 1}),
                asks.tombstone(note)])
    assert tick[0][0].id == note.id
    assert isinstance(tick[1], mneme.NotFound)
    assert tick[2].id == note.id
    assert tick.writes[0].version == 1
    assert isinstance(tick.writes[1], mneme.MnemeError)
    assert tick.writes[2].changed
    assert tick.seq > before


def test_a_tick_is_one_list_for_all_threads():
    """What a read found is parsed where it is first looked at: by one thread, and it stays where it was put."""
    looking = threading.Event()

    def slowly(answer):
        looking.set()
        time.sleep(0.02)
        return answer

    def tick_of(count):
        looking.clear()
        return asks.Tick([asks._Unread(b'{"ok":true,"n":%d}' % n, slowly) for n in range(count)], [], None)
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        tick = tick_of(1)
        seen = [future.result() for future in [pool.submit(lambda: tick[0]) for _ in range(3)]]
        assert all(one is tick[0] for one in seen)

        tick = tick_of(2)
        first = pool.submit(lambda: tick[0])
        assert looking.wait(10)
        tick[0] = "mine"
        assert first.result() == {"n": 0} and tick == ["mine", {"n": 1}]

        tick = tick_of(6)

        def take():
            taken = []
            while tick:
                try:
                    taken.append(tick.pop(0)["n"])
                except IndexError:
                    break
            return taken
        taken = [future.result() for future in [pool.submit(take) for _ in range(3)]]
        assert sorted(sum(taken, [])) == [0, 1, 2, 3, 4, 5]
    tick = tick_of(3)
    tick.insert(1, "new")
    del tick[0]
    tick.reverse()
    assert list(tick) == [{"n": 2}, {"n": 1}, "new"] and pickle.loads(pickle.dumps(tick)) == tick
    tick.clear()
    assert list(tick) == []


def test_half_of_a_surrogate_pair_refuses_what_it_is_in(world):
    bad = asks.write("Note", {"statement": "half \ud83d"}, tags=["a"])
    tick = world.tick(reads=[asks.search("tea"), asks.search("\udc00")],
                      writes=[bad, asks.write("Note", TEA), bad, asks.write("Note", {"statement": "\\ud83d 😀"}),
                              asks.write("Note", {"statement": "\ud83d\ude00"})])
    assert tick[0] == [] and tick[1].at == "reads[1].query"
    assert [type(one).__name__ for one in tick.writes] == ["InvalidRequest", "Record", "InvalidRequest", "Record",
                                                          "Record"]
    assert [(one.code, one.at) for one in tick.writes[:3:2]] == [
        ("bad_json", "writes[0].data.statement"), ("bad_json", "writes[2].data.statement")]
    assert world.get(tick.writes[3]).version.data.statement == "\\ud83d 😀"
    assert world.get(tick.writes[4]).version.data.statement == "😀"  # two halves are one character
    with pytest.raises(mneme.InvalidRequest) as refused:
        world.batch([asks.write("Note", TEA), bad])
    assert refused.value.at == "items[1].data.statement"

    async def awaited():
        town = world.awaited()
        return await town.tick(reads=[asks.search("tea")], writes=[bad])
    tick = asyncio.run(awaited())
    assert len(tick[0]) == 1 and tick.writes[0].at == "writes[0].data.statement"


def test_a_tick_is_a_list_whether_it_was_looked_at_or_not(world):
    for n in range(3):
        world.write("Note", {"statement": f"tea {n}\n\u2028海"}, tags=[f"t{n}"], payload={"n": [n]})

    def tick():
        return world.tick([asks.find("Note", where={"has_tag": f"t{n}"}, limit=1) for n in (0, 1, 2)]
                          + [asks.find("Note", limt=1), asks.search("tea")])
    said = [list(one) if isinstance(one, list) else repr(one) for one in tick()]
    assert [len(one) for one in said[:3]] == [1, 1, 1] and len(said) == 5
    assert [one[0].version.data.statement for one in said[:3]] == [f"tea {n}\n\u2028海" for n in range(3)]

    def same(items):
        return [list(one) if isinstance(one, list) else repr(one) for one in items] == said
    for look in (list, tuple, lambda t: [*t], lambda t: t[:], lambda t: t + [], lambda t: [] + t, lambda t: t.copy(),
                 lambda t: [t[n] for n in range(-5, 0)], lambda t: list(reversed(t))[::-1], copy.copy,
                 lambda t: (t * 2)[5:], lambda t: (2 * t)[:5], lambda t: [one for one, _ in zip(t, range(9))],
                 lambda t: sorted(t, key=id) and t, lambda t: [t.pop() for _ in range(5)][::-1],
                 lambda t: (t.append("more"), t[:5])[1], lambda t: [t.pop(0) for _ in range(5)]):
        assert same(look(tick()))
    assert json.loads(json.dumps(tick()[:3])) == json.loads(json.dumps([[*one] for one in tick()[:3]])) == said[:3]
    reads = tick()
    del reads[3]
    assert json.loads(json.dumps(reads)) == said[:3] + [json.loads(json.dumps(said[4]))]
    assert tick()[:3] == said[:3] and said[:3] == list(tick()[:3]) and tick()[:3] != said[1:3]
    first = tick()
    assert first[1] is first[1] and first[1] in first and first.index(first[2]) == 2 and first.count(first[2]) == 1
    first[0].append("mine")
    assert first[0][-1] == "mine" and len(first) == 5 and "mneme.Tick" in repr(first)
    assert pickle.loads(pickle.dumps(tick()[:3])) == said[:3]
    again = pickle.loads(pickle.dumps(tick()))
    assert type(again) is mneme.Tick and again[0].answer.at_seq == world.root().seq and again.writes == []
    with pytest.raises(IndexError):
        first[5]
    assert not world.tick([], []) and world.tick()[:] == []
    assert world.call("tick", reads=[{"op": "find", "limit": 9}]).reads[0].memories[0].id

    def notes():
        return world.tick([asks.find("Note", limit=2), asks.find("Note", limit=1)])
    assert notes() == notes() and not notes() != notes() and notes() <= notes() and not notes() < notes()
    assert [len(one) for one in notes() + notes()] == [len(one) for one in [] + notes() + notes()] == [2, 1, 2, 1]
    past_its_methods = (lambda t: [heapq.heappop(t)], lambda t: [list.__getitem__(t, 0)],
                        lambda t: [list.pop(t)], lambda t: list(list.__iter__(t)))
    for reach in past_its_methods:
        one = reach(world.tick([asks.find("Note", where={"has_tag": "t2"}, limit=1)]))[0]
        assert isinstance(one, mneme.Found) and isinstance(one, list) and len(one) == 1 and one and one == said[2]
        assert one[0].version.data.statement == "tea 2\n\u2028海" == one.texts()[0].replace(" 海", "\n\u2028海")
        assert list(one) == said[2] and said[2][0] in one and repr(one) == repr(one[0]) and one.answer.at_seq
        assert type(pickle.loads(pickle.dumps(one))) is type(copy.copy(one)) is mneme.Found and one <= said[2]
    refused = heapq.heappop(world.tick([asks.find("Note", limt=1)]))
    assert isinstance(refused, mneme.InvalidRequest) and refused and refused.at == "reads[0].limt"
    heap = world.tick([asks.find("Note", limit=1, where={"has_tag": tag}) for tag in ("t0", "none", "t1", "none")])
    del heap[0], heap[1]
    heapq.heapify(heap)
    assert heap == [[], []]
    twice = world.tick([asks.find("Note", limit=1)])
    twice *= 2
    assert twice[0] is twice[1]


def test_what_is_taken_out_of_a_tick_past_its_methods_is_what_it_says(world):
    world.write("Note", TEA)
    finds = [asks.find("Note", limit=1), asks.find("Note", limt=1), asks.get(world.find("Note", limit=1)[0])]
    found, refused, note = list(world.tick(finds))
    for place, said in enumerate((found, refused, note)):
        one = list.copy(world.tick(finds))[place]
        assert (str(one), f"{one}", dir(one)) == (str(said), f"{said}", dir(said))
        assert getattr(one, "_text", b"") == b""  # nothing is kept twice
    one, its_refusal, its_note = list.copy(world.tick(finds))
    assert f"{one!s:>400}" == f"{found!s:>400}" and isinstance(hash(its_refusal), int)
    with pytest.raises(TypeError):
        hash(its_note)
    assert [*reversed(one)] == found and one + [1] == found + [1] and [1] + one == [1] + found
    assert its_note | {"x": 1} == {**note, "x": 1} and {"x": 1, "id": 2} | its_note == {"x": 1, **note}
    its_note["x"] = 1
    assert its_note["x"] == 1
    del its_note["x"], one[0]
    assert its_note == note and not one


def test_a_fault_of_a_whole_item_and_those_within_it_are_told_where_it_stands():
    rest = asks.SayableTick(asks.tick(writes=[asks.write("Note", TEA), asks.write("Note", TEA)]))
    faults = [{"code": "unknown_key", "message": "no", "at": at} for at in ("writes[1]", "writes[1].x")]
    rest.leave_out(mneme.errors.error_of({"error": {**faults[0], "faults": faults}}))
    refused = rest.told({"reads": [], "writes": [{"ok": True}]}, {"reads": {}, "writes": {}}).writes[1]
    assert (refused.at, [fault.at for fault in refused.faults]) == ("writes[1]", ["writes[1]", "writes[1].x"])


def test_faults_that_are_too_many_to_name_are_counted_however_they_are_gathered(world):
    def bad(count):
        return asks.write("Note", {"statement": "x"}, **{f"no_such_key_{n}": n for n in range(count)})

    def counted(last, count):
        return rf"{last}: [^;]*; and {count} more( \(|$)"
    with pytest.raises(mneme.InvalidRequest, match=counted("no_such_key_7", 4)):
        world.run(bad(12))
    assert re.search(counted(r"writes\[0\].no_such_key_7", 4), str(world.tick(writes=[bad(12)]).writes[0]))
    with pytest.raises(mneme.InvalidRequest, match=counted(r"items\[0\].no_such_key_7", 4)):
        world.batch([bad(12), bad(1)])  # beyond the first item with more nobody looks
    with pytest.raises(mneme.InvalidRequest, match=counted(r"items\[1\].no_such_key_0", 6)) as refused:
        world.batch([bad(7), bad(7)])
    assert [fault.at for fault in refused.value.faults][6:] == ["items[0].no_such_key_6", "items[1].no_such_key_0"]


def test_all_faults_of_a_write_are_told_at_once(world):
    with pytest.raises(mneme.InvalidRequest) as refused:
        world.write("Note", {"text": "x"}, importance=12, expires_at="soon")
    assert refused.value.at == "data.text"
    for told in ("expires_at: ", 'data.statement: a Note needs "statement"', "importance: not in 0..10"):
        assert f"; also at {told}" in str(refused.value)
    faults = refused.value.faults
    assert {fault.at for fault in faults} == {"data.text", "expires_at", "data.statement", "importance"}
    assert faults[0].message == 'unknown key "text"; did you mean "statement"?'
    assert ("out_of_range", "not in 0..10", "importance") in faults
    assert pickle.loads(pickle.dumps(refused.value)).faults == faults
    with pytest.raises(mneme.InvalidRequest) as refused:
        world.find("Note", limit=0)
    assert refused.value.faults == [(refused.value.code, refused.value.message, refused.value.at)]


def test_a_fault_keeps_its_place_whatever_the_text_says(world):
    """Places are no part of a message that has to be looked for."""
    text = "x; also at writes[0].data.z: y; also at items[3].data.statement: no"
    wrong = asks.write("Note", {"statement": "x", text: "y"}, importance=12)
    with pytest.raises(mneme.InvalidRequest) as refused:
        world.load([asks.write("Note", TEA), wrong], batch=1)
    assert [fault.at for fault in refused.value.faults][-1] == "items[1].importance"
    assert refused.value.message.count("items[1].") == len(refused.value.faults) - 1

    async def two():
        town = world.awaited()
        return await asyncio.gather(town.run(wrong), town.search("tea"), return_exceptions=True)
    refused, _ = asyncio.run(two())
    with pytest.raises(mneme.InvalidRequest) as alone:
        world.run(wrong)
    assert refused.faults == alone.value.faults and str(refused) == str(alone.value)


def test_a_change_that_names_an_id_is_refused_at_it(world):
    note = world.write("Note", TEA)
    world.tombstone(note.id)
    asked = [asks.update(note.id, TEA), asks.update_head(note.id, tags=["a"]), asks.tombstone(NOWHERE),
             asks.tombstone("no id"), asks.update(NOWHERE, {"stm": "x"})]

    async def together():
        return await asyncio.gather(*(world.awaited().run(ask) for ask in asked), return_exceptions=True)
    for ask, later in zip(asked, asyncio.run(together())):
        with pytest.raises(mneme.MnemeError) as refused:
            world.run(ask)
        assert refused.value.at == later.at == "id", ask
        with pytest.raises(mneme.MnemeError) as refused:
            world.batch([asks.write("Note", TEA), ask])
        assert refused.value.at == "items[1].id", ask
    assert [one.at for one in world.tick(writes=asked).writes] == [f"writes[{n}].id" for n in range(5)]
    with pytest.raises(mneme.Tombstoned) as refused:
        world.update(world.list(include_tombstoned=True, limit=1)[0], TEA)
    assert refused.value.at == "uri"


def test_a_batch_is_all_or_none(world):
    written = world.batch([asks.write("Note", TEA), asks.write("Note", {"statement": "two"})])
    assert [r.version for r in written] == [1, 1]
    seq = world.root().seq
    with pytest.raises(mneme.MnemeError):
        world.batch([asks.write("Note", {"statement": "three"}), asks.write("Note", {})])
    assert world.root().seq == seq


def test_a_load_writes_all_in_order_batch_by_batch(world):
    told = world.load((asks.write("Note", {"statement": f"number {n}"}) for n in range(25)), batch=10)
    assert told == {"written": 25, "seq": world.root().seq}
    assert [m.version.data.statement for m in world.list(limit=25)] == [f"number {n}" for n in range(24, -1, -1)]
    a, b = (m.id for m in world.list(limit=2))
    assert world.load([asks.add_edge(a, "references", b)]).written == 1 and len(world.edges(a)) == 1
    assert world.load([]) == {"written": 0, "seq": None}
    for wrong in (0, -1, "ten"):
        with pytest.raises(ValueError):
            world.load([], batch=wrong)
    with pytest.raises(TypeError):
        world.load(["tea"])


def test_a_load_ends_with_the_first_batch_that_is_refused(world):
    made = []

    def items():
        for n in range(100):
            made.append(n)
            yield asks.write("Note", {"statement": "x"} if n != 14 else {"stm": "x"})
    with pytest.raises(mneme.InvalidRequest) as refused:
        world.load(items(), batch=5)
    assert refused.value.at == "items[14].data.stm" and refused.value.details["written"] == 10
    assert "; also at items[14].data.statement: " in str(refused.value)
    assert world.stats().memories == 10 and len(made) <= 20

    def broken():
        yield from (asks.write("Note", {"statement": "y"}) for _ in range(6))
        raise KeyError("no more")
    with pytest.raises(KeyError):
        world.load(broken(), batch=5)
    assert world.stats().memories == 15  # what was sent is done
    with pytest.raises(ValueError):
        world.load([asks.write("Note", {"statement": "z"}, importance=n) for n in (5, float("nan"))], batch=1)
    assert world.stats().memories == 16


def test_what_the_items_of_a_load_raise_is_their_own(world):
    def items():
        yield from (asks.write("Note", {"statement": "x"}) for _ in range(5))
        world.get(NOWHERE)
    with pytest.raises(mneme.NotFound) as raised:
        world.load(items(), batch=5)
    assert "written" not in raised.value.details
    assert world.stats().memories == 5

    def moved():
        yield asks.write("Note", {"statement": "x"})
        raise mneme.InvalidRequest("bad_value", "no such page", "items[7]")
    with pytest.raises(mneme.InvalidRequest) as raised:
        world.load(moved(), batch=1)
    assert raised.value.at == "items[7]" and raised.value.details == {}


@pytest.mark.parametrize("problem", [KeyError("no more"), mneme.NotFound("not_found", "no more")])
def test_a_load_tells_of_a_refusal_that_comes_after_its_items_broke(problem):
    with mneme.open_in_memory() as world:
        def items():
            yield from (asks.write("Note", {"statement": "x"}) for _ in range(4))
            yield from (asks.write("Note", {"stm": "x"}) for _ in range(2))
            raise problem
        with pytest.raises(mneme.InvalidRequest) as refused:
            world.load(items(), batch=2)
        assert refused.value.at == "items[4].data.stm" and refused.value.details["written"] == 4
        assert refused.value.__context__ is problem and not refused.value.__suppress_context__
        assert world.stats().memories == 4


def test_who_interrupts_a_load_is_told_what_was_refused():
    with mneme.open_in_memory() as world:
        def items(**data):
            yield asks.write("Note", data)
            raise KeyboardInterrupt
        with pytest.raises(KeyboardInterrupt) as interrupted:
            world.load(items(stm="x"), batch=1)
        assert isinstance(interrupted.value.__cause__, mneme.InvalidRequest)
        assert interrupted.value.__cause__.details["written"] == 0
        with pytest.raises(KeyboardInterrupt) as interrupted:
            world.load(items(statement="x"), batch=1)
        assert interrupted.value.__cause__ is None and world.stats().memories == 1


def test_a_load_counts_what_was_under_way_when_the_world_closed():
    world = mneme.open_in_memory()

    def items():
        yield asks.write("Note", {"statement": "x"})
        world.close()
        yield asks.write("Note", {"statement": "x"})
    with pytest.raises(mneme.Shutdown) as closed:
        world.load(items(), batch=1)
    assert closed.value.details["written"] == 1


def test_batches_of_a_load_end_also_by_bytes(world):
    notes = (asks.put("pages", str(n), "Note", {"statement": "x"}, payload={"text": "y" * 100_000}) for n in range(300))
    assert world.load(notes).written == 300
    before = world.stats().memories
    items = [asks.write("Note", {"statement": "x"}), asks.put("pages", "all", "Note", {"statement": "y" * (17 << 20)})]
    with pytest.raises(mneme.MnemeError) as refused:
        world.load(items)
    assert refused.value.details["written"] == 1 and world.stats().memories == before + 1


def test_the_past_and_its_proofs(world):
    note = world.write("Note", TEA)
    then = world.root()
    world.update(note, {"statement": "tea is served at six"})
    assert world.root().root != then.root
    assert world.root(at_seq=then.seq).root == then.root
    assert world.get(note, at_seq=then.seq).version.data == TEA
    assert world.prove(ids=[note.id]).proofs
    assert [entry.seq for entry in world.journal(limit=2)] == [1, 2]


def test_proofs_are_checked_without_the_engine(world):
    note = world.write("Note", TEA)
    edge = world.add_edge(note, "references", world.write("Note", {"statement": "two"}))
    proof = world.prove(ids=[note.id], seqs=[edge.seq])
    trusted = world.root().root
    lines = mneme.verify_proof(proof, trusted)
    assert lines[0] == f"ok root {trusted} seq {edge.seq} trusted" and len(lines) == 3
    assert lines[1].startswith("ok memories ") and lines[2].startswith(f"ok journal {edge.seq} ")
    text = json.dumps(proof)
    assert mneme.verify_proof(text) == mneme.verify_proof(text.encode()) == [lines[0][:-len(" trusted")], *lines[1:]]
    gone = world.absent(ids=[NOWHERE]).proof
    assert mneme.verify_proof(gone, trusted)[1].endswith(" absent")
    for broken in ({**proof, "seq": edge.seq + 1}, {**proof, "proofs": []}, {**gone, "proofs": proof.proofs[:1] * 2,
                                                                          "root": "0" * 64}):
        with pytest.raises(proofs.Refused):
            mneme.verify_proof(broken)
    world.write("Note", {"statement": "three"})
    with pytest.raises(proofs.Refused, match="trusted"):
        mneme.verify_proof(proof, world.root().root)
    for nothing in ("no proof", None, [], [proof], 7, 1.5, True, {"root": b"x"}):
        with pytest.raises(proofs.Unusable):
            mneme.verify_proof(nothing)


def test_a_proof_of_a_world_on_a_log_says_where_it_was(world):
    proof = world.prove(ids=[world.write("Note", TEA).id])
    where = {"epoch": 1, "seq": 1, "root": proof.root}
    assert mneme.verify_proof({**proof, "log_position": where}) == mneme.verify_proof(proof)
    for wrong in (None, 1, "1", [where]):
        with pytest.raises(proofs.Refused, match="log_position"):
            mneme.verify_proof({**proof, "log_position": wrong})
    with pytest.raises(proofs.Refused, match="log_place"):
        mneme.verify_proof({**proof, "log_place": where})


def test_a_long_answer_is_not_looked_through_while_it_is_parsed():
    text = json.dumps([{"n": [n], "of": {"n": n}} for n in range(9_000)])
    gathered = []
    gc.callbacks.append(lambda phase, info: gathered.append(phase))
    try:
        gc.collect(0)
        gathered.clear()
        answer = parsed(text)
        assert gathered.count("start") <= 1 and gc.isenabled() and answer[-1].of.n == 8_999
    finally:
        gc.callbacks.pop()
    gc.disable()
    try:
        parsed(text)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_a_host_that_reads_long_answers_has_its_garbage_collected():
    text = json.dumps([{"n": [n], "of": {"n": n}} for n in range(9_000)])
    early = []
    for round_ in range(300):
        knots = [Knot() for _ in range(100)]
        if round_ < 10:
            early += map(weakref.ref, knots)
        parsed(text)
        if not any(knot() for knot in early):
            return
    raise AssertionError("what is garbage since long is there")


class Knot:
    def __init__(self):
        self.itself = self


def test_records_of_any_make_are_printed():
    version = {"version": 2, "data": TEA, "created_by": "ana"}
    for changes in ({"statement": "x"}, "statement", 7, ["statement"], None):
        assert repr(mneme.Record(version, changes=changes)) == f"<version 2> {TEA['statement']!r} by ana"
    assert repr(mneme.Record(version, changes=[{"field": "statement"}])).endswith("by ana, changed statement")
    assert repr(mneme.Record(kind="x", at="y", actor="z", fields=7))
    assert repr(mneme.Record(seq=1, kind="x", at="y", actor="z", fields=7)) == "<change 1 x> by z"
    assert repr(mneme.Record(uri="mneme://note/x#1", tags=7)) == "<mneme://note/x#1>"


def test_the_whole_journal_is_verified(world):
    world.write("Note", TEA)
    told = world.verify()
    assert told.root == world.root().root and told.seq == 1 and told.entries == 1
    assert told.frames >= 1 and told.segments >= 1
    assert asyncio.run(world.awaited().verify()) == told


def test_threads_share_a_world(world):
    def work(name):
        for i in range(5):
            world.write("Note", {"statement": f"{name} {i}"}, actor=name)
    threads = [threading.Thread(target=work, args=(f"a{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert world.stats().memories == 20


def test_answers_read_well(world):
    note = world.write("Note", {"statement": "a <b>bold</b> word"}, tags=["t"], actor="ana")
    hits = world.search("bold word")
    assert note.uri in repr(hits) and "bold" in repr(hits) and "#t" in repr(hits)
    assert "&lt;b&gt;" in hits._repr_html_() and "<b>bold" not in hits._repr_html_()
    assert hits.texts() == ["a <b>bold</b> word"]
    assert repr(world.search("zeppelin")) == "nothing found"
    assert "score" in dir(hits[0])
    with pytest.raises(AttributeError, match="nonsense"):
        hits[0].nonsense


def test_answers_that_are_no_memories_read_well(world):
    note = world.write("Note", {"statement": "tea at <five>"}, actor="ana")
    world.update(note, {"statement": "tea at six"}, actor="bo")
    newest, first = repr(world.history(note)).splitlines()
    assert newest.startswith("<version 2> 'tea at six' by bo, changed ") and "data.statement" in newest
    assert first.startswith("<version 1> 'tea at <five>' by ana, 20")
    assert "<td>version 1</td><td>tea at &lt;five&gt;</td>" in world.history(note)._repr_html_()
    world.put("teas", "green", "Note", {"statement": "x"}, expires_at="1999-01-01T00:00:00Z")
    swept = repr(world.sweep())
    assert swept.startswith("<swept=['") and "more=False" in swept
    assert repr(world.namespaces()) == "nothing found"
    assert repr(world.actors()) == "<actor='ana' memories=1>"
    assert "<th>actor</th><th>memories</th>" in world.actors()._repr_html_()
    root = world.root()
    assert f"<root='{root.root}' seq={root.seq} " in repr(root)
    assert f"state_roots={{edges='{root.state_roots.edges}'" in repr(root)
    assert f"<td>root</td><td>&#x27;{root.root}&#x27;</td>" in root._repr_html_()
    stats = world.stats()
    assert "memories_by_type={Note=1}" in repr(stats) and "<td>1</td>" in stats._repr_html_()
    assert "changed=False" in repr(world.delete_by("teas", "green"))
    assert repr(mneme.Record(a=None, b=[1, 2, 3, 4], c={"d": {"e": 1}, "f": list(range(9))}, g="x" * 999)) == \
        f"<b=[1, 2, 3, … 4 items] c={{d={{1 keys}} f=[9 items]}} g='{'x' * 239}…'>"
    for told in (newest, first, swept, repr(root), repr(stats), repr(world.prove(ids=[note.id])),
                 repr(world.context(query="tea", budget_tokens=99)), repr(world.weights())):
        assert "Record(" not in told
    memory = world.get(note)
    assert "<td>tea at six</td>" in memory._repr_html_() and "<version 2> 'tea at six'" in repr(memory.version)
    assert repr(memory.version.data) == "<statement='tea at six'>"


def test_what_is_no_value_of_a_request_is_refused_in_words(world):
    loop = []
    loop.append(loop)
    for wrong in (lambda: world.batch(["x"]), lambda: world.tick(reads=[1]), lambda: world.get(5),
                  lambda: world.chroma("tea"), lambda: world.find("Note", types=["Fact"]),
                  lambda: world.write("Note", {"statement": b"tea"}), lambda: world.update(5),
                  lambda: world.search("tea", op="erase"), lambda: world.supersede_matching("tea"),
                  lambda: world.write("Note", {"statement": loop})):
        with pytest.raises((TypeError, ValueError)):
            wrong()
    with pytest.raises(ValueError):
        world.write("Note", TEA, valid_from=datetime.datetime(
            1, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=5))))


def test_records_and_lists_are_what_people_expect(world):
    note = world.write("Note", TEA)
    other = world.write("Note", {"statement": "tea is out"})
    world.add_edge(note, "references", other)
    assert f"seq {note.seq}" in repr(note)
    found = world.search("tea")
    assert isinstance(found[:1], mneme.Found) and len(found[:1]) == 1
    assert other.id in repr(world.edges(note)) and "write" in repr(world.journal(limit=1))
    note.mine = 7
    assert note["mine"] == 7
    written = world.batch([asks.write("Note", TEA)])[0]
    assert "ok" not in written


def test_refusals_come_through_between_processes():
    refused = mneme.NotFound("not_found", "no such memory", "id", {"more": 1})
    for same in (pickle.loads(pickle.dumps(refused)), copy.copy(refused)):
        assert type(same) is mneme.NotFound
        assert (same.code, same.message, same.at, same.details) == (
            "not_found", "no such memory", "id", {"more": 1})


def test_uris_stand_for_their_ids(world):
    note = world.write("Note", {"statement": "tea"})
    other = world.write("Note", {"statement": "water"})
    world.update(note, {"statement": "green tea"})
    assert world.get(note.uri) == world.get(note.id) == world.get({"uri": note.uri})
    assert world.get(note.uri).version.version == 2  # the newest, whichever the uri names
    assert [version.version for version in world.history(note.uri)] == [2, 1]
    world.add_edge(note.uri, "derived_from", other.uri)
    assert world.edges(note.uri) == world.edges(note.id) and len(world.edges(other.uri)) == 1
    assert world.stale_of(other.uri) == []
    world.remove_edge(note.uri, "derived_from", other.uri)
    world.tombstone(note.uri)
    world.restore(note.uri)
    assert world.get(note.id).version.data.statement == "green tea"
    for wrong in ("mneme://Note/" + note.id, "mneme://Note/#1", "mneme://Note/x#1"):
        with pytest.raises(mneme.InvalidRequest):
            world.get(wrong)


def test_an_id_that_a_uri_is_wanted_for_is_refused_in_words(world):
    note = world.write("Note", {"statement": "tea"})
    with pytest.raises(mneme.InvalidRequest, match="is an id; here a uri") as told:
        world.resolve(note.id)
    assert told.value.code == "bad_uri" and told.value.at == "uri"
    assert world.update(note.id, {"statement": "x"}).version == 2
    world.update_head(note.id, tags=["x"])
    assert world.get(note).tags == ["x"]
    with pytest.raises(mneme.InvalidRequest):
        world.update("tea", {"statement": "x"})
    world.update(world.get(note.id), {"statement": "green tea"})


def test_a_payload_is_the_same_in_every_write(world):
    said = {"sugar": 0, "deep": [None, "é"]}
    text = '{"sugar": 0, "deep": [null, "é"]}'
    note = world.write("Note", {"statement": "tea"}, payload=said)
    put = world.put("teas", "green", "Note", {"statement": "green tea"}, payload=said)
    assert world.get(note).version.payload == world.get(put).version.payload == text
    for payload, kept in (({"sugar": 1}, '{"sugar": 1}'), ([], "[]"), ("[1]", "[1]")):
        world.update(note, {"statement": f"tea with {kept}"}, payload=payload)
        assert world.get(note).version.payload == kept
    (made,) = world.batch([asks.write("Note", {"statement": "x"}, payload={})])
    assert world.get(made).version.payload == "{}"
    with pytest.raises(ValueError):
        world.write("Note", {"statement": "y"}, payload=float("nan"))
