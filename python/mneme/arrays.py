"""Ticks of many agents in numpy arrays: vectors go in, and ids and distances come out, without a copy
and without JSON. Needs numpy, and a world of this process."""

import ctypes
import operator
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from .asks import keys, listed, plain, ulid
from .encoding import encoded
from .errors import MnemeError, NotFinite, error_of

_P = ctypes.c_void_p


class RoundStruct(ctypes.Structure):
    """mneme_round of mneme/mneme.h."""

    _fields_ = [("struct_size", ctypes.c_size_t), ("dim", ctypes.c_size_t),
                ("asks", ctypes.c_size_t), ("queries", _P), ("askers", _P), ("k", ctypes.c_size_t),
                ("find", ctypes.c_char_p), ("writes", ctypes.c_size_t), ("texts", _P),
                ("writers", _P), ("vectors", _P), ("text_field", ctypes.c_char_p),
                ("write", ctypes.c_char_p), ("counts", _P), ("ids", _P), ("distances", _P),
                ("scores", _P), ("written_ids", _P), ("with_texts", ctypes.c_int)]


class Refused(NamedTuple):
    """One part of a round that failed alone: "read" or "write", its number, and why."""

    kind: str
    number: int
    error: MnemeError


class Round:
    """What a round came to. Arrays have a row for each ask or write.

    counts     (asks,)     how many were found
    ids        (asks, k)   16 bytes each, the nearest first; zeros behind the last
    distances  (asks, k)   from the query
    scores     (asks, k)   saliences
    written    (writes,)   ids of 16 bytes; zeros where it was refused
    texts      a list of texts for each ask, where they were asked for; else None
    refused    what failed alone
    seq        of the last entry
    """

    def __init__(self, counts: Any, ids: Any, distances: Any, scores: Any, written: Any,
                 answer: Dict[str, Any]) -> None:
        self.counts, self.ids, self.distances = counts, ids, distances
        self.scores, self.written = scores, written
        self.seq: int = answer["seq"]
        self.texts: Optional[List[List[str]]] = answer.get("texts")
        self.refused = [Refused(kind, part[kind], error_of(part))
                        for part in answer["refused"] for kind in ("read", "write") if kind in part]

    def written_ids(self) -> List[Optional[str]]:
        """The ids, as text, of what was written; None where it was refused."""
        return [ulid(raw) if any(bytes(raw)) else None for raw in self.written]

    def found(self, ask: int) -> List[str]:
        """The ids, as text, of what an ask found."""
        return [ulid(self.ids[ask, i]) for i in range(int(self.counts[ask]))]

    def __repr__(self) -> str:
        return (f"<mneme.Round seq={self.seq} asks={len(self.counts)} writes={len(self.written)} "
                f"refused={len(self.refused)}>")


def tick_arrays(call: Callable[[RoundStruct], Dict[str, Any]], queries: Any = None, k: int = 5,
                askers: Optional[Sequence[str]] = None, find: Optional[Mapping[str, Any]] = None,
                texts: Optional[Sequence[str]] = None, writers: Optional[Sequence[str]] = None,
                vectors: Any = None, write: Optional[Mapping[str, Any]] = None,
                text_field: Optional[str] = None, with_texts: bool = False) -> Round:
    """See World.tick_arrays."""
    import numpy

    def rows(given: Any, name: str) -> Tuple[Any, int, int]:
        if given is None:
            return None, 0, 0
        if numpy.iscomplexobj(given):
            raise ValueError(f"{name} has complex numbers")
        made = numpy.ascontiguousarray(given, dtype=numpy.float32)  # itself, where it is that
        if made.ndim != 2:
            raise ValueError(f"{name} has a row for each: shape (n, dim), not {made.shape}")
        return made, made.shape[0], made.shape[1]

    def strings(given: Optional[Sequence[str]], count: int, name: str) -> Any:
        if given is None:
            return None
        given = listed(given, str, name)
        if len(given) != count:
            raise ValueError(f"{name} has one for each of {count}, not {len(given)}")
        in_bytes = [text.encode("utf-8", "surrogatepass") for text in given]
        for text in in_bytes:
            if b"\0" in text:
                raise ValueError(f"{name}: a zero character cannot be passed in an array")
        return (ctypes.c_char_p * count)(*in_bytes)

    asked, asks, dim = rows(queries, "queries")
    wanted = listed(texts, str, "texts") if texts is not None else []
    if isinstance(k, bool) or not hasattr(k, "__index__") or not 1 <= operator.index(k) <= 25_000:
        raise ValueError(f"k is 1 to 25000, not {k!r}")
    k = operator.index(k)
    written_vectors, vector_rows, vector_dim = rows(vectors, "vectors")
    if written_vectors is not None and vector_rows != len(wanted):
        raise ValueError(f"vectors has a row for each of {len(wanted)} texts, not {vector_rows}")
    if asks and vector_dim and dim != vector_dim:
        raise ValueError(f"queries are of {dim} numbers, vectors of {vector_dim}")
    counts = numpy.zeros(asks, dtype=numpy.uint32)
    ids = numpy.zeros((asks, k), dtype="V16")
    distances, scores = numpy.zeros((asks, k)), numpy.zeros((asks, k))
    written = numpy.zeros(len(wanted), dtype="V16")
    # Kept by name until the call has ended.
    asker_names = strings(askers, asks, "askers")
    writer_names = strings(writers, len(wanted), "writers")
    text_bytes = strings(wanted, len(wanted), "texts")

    def text_of(shared: Optional[Mapping[str, Any]], name: str) -> Optional[bytes]:
        if shared is None:
            return None
        if not isinstance(shared, Mapping):
            raise TypeError(f"what all have in common is keys and values, not {shared!r}")
        try:
            return encoded(plain(keys(shared)))
        except NotFinite as refused:
            raise NotFinite(refused.code, refused.message, f"{name}.{refused.at}") from None

    if text_field is not None and ("\0" in text_field or not text_field):
        raise ValueError(f"{text_field!r} is no name of a field")

    def place(array: Any) -> Optional[int]:
        return None if array is None else int(array.ctypes.data)

    def pointer(strings_: Any) -> Optional[int]:
        return None if strings_ is None else ctypes.addressof(strings_)

    answer = call(RoundStruct(
        struct_size=ctypes.sizeof(RoundStruct), dim=dim or vector_dim, asks=asks,
        queries=place(asked), askers=pointer(asker_names), k=k, find=text_of(find, "find"),
        writes=len(wanted), texts=pointer(text_bytes), writers=pointer(writer_names),
        vectors=place(written_vectors),
        text_field=None if text_field is None else text_field.encode(), write=text_of(write, "write"),
        counts=place(counts), ids=place(ids), distances=place(distances), scores=place(scores),
        written_ids=place(written), with_texts=int(with_texts)))
    if not answer.pop("ok"):
        raise error_of(answer)
    return Round(counts, ids, distances, scores, written, answer)
