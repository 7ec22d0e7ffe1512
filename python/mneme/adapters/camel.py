"""CAMEL's storages and agent memory (and so OASIS's) over a mneme world.

    from mneme.adapters.camel import MnemeAgentMemory, MnemeKeyValueStorage, MnemeVectorStorage

    agent.memory = MnemeAgentMemory(context_creator, window_size=20, world=world, actor="ana")
    ChatHistoryMemory(context_creator, storage=MnemeKeyValueStorage(world=world, actor="ana"))
    VectorDBMemory(context_creator, storage=MnemeVectorStorage(1536, world=world, actor="ana"))

The signatures are those of camel.storages and camel.memories (CAMEL 0.2).
"""

import math
import threading
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Optional, Sequence, Tuple

from .frameworks import base, found
from .shelf import MOST_IN_ARRAYS, Entry, Shelf, has_direction, packed, unpacked
from .values import from_json, to_json

if TYPE_CHECKING:
    from ..world import World
    _KeyValueStorage = object
    _VectorStorage = object
    _MemoryBlock = object
    _AgentMemory = object
else:
    _KeyValueStorage = base("camel.storages.key_value_storages.base", "BaseKeyValueStorage")
    _VectorStorage = base("camel.storages.vectordb_storages.base", "BaseVectorStorage")
    _MemoryBlock = base("camel.memories.base", "MemoryBlock")
    _AgentMemory = base("camel.memories.base", "AgentMemory")

_SPARE = 32  # looked at beside those asked for: what the engine rounds is put in order here


@dataclass
class VectorRecord:
    """Stands in for CAMEL's own where CAMEL is not installed, as the three below do."""

    vector: List[float]
    id: str
    payload: Optional[Dict[str, Any]] = None


@dataclass
class VectorDBQueryResult:
    record: Any
    similarity: float


@dataclass
class VectorDBStatus:
    vector_dim: int
    vector_count: int


@dataclass
class ContextRecord:
    memory_record: Any
    score: float
    timestamp: float


def _vectors(name: str, otherwise: Any) -> Any:
    return found("camel.storages.vectordb_storages.base", name,
                 found("camel.storages.vectordb_storages", name, otherwise))


def _world(world: Optional["World"], embedder: Optional[str]) -> "World":
    from .. import open_in_memory
    return open_in_memory(embedder=embedder) if world is None else world


class MnemeKeyValueStorage(_KeyValueStorage):
    """Records, dictionaries, in the order in which they were saved.

        storage = MnemeKeyValueStorage()                            # gone with the program
        storage = MnemeKeyValueStorage(world=world, actor="ana")    # found again in the world

    What is loaded is a copy. Enums, tuples and the like come back as what they were. Where a record is a
    message, the world can be searched for what it says."""

    def __init__(self, *, world: Optional["World"] = None, actor: str = "agent",
                 name: str = "history") -> None:
        self._shelf = Shelf(_world(world, None), actor, f"camel.records.{name}")
        self._lock = threading.RLock()
        self._entries = self._shelf.entries()

    def save(self, records: List[Dict[str, Any]]) -> None:
        """Appends records: all of them, or none where one is refused. It is one write of up to 10,000 records and
        15 MiB; of more, a part remains if the program ends in the midst."""
        entries = [Entry(_content(record), to_json(record)) for record in records]
        with self._lock:
            self._entries += zip(self._shelf.append(entries), entries)

    def load(self) -> List[Dict[str, Any]]:
        """All records, the first saved first."""
        with self._lock:
            return [from_json(entry.value) for _, entry in self._entries]

    def clear(self) -> None:
        """Takes all of them out."""
        with self._lock:
            self._shelf.replace([])
            self._entries = []

    def remove(self, places: Iterable[int]) -> List[Dict[str, Any]]:
        """Takes out what is at these places, and gives it back in order."""
        with self._lock:
            going = set(places)
            removed = [entry for place, entry in enumerate(self._entries) if place in going]
            self._shelf.remove(id for id, _ in removed)
            self._entries = [entry for place, entry in enumerate(self._entries) if place not in going]
            return [from_json(entry.value) for _, entry in removed]

    def places_of(self, query: str, limit: int) -> List[Tuple[int, float]]:
        """Where the records are that a search finds, and how well they match, the best first."""
        with self._lock:
            places = {id: place for place, (id, _) in enumerate(self._entries)}
            hits = self._shelf.search(query, limit)
            return [(places[id], score) for id, score in hits if id in places]


def _content(record: Dict[str, Any]) -> str:
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, str) else ""


class MnemeVectorStorage(_VectorStorage):
    """Vectors with payloads, by id.

        storage = MnemeVectorStorage(vector_dim=384)
        storage.add([VectorRecord(vector=embed(text), id="1", payload={"text": text})])
        storage.query(VectorDBQuery(query_vector=embed(question), top_k=3))

    Similarity is the cosine. A record with an id that is there takes its place. A world that is given has
    vectors of this length (embedder="none")."""

    def __init__(self, vector_dim: int, *, world: Optional["World"] = None, actor: str = "agent",
                 name: str = "vectors") -> None:
        self._dim = vector_dim
        self._world = _world(world, "none")
        self._lock = threading.RLock()
        self._shelf = Shelf(self._world, actor, f"camel.vectors.{name}")
        self.load()

    def load(self) -> None:
        """Looks at the world anew."""
        with self._lock:
            self._by_id: Dict[str, Tuple[str, Any]] = {}  # the id in the world, and the record
            self._owner: Dict[str, str] = {}  # by ids in the world
            passed = []
            for id, entry in self._shelf.entries():
                known = entry.value["id"]
                if known in self._by_id:
                    passed.append(self._by_id[known][0])  # a write was broken off before the old one went
                self._keep(id, known, unpacked(entry.value["vector"]), from_json(entry.value["payload"]))
            self._shelf.remove(passed)

    def _keep(self, id: str, known: str, vector: List[float], payload: Any) -> None:
        if known in self._by_id:
            del self._owner[self._by_id.pop(known)[0]]
        record = _vectors("VectorRecord", VectorRecord)(vector=vector, id=known, payload=payload)
        self._by_id[known], self._owner[id] = (id, record), known

    def add(self, records: List[Any], **kwargs: Any) -> None:
        """Adds records, all or none as `save` does; those whose ids are there take their places."""
        entries = []
        for record in records:
            vector = [float(number) for number in record.vector]
            self._check(vector)
            value = {"id": str(record.id), "vector": packed(vector), "payload": to_json(record.payload)}
            text = record.payload.get("text", "") if isinstance(record.payload, dict) else ""
            entries.append(Entry(text if isinstance(text, str) else "", value,
                                 vector if has_direction(vector) else None))
        with self._lock:
            ids = self._shelf.append(entries)
            old = []
            for id, entry in zip(ids, entries):
                known = entry.value["id"]
                if known in self._by_id:
                    old.append(self._by_id[known][0])
                self._keep(id, known, unpacked(entry.value["vector"]), from_json(entry.value["payload"]))
            self._shelf.remove(old)

    def delete(self, ids: List[str], **kwargs: Any) -> None:
        """Takes out what has these ids; what is not there is passed over."""
        with self._lock:
            going = [self._by_id.pop(known)[0] for known in dict.fromkeys(ids) if known in self._by_id]
            for id in going:
                del self._owner[id]
            self._shelf.remove(going)

    def status(self) -> Any:
        """vector_dim and vector_count."""
        with self._lock:
            return _vectors("VectorDBStatus", VectorDBStatus)(vector_dim=self._dim,
                                                              vector_count=len(self._by_id))

    def query(self, query: Any, **kwargs: Any) -> List[Any]:
        """The top_k nearest, the most similar first."""
        vector = [float(number) for number in query.query_vector]
        self._check(vector)
        with self._lock:
            scored = sorted(((_cosine(vector, record.vector), place, record) for place, record
                             in enumerate(self._candidates(vector, query.top_k))),
                            key=lambda one: (-one[0], one[1]))[:max(query.top_k, 0)]
        result = _vectors("VectorDBQueryResult", VectorDBQueryResult)
        copied = _vectors("VectorRecord", VectorRecord)
        return [result(record=copied(vector=list(record.vector), id=record.id,
                                     payload=from_json(to_json(record.payload))), similarity=similarity)
                for similarity, _, record in scored]

    def _candidates(self, vector: List[float], top_k: int) -> List[Any]:
        """Records that have the nearest among them."""
        everything = [record for _, record in self._by_id.values()]
        wanted = top_k + _SPARE
        if wanted >= len(everything) or wanted > MOST_IN_ARRAYS or not has_direction(vector):
            return everything
        near = [self._by_id[self._owner[id]][1] for id, _ in self._shelf.nearest([vector], wanted)[0]
                if id in self._owner]
        return near + [record for record in everything if not has_direction(record.vector)]

    def _check(self, vector: Sequence[float]) -> None:
        if len(vector) != self._dim:
            raise ValueError(f"a vector of {len(vector)} numbers where this storage has {self._dim}")

    def clear(self) -> None:
        """Takes all of them out."""
        with self._lock:
            self._shelf.replace([])
            self._by_id, self._owner = {}, {}

    @property
    def client(self) -> "World":
        """The world."""
        return self._world


def _cosine(a: Sequence[float], b: Sequence[float]) -> float:
    lengths = math.sqrt(math.fsum(x * x for x in a)) * math.sqrt(math.fsum(x * x for x in b))
    return math.fsum(x * y for x, y in zip(a, b)) / lengths if lengths else 0.0


class _Records:
    """Memory records in a storage, and the classes that say them."""

    def __init__(self, storage: MnemeKeyValueStorage, record_class: Any) -> None:
        self.storage = storage
        self._class = record_class

    def write(self, records: Sequence[Any]) -> None:
        self.storage.save([record.to_dict() for record in records])
        if records and self._class is None:
            self._class = type(records[0])

    def read(self, dicts: Iterable[Dict[str, Any]]) -> List[Any]:
        kind = self._class or found("camel.memories.records", "MemoryRecord")
        said = list(dicts)
        if said and kind is None:
            raise ImportError("camel is not installed: say record_class=, whose from_dict makes a record")
        return [kind.from_dict(record) for record in said]

    def protected(self) -> int:
        """How many records at the start stay whatever is removed: a first system message."""
        dicts = self.storage.load()
        return 1 if dicts and _role(dicts[0].get("role_at_backend")) == "system" else 0

    def pop(self, count: int) -> List[Any]:
        size = len(self.storage.load())
        return self.read(self.storage.remove(range(max(self.protected(), size - max(count, 0)), size)))

    def remove(self, indices: Iterable[int]) -> List[Any]:
        first = self.protected()
        return self.read(self.storage.remove(place for place in indices if place >= first))

    def context(self, places: Sequence[int], scores: Sequence[float]) -> List[Any]:
        dicts = self.storage.load()
        kind = found("camel.memories.records", "ContextRecord", ContextRecord)
        return [kind(memory_record=record, score=score, timestamp=record.timestamp)
                for record, score in zip(self.read(dicts[place] for place in places), scores)]


def _role(role: Any) -> str:
    """Of a role, or of the value that it was kept as."""
    return str(getattr(role, "value", role)).lower()


class MnemeMemoryBlock(_MemoryBlock):
    """A chat's records: what ChatHistoryBlock is, with a storage in a world.

        block = MnemeMemoryBlock(world=world, actor="ana")
        block.write_records([record])
        block.retrieve(window_size=10)

    record_class is only needed where CAMEL is not installed."""

    def __init__(self, storage: Optional[MnemeKeyValueStorage] = None, keep_rate: float = 0.9, *,
                 world: Optional["World"] = None, actor: str = "agent", record_class: Any = None) -> None:
        if not 0 <= keep_rate <= 1:
            raise ValueError("keep_rate is between 0 and 1")
        self.storage = storage or MnemeKeyValueStorage(world=world, actor=actor)
        self.keep_rate = keep_rate
        self._records = _Records(self.storage, record_class)

    def write_records(self, records: List[Any]) -> None:
        """Appends records."""
        self._records.write(records)

    def write_record(self, record: Any) -> None:
        """Appends a record."""
        self.write_records([record])

    def retrieve(self, window_size: Optional[int] = None) -> List[Any]:
        """The last records (a first system message beside them), each scored keep_rate times the one behind
        it; system messages 1."""
        dicts = self.storage.load()
        if not dicts:
            warnings.warn("the chat history is empty", stacklevel=2)
        first = self._records.protected()
        start = first if window_size is None else max(first, len(dicts) - window_size)
        places = [*range(first), *range(start, len(dicts))]
        score, scores = 1.0, []
        for place in reversed(places):
            system = _role(dicts[place].get("role_at_backend")) == "system"
            score = score if system else score * self.keep_rate
            scores.append(1.0 if system else score)
        return self._records.context(places, scores[::-1])

    def pop_records(self, count: int) -> List[Any]:
        """Takes out the last records, and gives them back in order. A first system message stays."""
        return self._records.pop(count)

    def remove_records_by_indices(self, indices: List[int]) -> List[Any]:
        """Takes out what is at these places, and gives it back in order. A first system message stays."""
        return self._records.remove(indices)

    def clear(self) -> None:
        """Takes all of them out."""
        self.storage.clear()


class MnemeAgentMemory(_AgentMemory):
    """An agent's memory: the last messages, and before them older ones that belong to what the user last
    said.

        memory = MnemeAgentMemory(context_creator, window_size=20, retrieve_limit=3,
                                  world=world, actor="ana")
        agent = ChatAgent(system_message, memory=memory)

    Without a window_size the whole chat is the context. What is older is found by words and meaning, by the
    world's own embedder. agent_id is CAMEL's; actor is whose memory it is in the world."""

    def __init__(self, context_creator: Any, window_size: Optional[int] = None, retrieve_limit: int = 3,
                 agent_id: Optional[str] = None, *, world: Optional["World"] = None, actor: str = "agent",
                 record_class: Any = None) -> None:
        if window_size is not None and (not isinstance(window_size, int) or window_size < 0):
            raise ValueError("window_size is None, or 0 or more")
        self._context_creator = context_creator
        self._window_size = window_size
        self._retrieve_limit = retrieve_limit
        self._agent_id = agent_id
        self._block = MnemeMemoryBlock(world=world, actor=actor, record_class=record_class)

    @property
    def agent_id(self) -> Optional[str]:
        """Whose records these are, in CAMEL's words."""
        return self._agent_id

    @agent_id.setter
    def agent_id(self, val: Optional[str]) -> None:
        self._agent_id = val

    def write_records(self, records: List[Any]) -> None:
        """Appends records; those that have no agent_id get this one's."""
        for record in records:
            if record.agent_id == "" and self._agent_id is not None:
                record.agent_id = self._agent_id
        self._block.write_records(records)

    def write_record(self, record: Any) -> None:
        """Appends a record."""
        self.write_records([record])

    def retrieve(self) -> List[Any]:
        """A first system message, older records in their order, and the last ones."""
        recent = self._block.retrieve(self._window_size)
        records = self._block._records
        dicts = self._block.storage.load()
        first = records.protected()
        shown = len(recent) - first
        topic = next((_content(record) for record in reversed(dicts)
                      if _role(record.get("role_at_backend")) == "user"), "")
        if self._window_size is None or not topic.strip() or self._retrieve_limit <= 0:
            return recent
        older = range(first, len(dicts) - shown)
        hits = [hit for hit in self._block.storage.places_of(topic, shown + 1 + self._retrieve_limit)
                if hit[0] in older]
        chosen = sorted(hits[:self._retrieve_limit])
        return [*recent[:first],
                *records.context([place for place, _ in chosen], [score for _, score in chosen]),
                *recent[first:]]

    def get_context_creator(self) -> Any:
        """What makes messages of records."""
        return self._context_creator

    def get_context(self) -> Any:
        """What the context creator makes of `retrieve`."""
        return self._context_creator.create_context(self.retrieve())

    def pop_records(self, count: int) -> List[Any]:
        """Takes out the last records, and gives them back in order. A first system message stays."""
        return self._block.pop_records(count)

    def remove_records_by_indices(self, indices: List[int]) -> List[Any]:
        """Takes out what is at these places, and gives it back in order. A first system message stays."""
        return self._block.remove_records_by_indices(indices)

    def clean_tool_calls(self) -> None:
        """Takes out the messages of tools, and those that called one."""
        def of_a_tool(record: Dict[str, Any]) -> bool:
            role, message = _role(record.get("role_at_backend")), record.get("message", {})
            if role in ("function", "tool"):
                return True
            calls = message.get("__class__") == "FunctionCallingMessage" and "args" in message
            return role == "assistant" and (calls or "tool_calls" in message
                                            or "tool_calls" in (message.get("meta_dict") or {}))
        storage = self._block.storage
        storage.remove(place for place, record in enumerate(storage.load()) if of_a_tool(record))

    def clear(self) -> None:
        """Takes all of them out."""
        self._block.clear()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(agent_id={self._agent_id!r})"
