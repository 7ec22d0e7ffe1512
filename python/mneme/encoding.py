"""Requests as JSON. Vectors are most of what a round of many agents says: they go as base64 of the
32-bit floats that they become, which takes a fourth of the bytes of numbers and hardly any time."""

import json
import math
import secrets
import sys
from array import array
from base64 import b64encode
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple

from .errors import NotFinite


def floats_of(value: Any) -> "Optional[array[float]]":
    """The vector that 32-bit floats in a row are, as numpy has them: no number of them is looked at. None: it is
    something else."""
    if isinstance(value, (list, tuple)) or hasattr(value, "mask"):  # numbers that are masked are none
        return None
    try:
        view = memoryview(value)
    except (TypeError, ValueError, BufferError):
        return None
    return array("f", view.tobytes()) if view.format == "f" and view.ndim == 1 else None


def vector_of(numbers: Any) -> "Optional[array[float]]":
    """The vector that a list of numbers is, also one that no world takes; None: it is something else."""
    if not isinstance(numbers, (list, tuple)) or not set(map(type, numbers)) <= {float, int}:
        return None
    try:
        return array("f", numbers)
    except OverflowError:
        return None


def _said(value: Any) -> bytes:
    if not isinstance(value, array) or value.typecode != "f":
        raise TypeError(f"a request cannot say {value!r} (of type {type(value).__name__})")
    if sys.byteorder == "big":
        value = array("f", value)
        value.byteswap()
    return b64encode(value)


#: Stands for a vector in a text that has none of them yet.
_VECTOR = secrets.token_hex(12)


def _with_vectors(text: bytes, vectors: List[bytes]) -> bytes:
    """The text with the vectors where they are stood for, in their order."""
    parts = text.split(_VECTOR.encode())
    if len(parts) != len(vectors) + 1:
        raise ValueError("the request says what no request can know of")
    whole = [b""] * (2 * len(vectors) + 1)
    whole[::2], whole[1::2] = parts, vectors
    return b"".join(whole)


def _text(request: Dict[str, Any], said: Callable[[Any], Optional[str]], is_strict: bool) -> str:
    return json.dumps(request, ensure_ascii=False, allow_nan=not is_strict, separators=(",", ":"), default=said)


#: So many bits have more digits than Python writes of a number, unless it is told to.
_MOST_BITS = 14_000


def unsayable(value: Any) -> Optional[Tuple[str, str]]:
    """Where the first number stands that JSON does not have, or that has more digits than are written; and what is
    wrong with it."""
    try:
        return _unsayable(value, "")
    except RecursionError:  # it is within itself
        return None


def _unsayable(value: Any, at: str) -> Optional[Tuple[str, str]]:
    if isinstance(value, float) and not math.isfinite(value):
        return at, f"a number is finite, and this is {value}"
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return at, "the number does not fit a 64-bit float"
    inner: Iterable[Tuple[str, Any]] = ()
    if isinstance(value, dict):
        inner = ((f"{at}.{key}" if at else str(key), item) for key, item in value.items())
    elif isinstance(value, (list, tuple)):
        inner = ((f"{at}[{place}]", item) for place, item in enumerate(value))
    return next(filter(None, (_unsayable(item, where) for where, item in inner)), None)


def encoded(request: Dict[str, Any]) -> bytes:
    """The request as UTF-8 text. Half of a surrogate pair, which no UTF-8 has, goes escaped: the engine says
    where in the request it stands."""
    vectors: List[bytes] = []

    def set_aside(value: Any) -> str:
        # The encoder would look at each of their letters, which takes longer than all else.
        vectors.append(_said(value))
        return _VECTOR
    try:
        text = _text(request, set_aside, True)
    except RecursionError:
        raise ValueError("the request is nested too deep, or within itself") from None
    except ValueError:
        found = unsayable(request)
        if found is None:
            raise
        raise NotFinite("out_of_range", found[1], found[0]) from None
    encoded_text = text.encode("utf-8", "backslashreplace")
    return _with_vectors(encoded_text, vectors) if vectors else encoded_text


def can_be_said(request: Dict[str, Any]) -> bool:
    """Whether all its numbers are finite, and none of its texts has half of a surrogate pair: two halves that make
    one are sent as it."""
    try:
        _text(request, lambda vector: None, True).encode("utf-16", "surrogatepass").decode("utf-16")
    except ValueError:  # UnicodeDecodeError is one
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
