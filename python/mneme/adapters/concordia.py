"""Concordia's memory bank over a mneme world.

    from mneme.adapters.concordia import AssociativeMemoryBank

    bank = AssociativeMemoryBank(sentence_embedder=embed)
    bank.add("Ana has a key to the lighthouse.")
    bank.retrieve_associative("who can open the lighthouse?", k=1)

The signatures and what they do are those of concordia.associative_memory.basic_associative_memory (Concordia
2.4). Needs numpy, as Concordia does; pandas for get_data_frame alone.
"""

import contextlib
import hashlib
import importlib
import json
import math
import re
import threading
import weakref
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Set, Tuple

from ..errors import InvalidRequest
from .frameworks import base
from .shelf import MOST_IN_ARRAYS, Entry, Shelf, packed, unpacked

if TYPE_CHECKING:
    from ..world import World
    _Base = object
else:
    _Base = base("concordia.associative_memory.basic_associative_memory", "AssociativeMemoryBank")

Embedder = Callable[[str], Any]
_SPARE = 32  # looked at beside the k asked for: what the engine rounds is put in order here
_ROUNDING = 4e-6  # of a distance between single-precision vectors


def _digest(text: str) -> int:
    """A number for a text that is the same in every process, and that JSON can say exactly."""
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:6], "big")


@contextlib.contextmanager
def _as_the_embedder_counts() -> Iterator[None]:
    """The world's vectors have one number more than the embedder's, of which a refusal tells."""
    try:
        yield
    except InvalidRequest as refused:
        if refused.code != "dim_mismatch":
            raise
        message = re.sub(r"\d+", lambda count: str(int(count[0]) - 1), refused.message)
        raise InvalidRequest(refused.code, message, refused.at, refused.details) from None


class _Memories:
    """What a bank has, and the shelf that keeps it.

    The engine orders by cosine, and a bank by dot product. With one more dimension they are the same: a
    vector x, divided by a `scale` that no vector of the bank is longer than, and sqrt(1 - |x|²) behind it, is
    of length 1; so the cosine to a query q with 0 behind it is x·q / |q|, up to the scale."""

    def __init__(self, world: Optional["World"], actor: str) -> None:
        self.lock = threading.RLock()
        self.given, self.actor = world, actor
        import numpy
        self.shelf = self._opened()
        self.scale: float = self.shelf.facts.get("scale", 1.0)
        self._empty()
        entries = self.shelf.entries()
        self._keep([id for id, _ in entries],
                   [(entry.text, numpy.array(unpacked(entry.value))) for _, entry in entries])

    def _opened(self) -> Shelf:
        from .. import open_in_memory
        world = open_in_memory(embedder="none") if self.given is None else self.given
        return Shelf(world, self.actor, "concordia")

    def _empty(self) -> None:
        self.texts: List[str] = []
        self.vectors: List[Any] = []
        self.places: Dict[str, int] = {}
        self.digests: Set[int] = set()

    def _keep(self, ids: Sequence[str], rows: Sequence[Tuple[str, Any]]) -> None:
        for id, (text, vector) in zip(ids, rows):
            self.places[id] = len(self.texts)
            self.texts.append(text)
            self.vectors.append(vector)
            self.digests.add(_digest(text))

    @staticmethod
    def _entry(text: str, vector: Any, scale: float) -> Entry:
        scaled = vector / scale
        rest = math.sqrt(max(0.0, 1.0 - float(scaled.dot(scaled))))
        return Entry(text, packed(vector.tolist()), [*scaled.tolist(), rest])

    @staticmethod
    def _grown(scale: float, rows: Sequence[Tuple[str, Any]]) -> float:
        """A scale for what this one is for, and for these rows."""
        longest = max((math.sqrt(float(vector.dot(vector))) for _, vector in rows), default=0.0)
        while longest > scale * 1.000_001:  # a vector of length 1 is never quite that
            scale *= 2
        return scale

    def append(self, rows: Sequence[Tuple[str, Any]]) -> None:
        if not rows:
            return
        if self._grown(self.scale, rows) != self.scale:
            self.replace([*zip(self.texts, self.vectors), *rows])
            return
        with _as_the_embedder_counts():
            ids = self.shelf.append(self._entry(text, vector, self.scale) for text, vector in rows)
        self._keep(ids, rows)

    def replace(self, rows: Sequence[Tuple[str, Any]]) -> None:
        """These in place of all. Where a world refuses them, everything is as it was."""
        shelf = self.shelf if self.given is not None else self._opened()  # its own: vectors of any length
        scale = self._grown(1.0, rows)
        with _as_the_embedder_counts():
            ids = shelf.replace([self._entry(text, vector, scale) for text, vector in rows], {"scale": scale})
        self.shelf, self.scale = shelf, scale
        self._empty()
        self._keep(ids, rows)

    def nearest(self, query: Any, k: int) -> List[str]:
        size = len(self.texts)
        length = math.sqrt(float(query.dot(query)))
        if length == 0.0:
            return self.texts[:k]  # every product is 0
        wanted = k + _SPARE
        vector = [*(query / length).tolist(), 0.0]
        while True:
            wanted = min(wanted, size)
            if wanted > MOST_IN_ARRAYS:
                places = list(range(size))
                break
            with _as_the_embedder_counts():
                found = self.shelf.nearest([vector], wanted)[0]
            places = [self.places[id] for id, _ in found]
            # Whatever may be as near as the last of the k, by the engine's rounding, has to be looked at.
            if wanted == size or found[-1][1] - found[k - 1][1] > _ROUNDING:
                break
            wanted *= 4
        places.sort(key=lambda place: (-float(query.dot(self.vectors[place])), place))
        return [self.texts[place] for place in places[:k]]


_memories: "weakref.WeakKeyDictionary[AssociativeMemoryBank, _Memories]" = weakref.WeakKeyDictionary()


class AssociativeMemoryBank(_Base):
    """A bank of texts: by association, by recency, or by looking through all of them.

        bank = AssociativeMemoryBank(embed)                                 # gone with the program
        bank = AssociativeMemoryBank(embed, world=world, actor="ana")       # found again in the world

    A world that is given has vectors from its banks alone (embedder="none"), one dimension longer than the
    embedder's. Each bank of a world has an actor of its own. What else a bank has is in a table of this
    module, so that two banks with the same options have equal attributes."""

    def __init__(self, sentence_embedder: Optional[Embedder] = None, allow_duplicates: bool = False, *,
                 world: Optional["World"] = None, actor: str = "bank") -> None:
        self._embedder = sentence_embedder
        self._allow_duplicates = allow_duplicates
        _memories[self] = _Memories(world, actor)

    def add(self, text: str) -> None:
        """Adds a text. Lines become one line; a text that is there is not added again."""
        self.extend([text])

    def extend(self, texts: Iterable[str]) -> None:
        """Adds texts in their order: all of them, or none where the world refuses one. It is one write of up to
        10,000 texts and 15 MiB with their vectors; of more, a part remains if the program ends in the midst."""
        if not self._embedder:
            raise ValueError("a bank needs an embedder before anything is added: set_embedder()")
        import numpy
        memories = _memories[self]
        with memories.lock:
            rows: List[Tuple[str, Any]] = []
            seen: Set[int] = set()
            try:
                for text in texts:
                    text = text.replace("\n", " ")
                    digest = _digest(text)
                    if not self._allow_duplicates and (digest in memories.digests or digest in seen):
                        continue
                    rows.append((text, numpy.array(self._embedder(text))))
                    seen.add(digest)
            finally:
                memories.append(rows)  # also what came before an embedder that failed

    def retrieve_associative(self, query: str, k: int = 1) -> Sequence[str]:
        """The k texts with the greatest dot product to the query, the greatest first; of equal ones the
        oldest first."""
        if not self._embedder:
            raise ValueError("a bank needs an embedder before it is asked: set_embedder()")
        _positive(k)
        import numpy
        memories = _memories[self]
        with memories.lock:
            vector = numpy.asarray(self._embedder(query))
            return memories.nearest(vector, k) if memories.texts else []

    def retrieve_recent(self, k: int = 1) -> Sequence[str]:
        """The last k texts, the oldest first."""
        _positive(k)
        memories = _memories[self]
        with memories.lock:
            return memories.texts[-k:]

    def scan(self, selector_fn: Callable[[str], bool]) -> Sequence[str]:
        """The texts that are selected, in the order in which they were added."""
        return [text for text in self.get_all_memories_as_text() if selector_fn(text)]

    def get_all_memories_as_text(self) -> Sequence[str]:
        """All texts, in the order in which they were added."""
        memories = _memories[self]
        with memories.lock:
            return list(memories.texts)

    def get_data_frame(self) -> Any:
        """A pandas frame of its own with the columns text and embedding."""
        pandas = importlib.import_module("pandas")
        memories = _memories[self]
        with memories.lock:
            return pandas.DataFrame({"text": list(memories.texts), "embedding": list(memories.vectors)},
                                    columns=["text", "embedding"])

    def get_state(self) -> Dict[str, Any]:
        """What set_state takes, in JSON's own types. Concordia's bank takes it, too."""
        memories = _memories[self]
        with memories.lock:
            bank = {"text": {str(place): text for place, text in enumerate(memories.texts)},
                    "embedding": {str(place): vector.tolist() for place, vector in enumerate(memories.vectors)}}
            return {"stored_hashes": sorted(memories.digests), "memory_bank": json.dumps(bank)}

    def set_state(self, state: Dict[str, Any]) -> None:
        """Puts what get_state said in place of everything. Nothing is embedded anew. Which texts are there is
        read from the texts themselves: hashes of another process say nothing here."""
        import numpy
        bank = json.loads(state["memory_bank"])
        rows = [(str(bank["text"][place]), numpy.array(bank["embedding"][place], dtype=float))
                for place in sorted(bank["text"], key=int)]
        memories = _memories[self]
        with memories.lock:
            memories.replace(rows)

    def set_embedder(self, embedder: Embedder) -> None:
        """What embeds from now on. What is there keeps its vectors."""
        self._embedder = embedder

    def __len__(self) -> int:
        """How many texts there are. It never falls, so that it tells whether there is something new."""
        memories = _memories[self]
        with memories.lock:
            return len(memories.texts)

    def __getstate__(self) -> Dict[str, Any]:
        return {"embedder": self._embedder, "allow_duplicates": self._allow_duplicates, "state": self.get_state()}

    def __setstate__(self, said: Dict[str, Any]) -> None:
        # A copy shares nothing with what it is a copy of: it has a world of its own, in memory.
        AssociativeMemoryBank.__init__(self, said["embedder"], said["allow_duplicates"])
        self.set_state(said["state"])


def _positive(k: int) -> None:
    if k <= 0:
        raise ValueError("the limit is 1 or more")
