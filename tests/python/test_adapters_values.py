"""What JSON has no words for comes back as what it was."""

import datetime
import enum
import json
import uuid

import pytest

from mneme.adapters.values import from_json, to_json


class Colour(enum.Enum):
    RED = "red"


class Number(enum.IntEnum):
    ONE = 1


@pytest.mark.parametrize("value", [
    None, True, 1, 1.5, "text", [], {}, {"a": [1, {"b": None}]}, (1, (2, [3])), {1, 2}, frozenset({"a"}),
    b"\0bytes", datetime.datetime(2023, 2, 13, 1, 2, 3, 4, datetime.timezone.utc), datetime.date(2023, 2, 13),
    datetime.timedelta(days=-1, microseconds=7), uuid.UUID(int=7), {1: "a", (2, 3): "b"},
    {"__mneme__": "enum", "of": 1}, Colour.RED, Number.ONE, {"colour": [Colour.RED]}], ids=repr)
def test_it_comes_back(value):
    back = from_json(json.loads(json.dumps(to_json(value))))
    assert back == value and type(back) is type(value)


def test_an_enum_that_is_not_there_is_its_value():
    said = to_json(Colour.RED)
    said["of"][0] = "some.module.that.is.nowhere"
    assert from_json(said) == "red"
    said["of"] = ["os", "system", "RED"]
    assert from_json(said) == "red"


def test_what_cannot_be_kept_is_said():
    with pytest.raises(TypeError):
        to_json({"a": object()})
    thing = object()
    assert from_json(to_json({"a": (thing,)}, otherwise=lambda value: type(value).__name__)) == {"a": ("object",)}
