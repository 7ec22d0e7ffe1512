"""Python values as JSON and back, also those that JSON has no words for: enums, tuples, sets, bytes, times,
UUIDs, and dictionaries whose keys are no texts."""

import base64
import datetime
import enum
import sys
import uuid
from typing import Any, Callable, Dict, List, Optional

_MARK = "__mneme__"


def to_json(value: Any, otherwise: Optional[Callable[[Any], Any]] = None) -> Any:
    """The JSON value that `from_json` reads as an equal one of the same type. Where there is none, what
    `otherwise` says of it; else TypeError."""
    def inner(item: Any) -> Any:
        return to_json(item, otherwise)

    if isinstance(value, enum.Enum):
        kind = type(value)
        return {_MARK: "enum", "of": [kind.__module__, kind.__qualname__, value.name],
                "value": inner(value.value)}
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, dict):
        if all(isinstance(key, str) for key in value) and _MARK not in value:
            return {key: inner(item) for key, item in value.items()}
        return {_MARK: "dict", "value": [[inner(key), inner(item)] for key, item in value.items()]}
    if isinstance(value, list):
        return [inner(item) for item in value]
    for name, kind in _KINDS.items():
        if isinstance(value, kind):
            return {_MARK: name, "value": _SAID[name](value, inner)}
    if hasattr(value, "tolist"):
        return inner(value.tolist())  # an array comes back as a list
    if otherwise is not None:
        return otherwise(value)
    raise TypeError(f"a value of type {type(value).__name__} cannot be kept: {value!r}")


def from_json(value: Any) -> Any:
    """The value that `to_json` said."""
    if isinstance(value, list):
        return [from_json(item) for item in value]
    if not isinstance(value, dict):
        return value
    name = value.get(_MARK)
    if name is None:
        return {key: from_json(item) for key, item in value.items()}
    if name == "dict":
        return {from_json(key): from_json(item) for key, item in value["value"]}
    if name == "enum":
        module, kind, member = value["of"]
        return _enum(module, kind, member, from_json(value["value"]))
    return _READ[name](value["value"])


def _enum(module: str, name: str, member: str, value: Any) -> Any:
    """The member of an enum that this program has; else its value. Nothing is imported for it."""
    kind: Any = sys.modules.get(module)
    for part in name.split("."):
        kind = getattr(kind, part, None)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return kind.__members__.get(member, value)
    return value


_KINDS: Dict[str, type] = {
    "tuple": tuple, "frozenset": frozenset, "set": set, "bytes": bytes, "datetime": datetime.datetime,
    "date": datetime.date, "timedelta": datetime.timedelta, "uuid": uuid.UUID,
}


_Inner = Callable[[Any], Any]


def _in_order(items: Any, inner: _Inner) -> List[Any]:
    """A set has no order of its own; what is kept has one, so that a run repeats."""
    return [inner(item) for item in sorted(items, key=lambda item: (type(item).__name__, repr(item)))]


_SAID: Dict[str, Callable[[Any, _Inner], Any]] = {
    "tuple": lambda value, inner: [inner(item) for item in value],
    "set": _in_order, "frozenset": _in_order,
    "bytes": lambda value, _: base64.b64encode(value).decode(),
    "datetime": lambda value, _: value.isoformat(), "date": lambda value, _: value.isoformat(),
    "timedelta": lambda value, _: [value.days, value.seconds, value.microseconds],
    "uuid": lambda value, _: str(value),
}

_READ: Dict[str, Callable[[Any], Any]] = {
    "tuple": lambda value: tuple(from_json(value)), "set": lambda value: set(from_json(value)),
    "frozenset": lambda value: frozenset(from_json(value)), "bytes": base64.b64decode,
    "datetime": datetime.datetime.fromisoformat, "date": datetime.date.fromisoformat,
    "timedelta": lambda value: datetime.timedelta(*value), "uuid": uuid.UUID,
}
