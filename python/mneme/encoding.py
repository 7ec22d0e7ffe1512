"""Requests as JSON. Vectors are most of what a round of many agents says: they go as base64 of the
32-bit floats that they become, which takes a fourth of the bytes of numbers and hardly any time."""

import json
import sys
from array import array
from base64 import b64encode
from typing import Any, Callable, Dict, Optional


def vector_of(numbers: Any) -> "Optional[array[float]]":
    """The vector that a list of numbers is, also one that no world takes; None: it is something else."""
    if not isinstance(numbers, (list, tuple)) or not set(map(type, numbers)) <= {float, int}:
        return None
    try:
        return array("f", numbers)
    except OverflowError:
        return None


def _said(value: Any) -> str:
    if not isinstance(value, array) or value.typecode != "f":
        raise TypeError(f"a request cannot say {value!r} (of type {type(value).__name__})")
    if sys.byteorder == "big":
        value = array("f", value)
        value.byteswap()
    return b64encode(value).decode()


def _text(request: Dict[str, Any], said: Callable[[Any], Optional[str]], is_strict: bool) -> str:
    return json.dumps(request, ensure_ascii=False, allow_nan=not is_strict, separators=(",", ":"), default=said)


def encoded(request: Dict[str, Any]) -> bytes:
    """The request as UTF-8 text. Half of a surrogate pair, which no UTF-8 has, goes escaped: the engine says
    where in the request it stands."""
    try:
        text = _text(request, _said, True)
    except RecursionError:
        raise ValueError("the request is nested too deep, or within itself") from None
    return text.encode("utf-8", "backslashreplace")


def can_be_said(request: Dict[str, Any]) -> bool:
    """Whether none of its texts has half of a surrogate pair: two halves that make one are sent as it."""
    try:
        _text(request, lambda vector: None, False).encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        return False
    return True


def weight(request: Dict[str, Any]) -> int:
    """How many bytes it is, encoded. What cannot be said weighs little: encoded() says why."""
    in_vectors = 0

    def counted(value: Any) -> None:
        nonlocal in_vectors
        in_vectors += 4 * ((value.itemsize * len(value) + 2) // 3) - 2 if isinstance(value, array) else 0
    try:
        text = _text(request, counted, False)
    except (TypeError, ValueError, RecursionError):
        return 0
    return in_vectors + len(text if text.isascii() else text.encode("utf-8", "backslashreplace"))
