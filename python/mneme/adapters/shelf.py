"""A shelf: what an adapter puts into a world one behind the other, and finds again in that order."""

import array
import base64
import contextlib
import hashlib
import json
import sys
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from .. import asks
from ..errors import MnemeError
from ..records import Record
from ..world import World
from .portions import found_in_pages, in_pages, portions, read_in_portions, too_large

_ALL = 1_000_000_000
MOST_IN_ARRAYS = 25_000  # answers to one vector
_BLANK = "(blank)"  # a statement says something; what it says in truth is in the metadata then
_IN_METADATA = 40_000  # bytes of JSON beside a text; what is longer stands in its place


_Near = Tuple[str, float]  # an id, and how far it is


def tag_of(*names: str) -> str:
    """A tag for what these names name together. No two of them share one."""
    said = json.dumps(names, ensure_ascii=True)
    return "shelf:" + hashlib.sha256(said.encode()).hexdigest()[:40]


def packed(vector: Iterable[float]) -> str:
    """A vector as text, to the bit: what a world keeps of a vector for itself is in single precision."""
    numbers = array.array("d", vector)
    if sys.byteorder == "big":
        numbers.byteswap()
    return base64.b64encode(numbers.tobytes()).decode()


def unpacked(text: str) -> List[float]:
    """The vector that `packed` made a text of."""
    numbers = array.array("d", base64.b64decode(text))
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tolist()


def sayable(text: str) -> str:
    """The text, with a question mark for each half of a surrogate pair, which no world takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


def has_direction(vector: Sequence[float]) -> bool:
    """Whether a world takes the vector: zeros are near to nothing."""
    return any(vector)


class Entry(NamedTuple):
    """What is put on a shelf: what it says, a JSON value beside it, and where it lies."""

    text: str
    value: Any = None
    vector: Optional[List[float]] = None
    importance: Optional[int] = None


class Shelf:
    """Notes of one actor, in the order in which they were put.

    A shelf has a head, a memory that says which generation of entries is the present one, so that all of
    them are replaced in one step. Others may write into the same world, and the same actor may have many
    shelves; one shelf has one writer."""

    def __init__(self, world: World, actor: str, name: str) -> None:
        self.world, self.actor, self.name = world, actor, name
        self._tag = tag_of(actor, name)
        self._size = 0
        heads = self._with_tag(self._tag)
        self._head: Optional[Record] = heads[0] if heads else None
        self.facts: Dict[str, Any] = (json.loads(self._head["metadata"]["facts"]) if self._head else {})
        self._generation: int = self._head["metadata"]["generation"] if self._head else 0

    @property
    def tag(self) -> str:
        """The tag that all present entries have, and nothing else."""
        return f"{self._tag}.{self._generation}"

    def entries(self) -> List[Tuple[str, Entry]]:
        """The ids and the entries, in order. Vectors are not told: a world does not give them back."""
        rows = sorted(self._with_tag(self.tag), key=lambda row: int(row["metadata"]["n"]))
        self._size = int(rows[-1]["metadata"]["n"]) + 1 if rows else 0
        return [(row["id"], entry_of(row)) for row in rows]

    def append(self, entries: Iterable[Entry]) -> List[str]:
        """Their ids. One batch, all or none, of up to 10,000 entries and 15 MiB. What is more takes several;
        if one of them is refused, what went before it is taken out again. A part remains where the program
        ends, or the world fails, in the midst."""
        ids: List[str] = []
        asked = [self._ask(entry, self._size + place) for place, entry in enumerate(entries)]
        try:
            for portion in portions([ask] for ask in asked):
                ids += [row["id"] for row in self.world.batch(portion)]
        except BaseException:
            self._size += len(ids)  # numbers need not be dense
            with contextlib.suppress(MnemeError):
                self.remove(ids)
            raise
        self._size += len(ids)
        return ids

    def remove(self, ids: Iterable[str]) -> None:
        """Takes entries out; the others keep their order."""
        gone = [asks.tombstone(f"mneme://Note/{id}#1", "taken from its shelf", actor=self.actor) for id in ids]
        for portion in portions([ask] for ask in gone):
            self.world.batch(portion)

    def replace(self, entries: Iterable[Entry], facts: Optional[Dict[str, Any]] = None) -> List[str]:
        """These entries in place of all others: whoever opens the shelf finds the old ones or the new
        ones. Where it is refused the old ones stay."""
        old = [row["id"] for row in self._with_tag(self.tag)]
        before = self._generation, self._size
        self._generation += 1
        try:
            # A generation that was not finished is no part of the shelf, but it is in the way.
            self.remove(row["id"] for row in self._with_tag(self.tag))
            self._size = 0
            ids = self.append(entries)
            self.say(self.facts if facts is None else facts)
        except BaseException:
            self._generation, self._size = before
            raise
        self.remove(old)
        return ids

    def say(self, facts: Dict[str, Any]) -> None:
        """What is to be known of the shelf as a whole."""
        metadata = {"generation": self._generation, "facts": json.dumps(facts, sort_keys=True)}
        if self._head is None:
            self._head = self.world.write("Note", {"statement": f"{self.name} of {self.actor}"},
                                          actor=self.actor, tags=[self._tag], metadata=metadata)
        else:
            self.world.update_head(self._head, actor=self.actor, metadata=metadata)
        self.facts = dict(facts)

    def nearest(self, vectors: Sequence[List[float]], limit: int) -> List[List[_Near]]:
        """For each vector the ids of the nearest entries and their cosine distances, the nearest first. All
        are asked at one moment."""
        request: Dict[str, Any] = {"types": ["Note"], "where": {"has_tag": self.tag}, "rank": "distance"}
        if 1 <= limit <= MOST_IN_ARRAYS and hasattr(self.world.backend, "tick_arrays"):
            try:
                return self._nearest_in_arrays(vectors, limit, request)
            except ModuleNotFoundError:
                pass  # no numpy
            except MnemeError as refused:
                if refused.code != "unsupported":  # a program that joined a world has no arrays
                    raise
        reads = [asks.find(**request, near_vector=vector, limit=limit, actor=self.actor) for vector in vectors]
        try:
            found = read_in_portions(self.world, reads)
        except MnemeError as refused:
            if not too_large(refused):
                raise
            found = [found_in_pages(self.world, read) for read in reads]
        return [list(zip((row["id"] for row in rows), rows.answer["distances"])) for rows in found]

    def search(self, query: str, limit: int) -> List[Tuple[str, float]]:
        """The ids of the entries that words and meaning find, and their scores, the best first."""
        hits = self.world.search(sayable(query), tag=self.tag, actor=self.actor, limit=limit, source_type="memory")
        return [(hit["id"], float(hit["score"])) for hit in hits]

    def _nearest_in_arrays(self, vectors: Sequence[List[float]], limit: int,
                           request: Dict[str, Any]) -> List[List[_Near]]:
        def asked(some: Sequence[List[float]], k: int, more: Dict[str, Any]) -> Tuple[List[List[_Near]], int]:
            round_ = self.world.tick_arrays(some, k=k, askers=[self.actor] * len(some), find={**request, **more})
            for refused in round_.refused:
                raise refused.error
            return [list(zip(round_.found(place), round_.distances[place].tolist()))
                    for place in range(len(some))], round_.seq

        def of_one(vector: List[float]) -> List[_Near]:
            def fetch(k: int, more: Dict[str, Any]) -> Tuple[List[_Near], int]:
                found, seq = asked([vector], k, more)
                return found[0], seq
            return in_pages(limit, fetch)
        try:
            return asked(vectors, limit, {})[0]
        except MnemeError as refused:
            if not too_large(refused):
                raise
        return [of_one(vector) for vector in vectors]

    def _with_tag(self, tag: str) -> List[Record]:
        return list(found_in_pages(self.world, asks.find(
            "Note", where={"has_tag": tag}, actor=self.actor, limit=_ALL, include_archived=True,
            include_ended=True, order_by=[{"field": "head.id", "dir": "asc"}])))

    def _ask(self, entry: Entry, number: int) -> asks.Ask[Record]:
        statement, metadata = _said(entry, number)
        return asks.write("Note", {"statement": statement}, actor=self.actor, tags=[self.tag],
                          metadata=metadata, vector=entry.vector, importance=entry.importance)


def _said(entry: Entry, number: int) -> Tuple[str, Dict[str, Any]]:
    metadata: Dict[str, Any] = {"n": number}
    statement = sayable(entry.text) if entry.text.strip() else _BLANK
    if statement != entry.text:
        metadata["said"] = json.dumps(entry.text)
    if entry.value is not None:
        metadata["value"] = json.dumps(entry.value, allow_nan=True)
    if len(metadata.get("value", "")) + len(metadata.get("said", "")) <= _IN_METADATA:
        return statement, metadata
    metadata = {"n": number, "whole": True}
    return json.dumps([entry.text, entry.value], allow_nan=True), metadata


def entry_of(row: Record) -> Entry:
    """What a memory of a shelf says."""
    metadata = row["metadata"]
    statement: str = row["version"]["data"]["statement"]
    if metadata.get("whole"):
        text, value = json.loads(statement)
        return Entry(text, value)
    text = json.loads(metadata["said"]) if "said" in metadata else metadata.get("text", statement)
    return Entry(text, json.loads(metadata["value"]) if "value" in metadata else None)
