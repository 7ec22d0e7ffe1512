"""Values by keys of somebody else's: (namespace, key) -> value, over memories that have ids of their own."""

import json
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from .. import asks
from ..records import Record
from .shelf import sayable, tag_of

Namespace = Tuple[str, ...]
Write = asks.Ask[Record]
MOST_LEVELS = 13  # of a namespace that have a tag each: a memory has 16 tags
_INDEXED, _LONGEST = 40, 200  # fields of a value, and bytes of one, that a filter finds without reading all


class Kept(NamedTuple):
    """A value that is there, and where."""

    namespace: Namespace
    key: str
    value: Dict[str, Any]
    record: Record
    expires: Optional[float]  # seconds since 1970
    ttl: Optional[float]  # minutes


class KeyedValues:
    """How values lie in a world. What is there is found by tags: one for (namespace, key), and one for each
    level of the namespace. Vectors of a value are memories beside it, since one memory has one vector."""

    def __init__(self, actor: str) -> None:
        self.actor = actor

    def get(self, namespace: Namespace, key: str) -> asks.Ask[Any]:
        """Finds a value."""
        return self._find({"has_tag": self.key_tag(namespace, key)}, 2)

    def put(self, namespace: Namespace, key: str, value: Dict[str, Any], old: Optional[Record],
            facets: Sequence[Record], vectors: Iterable[List[float]], expires: Optional[float],
            ttl: Optional[float]) -> List[Write]:
        """Puts a value in the place of an old one and of its vectors."""
        metadata = self._metadata(namespace, key, value, expires, ttl)
        said = json.dumps(value, ensure_ascii=False)
        # Half of a surrogate pair goes escaped.
        data = {"statement": said if sayable(said) == said else json.dumps(value)}
        key_tag = self.key_tag(namespace, key)
        if old is None:
            writes = [asks.write("Note", data, actor=self.actor, metadata=metadata,
                                 tags=[key_tag, *self._levels("value", namespace)])]
        else:
            writes = [asks.update(old, data, actor=self.actor),
                      asks.update_head(old, actor=self.actor, metadata=metadata)]
        writes += [self._gone(facet) for facet in facets]
        writes += [asks.write("Note", {"statement": "vector"}, actor=self.actor, vector=vector,
                              metadata={"of": key_tag},
                              tags=[self._facet_tag(key_tag), *self._levels("vector", namespace)])
                   for vector in vectors]
        return writes

    def delete(self, old: Optional[Record], facets: Iterable[Record]) -> List[Write]:
        """Takes a value out, and its vectors."""
        return [self._gone(row) for row in [*([] if old is None else [old]), *facets]]

    def refresh(self, kept: Kept, expires: float) -> Write:
        """Another time of expiry."""
        return asks.update_head(kept.record, actor=self.actor, metadata=self._metadata(
            kept.namespace, kept.key, kept.value, expires, kept.ttl))

    def facets(self, namespace: Namespace, key: str) -> asks.Ask[Any]:
        """Finds the vectors of a value."""
        return self._find({"has_tag": self._facet_tag(self.key_tag(namespace, key))}, 100_000)

    def under(self, prefix: Namespace, same: Dict[str, str], limit: int) -> asks.Ask[Any]:
        """Finds values of namespaces that begin so, at least all those whose fields are the same; what was
        written first comes first."""
        where: List[Any] = [{"has_tag": self._level("value", prefix)}]
        where += [{"or": [{"eq": [f"meta.v.{name}", text]}, {"eq": ["meta.many", True]}]}
                  for name, text in same.items() if _indexed(name, text)]
        return self._find({"and": where}, limit,
                          order_by=[{"field": "version.created_at", "dir": "asc"}])

    def near(self, prefix: Namespace, vector: List[float], limit: int) -> asks.Ask[Any]:
        """Finds the nearest vectors of namespaces that begin so."""
        return self._find({"has_tag": self._level("vector", prefix)}, limit, near_vector=vector, rank="distance")

    def of_key_tag(self, tag: str) -> asks.Ask[Any]:
        """Finds the value that a vector is of."""
        return self._find({"has_tag": tag}, 2)

    def key_tag(self, namespace: Namespace, key: str) -> str:
        return tag_of(self.actor, "key", key, *namespace)

    def _find(self, where: Dict[str, Any], limit: int, **more: Any) -> asks.Ask[Any]:
        return asks.find("Note", where=where, limit=limit, actor=self.actor, include_archived=True,
                         include_ended=True, **more)

    def _facet_tag(self, key_tag: str) -> str:
        return tag_of(key_tag, "vector")

    def _level(self, kind: str, prefix: Namespace) -> str:
        return tag_of(self.actor, "level", kind, *prefix[:MOST_LEVELS])

    def _levels(self, kind: str, namespace: Namespace) -> List[str]:
        return [self._level(kind, namespace[:depth]) for depth in range(min(len(namespace), MOST_LEVELS) + 1)]

    def _gone(self, row: Record) -> Write:
        return asks.tombstone(row, "deleted by its key", actor=self.actor)

    def _metadata(self, namespace: Namespace, key: str, value: Dict[str, Any], expires: Optional[float],
                  ttl: Optional[float]) -> Dict[str, Any]:
        fields = {f"v.{name}": text for name, text in value.items() if _indexed(name, text)}
        metadata: Dict[str, Any] = {"namespace": json.dumps(namespace), "key": json.dumps(key)}
        if expires is not None:
            metadata.update(expires=expires, ttl=ttl)
        return {**metadata, "many": True} if len(fields) > _INDEXED else {**metadata, **fields}


def kept_of(row: Record) -> Kept:
    """The value that a memory is."""
    metadata = row["metadata"]
    return Kept(tuple(json.loads(metadata["namespace"])), json.loads(metadata["key"]),
                json.loads(row["version"]["data"]["statement"]), row, metadata.get("expires"), metadata.get("ttl"))


def _indexed(name: str, text: Any) -> bool:
    return isinstance(text, str) and 0 < len(text) <= _LONGEST and "\0" not in text \
        and sayable(text) == text \
        and name.isidentifier() and name.isascii() and len(name) <= 40
