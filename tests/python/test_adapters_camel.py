"""CAMEL's storages and memories, with stand-ins for its records that have its signatures."""

import dataclasses
import enum
import importlib
import random
import sys
import types
from uuid import UUID, uuid4

import numpy
import pytest

import mneme
from mneme.adapters import camel
from mneme.adapters.camel import MnemeAgentMemory, MnemeKeyValueStorage, MnemeMemoryBlock, MnemeVectorStorage


class RoleType(enum.Enum):
    ASSISTANT = "assistant"
    USER = "user"


class Backend(enum.Enum):
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    FUNCTION = "function"
    TOOL = "tool"


@dataclasses.dataclass
class BaseMessage:
    role_name: str
    role_type: RoleType
    content: str
    meta_dict: dict = None


@dataclasses.dataclass
class MemoryRecord:
    message: BaseMessage
    role_at_backend: Backend
    uuid: UUID = dataclasses.field(default_factory=uuid4)
    extra_info: dict = dataclasses.field(default_factory=dict)
    timestamp: float = 0.0
    agent_id: str = ""

    def to_dict(self):
        return {"uuid": str(self.uuid), "message": {"__class__": "BaseMessage", **dataclasses.asdict(self.message)},
                "role_at_backend": self.role_at_backend.value, "extra_info": self.extra_info,
                "timestamp": self.timestamp, "agent_id": self.agent_id}

    @classmethod
    def from_dict(cls, said):
        message = {key: value for key, value in said["message"].items() if key != "__class__"}
        return cls(BaseMessage(**message), Backend(said["role_at_backend"]), UUID(said["uuid"]),
                   said["extra_info"], said["timestamp"], said["agent_id"])


def record(role, content, **more):
    kind = RoleType.USER if role is Backend.USER else RoleType.ASSISTANT
    return MemoryRecord(BaseMessage("someone", kind, content, more or None), role)


def contents(records):
    return [getattr(one, "memory_record", one).message.content for one in records]


class Creator:
    def create_context(self, records):
        return [{"role": one.memory_record.role_at_backend.value, "content": one.memory_record.message.content}
                for one in records], len(records)


def test_records_come_back_in_order_as_copies():
    storage = MnemeKeyValueStorage()
    said = [{"key": "value", "role": RoleType.USER}, {"n": 1, "of": (1, 2), "text": "é\0"}, {}]
    storage.save(said[:1])
    storage.save(said[1:])
    loaded = storage.load()
    assert loaded == said and loaded[0]["role"] is RoleType.USER
    loaded[0]["key"] = "changed"
    said[1]["n"] = 2
    assert storage.load()[0]["key"] == "value" and storage.load()[1]["n"] == 1
    storage.clear()
    assert storage.load() == []
    storage.save([{"again": True}])
    assert storage.load() == [{"again": True}]


def test_records_are_found_again(tmp_path):
    long = {"message": {"content": "long", "more": "x" * 200_000}}
    with mneme.open(tmp_path / "w") as world:
        MnemeKeyValueStorage(world=world, actor="ana").save([{"role": RoleType.USER}, long])
        MnemeKeyValueStorage(world=world, actor="ana", name="other").save([{"n": 2}])
    with mneme.open(tmp_path / "w") as world:
        assert MnemeKeyValueStorage(world=world, actor="ana").load() == [{"role": RoleType.USER}, long]
        assert MnemeKeyValueStorage(world=world, actor="bo").load() == []


def query(storage, vector, top_k):
    return storage.query(types.SimpleNamespace(query_vector=vector, top_k=top_k))


def test_vectors_in_the_order_of_their_similarity():
    storage = MnemeVectorStorage(vector_dim=4)
    rows = [([-0.7, 0.1, -0.2, 0.0], "1", {"message": "one", "role": RoleType.USER}),
            ([0.9, 0.8, 0.1, 0.2], "2", {"text": "two"}), ([0.9, 0.8, 0.1, 0.3], "3", None)]
    storage.add([camel.VectorRecord(*row) for row in rows])
    assert (storage.status().vector_dim, storage.status().vector_count) == (4, 3)
    hits = query(storage, [1.0, 1.0, 0.0, 0.3], 3)
    assert [hit.record.id for hit in hits] == ["3", "2", "1"]
    assert [hit.record.payload for hit in hits] == [None, {"text": "two"}, rows[0][2]]
    assert hits[0].record.vector == rows[2][0]
    assert 1 > hits[0].similarity > hits[1].similarity > 0 > hits[2].similarity
    storage.delete(["2", "nowhere", "2"])
    assert storage.status().vector_count == 2
    assert [hit.record.id for hit in query(storage, [1.0, 1.0, 0.0, 0.3], 9)] == ["3", "1"]
    storage.add([camel.VectorRecord([1.0, 1.0, 0.0, 0.3], "1", {"now": "near"})])
    assert storage.status().vector_count == 2
    assert query(storage, [1.0, 1.0, 0.0, 0.3], 1)[0].record.payload == {"now": "near"}
    with pytest.raises(ValueError):
        storage.add([camel.VectorRecord([1.0], "x")])
    with pytest.raises(ValueError):
        query(storage, [1.0], 1)
    assert isinstance(storage.client, mneme.World)
    storage.clear()
    assert storage.status().vector_count == 0 and query(storage, [1.0, 1.0, 0.0, 0.3], 3) == []


@pytest.mark.parametrize("seed", range(3))
def test_vectors_as_a_naive_storage(seed):
    chance, storage, naive = random.Random(seed), MnemeVectorStorage(6), {}
    for _ in range(30):
        rows = [([chance.gauss(0, 1) for _ in range(6)], str(chance.randint(0, 90))) for _ in range(8)]
        storage.add([camel.VectorRecord(*row) for row in rows])
        for vector, id in rows:
            naive.pop(id, None)
            naive[id] = vector
        gone = [str(chance.randint(0, 90)) for _ in range(3)]
        storage.delete(gone)
        for id in gone:
            naive.pop(id, None)
        asked = [chance.gauss(0, 1) for _ in range(6)]
        cosines = {id: numpy.dot(asked, vector) / numpy.linalg.norm(vector) for id, vector in naive.items()}
        assert storage.status().vector_count == len(naive)
        for top_k in (1, 5, 200):
            assert [hit.record.id for hit in query(storage, asked, top_k)] == \
                sorted(cosines, key=lambda id: -cosines[id])[:top_k]


def test_vectors_are_found_again(tmp_path):
    with mneme.open(tmp_path / "w", embedder="none") as world:
        storage = MnemeVectorStorage(2, world=world, actor="ana")
        storage.add([camel.VectorRecord([1.0, 0.0], "a", {"t": (1,)}), camel.VectorRecord([0.0, 0.0], "zero")])
    with mneme.open(tmp_path / "w") as world:
        storage = MnemeVectorStorage(2, world=world, actor="ana")
        assert [(hit.record.id, hit.record.payload, hit.similarity) for hit in query(storage, [2.0, 0.0], 5)] == \
            [("a", {"t": (1,)}, 1.0), ("zero", None, 0.0)]
        other = MnemeVectorStorage(2, world=world, actor="ana")
        storage.delete(["a"])
        other.load()
        assert other.status().vector_count == 1


def test_a_replaced_record_that_was_left_over_goes(tmp_path):
    with mneme.open_in_memory(embedder="none") as world:
        storage = MnemeVectorStorage(2, world=world)
        storage.add([camel.VectorRecord([1.0, 0.0], "a", {"n": 1})])
        storage._shelf.remove = lambda ids: None  # the program ends before the old one is taken out
        storage.add([camel.VectorRecord([0.0, 1.0], "a", {"n": 2})])
        again = MnemeVectorStorage(2, world=world)
        assert [hit.record.payload for hit in query(again, [1.0, 1.0], 5)] == [{"n": 2}]
        assert len(MnemeVectorStorage(2, world=world)._shelf.entries()) == 1


def test_a_block_keeps_scores_and_takes_out():
    block = MnemeMemoryBlock(record_class=MemoryRecord)
    with pytest.warns(UserWarning):
        assert block.retrieve() == []
    block.write_records([record(Backend.SYSTEM, "be kind")] + [record(Backend.USER, f"m{n}") for n in range(5)])
    whole = block.retrieve()
    assert contents(whole) == ["be kind", "m0", "m1", "m2", "m3", "m4"]
    assert [round(one.score, 6) for one in whole] == [1.0, 0.59049, 0.6561, 0.729, 0.81, 0.9]
    assert contents(block.retrieve(2)) == ["be kind", "m3", "m4"]
    assert contents(block.pop_records(2)) == ["m3", "m4"]
    assert contents(block.remove_records_by_indices([2, 0, 1, 99])) == ["m0", "m1"]
    assert contents(block.pop_records(10)) == ["m2"] and contents(block.pop_records(10)) == []
    assert contents(block.retrieve()) == ["be kind"]
    block.write_record(record(Backend.USER, "after"))
    assert contents(block.retrieve()) == ["be kind", "after"]
    block.clear()
    assert block.pop_records(1) == []
    with pytest.raises(ValueError):
        MnemeMemoryBlock(keep_rate=2)


def test_an_agent_remembers_what_belongs_to_the_question(tmp_path):
    with mneme.open(tmp_path / "w") as world:
        memory = MnemeAgentMemory(Creator(), 2, 1, world=world, actor="ana", record_class=MemoryRecord)
        memory.agent_id = "ana-1"
        memory.write_records([record(Backend.SYSTEM, "be kind"), record(Backend.USER, "the key is under the stone"),
                              record(Backend.ASSISTANT, "good")])
        for n in range(6):
            memory.write_record(record(Backend.USER, f"the weather on day {n}"))
        memory.write_record(record(Backend.USER, "where is the key?"))
        expected = ["be kind", "the key is under the stone", "the weather on day 5", "where is the key?"]
        assert contents(memory.retrieve()) == expected
    with mneme.open(tmp_path / "w") as world:
        memory = MnemeAgentMemory(Creator(), 2, 1, world=world, actor="ana", record_class=MemoryRecord)
        messages, tokens = memory.get_context()
        assert [message["content"] for message in messages] == expected and tokens == 4
        assert all(one.memory_record.agent_id == "ana-1" for one in memory.retrieve())
        whole = MnemeAgentMemory(Creator(), world=world, actor="ana", record_class=MemoryRecord)
        assert len(whole.retrieve()) == 10
        memory.clear()
        assert memory.pop_records(3) == []


def test_calls_of_tools_are_cleaned():
    memory = MnemeAgentMemory(Creator())
    memory.write_records([record(Backend.SYSTEM, "s"), record(Backend.USER, "u"),
                          record(Backend.ASSISTANT, "calls", tool_calls=[1]), record(Backend.FUNCTION, "f"),
                          record(Backend.TOOL, "t"), record(Backend.ASSISTANT, "a")])
    memory.clean_tool_calls()
    assert contents(memory.retrieve()) == ["s", "u", "a"]
    assert repr(memory) == "MnemeAgentMemory(agent_id=None)"


def test_the_base_classes_of_the_framework_are_the_bases(monkeypatch):
    names = {"camel.storages.key_value_storages.base": ["BaseKeyValueStorage"], "camel.memories.records": [],
             "camel.storages.vectordb_storages.base": ["BaseVectorStorage"],
             "camel.memories.base": ["MemoryBlock", "AgentMemory"]}
    for module, classes in names.items():
        made = types.ModuleType(module)
        for name in classes:
            setattr(made, name, type(name, (), {}))
        monkeypatch.setitem(sys.modules, module, made)
    sys.modules["camel.memories.records"].MemoryRecord = MemoryRecord
    try:
        again = importlib.reload(camel)
        assert again.MnemeAgentMemory.__mro__[1].__name__ == "AgentMemory"
        assert again.MnemeVectorStorage.__mro__[1].__name__ == "BaseVectorStorage"
        with mneme.open_in_memory() as world:
            again.MnemeAgentMemory(Creator(), world=world).write_records([record(Backend.USER, "hello")])
            assert contents(again.MnemeAgentMemory(Creator(), world=world).retrieve()) == ["hello"]
    finally:
        monkeypatch.undo()
        importlib.reload(camel)
    with mneme.open_in_memory() as world:
        camel.MnemeAgentMemory(Creator(), world=world).write_records([record(Backend.USER, "hello")])
        with pytest.raises(ImportError):
            camel.MnemeAgentMemory(Creator(), world=world).retrieve()
