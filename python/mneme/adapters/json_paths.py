"""Texts at paths of a JSON value: "$" for the whole, "a.b", "a[0]", "a[-1]", "a[*].c", "*", "{a,b.c}"."""

import json
import re
from typing import Any, List

_PARTS = re.compile(r"\[[^\]]*\]|\{[^}]*\}|[^.\[{]+")


def texts_at(value: Any, path: str) -> List[str]:
    """What is said at the path, each for itself; nothing where there is nothing."""
    if path in ("", "$"):
        return [json.dumps(value, sort_keys=True)]
    return [text for found in _at(value, _PARTS.findall(path)) for text in _said(found)]


def _at(value: Any, parts: List[str]) -> List[Any]:
    if not parts:
        return [value]
    part, rest = parts[0], parts[1:]
    if part.startswith("{"):
        # A choice of fields ends the path, whatever stands behind it.
        return [found for path in part[1:-1].split(",") for found in _at(value, _PARTS.findall(path.strip()))]
    return [found for inner in _inside(value, part) for found in _at(inner, rest)]


def _inside(value: Any, part: str) -> List[Any]:
    """The values one step further."""
    if part == "*":
        return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    if not part.startswith("["):
        return [value[part]] if isinstance(value, dict) and part in value else []
    if not isinstance(value, list):
        return []
    place = part[1:-1]
    if place == "*":
        return value
    if not re.fullmatch(r"-?\d+", place) or not -len(value) <= int(place) < len(value):
        return []
    return [value[int(place)]]


def _said(value: Any) -> List[str]:
    if value is None:
        return []
    return [json.dumps(value, sort_keys=True) if isinstance(value, (dict, list)) else str(value)]
