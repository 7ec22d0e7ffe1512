"""Requests as JSON. Vectors are most of what a round of many agents says: they are printed many times
faster than numbers one by one, as the 32-bit floats that they become."""

import itertools
import json
import math
import secrets
from array import array
from typing import Any, Dict, List, Optional, cast

#: Where a vector stands, until its numbers are put there: a text that nobody else can know.
_PLACE = secrets.token_hex(16)
#: Bytes of most numbers of a vector, with the comma.
_NUMBER = 13


def vector_of(numbers: Any) -> "Optional[array[float]]":
    """The vector that a list of numbers is; None: it is something else, or too large for one."""
    if not isinstance(numbers, (list, tuple)) or not set(map(type, numbers)) <= {float, int}:
        return None
    try:
        vector = array("f", numbers)
    except OverflowError:
        return None
    return vector if math.isfinite(sum(vector)) else None


def _numbers(vector: "array[float]") -> str:
    """Nine digits tell each 32-bit float from all others."""
    numbers = "%.9g," * len(vector) % tuple(vector)
    return "[" + numbers.replace("-0,", "-0.0,")[:-1] + "]"  # "-0" would be the integer, which has no sign


def encoded(request: Dict[str, Any]) -> bytes:
    """The request as UTF-8 text."""
    vectors: List["array[float]"] = []  # in the order of their places

    def said(value: Any) -> str:
        if not isinstance(value, array) or value.typecode != "f":
            raise TypeError(f"a request cannot say {value!r} (of type {type(value).__name__})")
        vectors.append(cast("array[float]", value))
        return _PLACE
    try:
        text = json.dumps(request, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=said)
    except RecursionError:
        raise ValueError("the request is nested too deep, or within itself") from None
    if vectors:
        between = text.split(f'"{_PLACE}"')
        text = "".join(itertools.chain(*itertools.zip_longest(between, map(_numbers, vectors), fillvalue="")))
    return text.encode("utf-8", "surrogatepass")


def weight(request: Dict[str, Any]) -> int:
    """About how many bytes it is, encoded: vectors, which take longest, are not printed for it. What cannot be said
    weighs little: encoded() says why."""
    in_vectors = 0

    def counted(value: Any) -> None:
        nonlocal in_vectors
        in_vectors += _NUMBER * len(value) if isinstance(value, array) else 0
    try:
        text = json.dumps(request, ensure_ascii=False, separators=(",", ":"), default=counted)
    except (TypeError, ValueError, RecursionError):
        return 0
    return in_vectors + len(text if text.isascii() else text.encode("utf-8", "surrogatepass"))
