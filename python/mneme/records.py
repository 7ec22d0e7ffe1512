"""Answers as Python likes them: dictionaries whose keys are attributes, too, and lists that print as
tables."""

import html
import json
from typing import (Any, Dict, Iterable, List, Mapping, SupportsIndex, Tuple, Union,
                    overload)

_WIDTH = 60


def parsed(text: Union[str, bytes]) -> "Record":
    """The answer that a text says, with a Record for each object in it."""
    answer: Record = json.loads(text, object_hook=Record)
    return answer


class Record(Dict[str, Any]):
    """An object of an answer. `hit["score"]` and `hit.score` are the same; a key that is no name of
    Python's, or that a dictionary has for itself (such as `items`), is there by brackets."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the answer has no {name!r}; it has {', '.join(self)}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __dir__(self) -> List[str]:
        return sorted({*super().__dir__(), *self})

    def __repr__(self) -> str:
        kind, text, rest = _told(self)
        if not kind:
            return f"Record({dict.__repr__(self)})"
        return " ".join(part for part in (kind, repr(text) if text else "", rest) if part)


def text_of(record: Mapping[str, Any]) -> str:
    """What a memory, a hit or an item says, in one line."""
    for key in ("content", "text", "title", "summary_text"):
        if isinstance(record.get(key), str):
            return _line(record[key])
    forms = record.get("forms")
    if isinstance(forms, dict) and forms.get("medium"):
        return _line(str(forms["medium"]))
    data = record.get("version", {}).get("data", {}) if isinstance(record.get("version"), dict) else {}
    return _line(str(data.get("statement") or data.get("title") or data.get("content") or ""))


def _line(text: str) -> str:
    return " ".join(text.split())


def _short(text: str) -> str:
    return text if len(text) <= _WIDTH else text[:_WIDTH - 1] + "…"


def _told(record: Mapping[str, Any]) -> Tuple[str, str, str]:
    """What it is, what it says, and the rest that people look for."""
    if "src" in record and "dst" in record:
        ended = ", ended" if record.get("tombstoned") else ""
        return f"<{record['src']} {record.get('type')} {record['dst']}>", "", ended.strip(", ")
    if "kind" in record and "at" in record and "actor" in record:
        what = record.get("uri") or record.get("id") or record.get("tag") or ""
        fields = ", ".join(record.get("fields") or [])
        by = f"by {record['actor']}" if record["actor"] else ""
        return f"<change {record['seq']} {record['kind']}>", "", \
            " ".join(part for part in (str(what), fields, by) if part)
    if "seq" in record and "kind" in record:
        by = f"by {record['created_by']}" if record.get("created_by") else ""
        return f"<entry {record['seq']} {record['kind']}>", "", by
    if "uri" not in record and "topic_id" not in record:
        return "", "", ""
    kind = str(record.get("type") or record.get("memory_type") or
               ("Topic" if "topic_id" in record else "")).capitalize()
    notes = []
    if "version" in record and "seq" in record:
        notes.append(f"seq {record['seq']}")
    for key in ("score", "similarity", "salience"):
        if isinstance(record.get(key), float):
            notes.append(f"{key} {record[key]:.2f}")
            break
    for key in ("actor_scope", "by"):
        if record.get(key):
            notes.append(f"by {record[key]}")
            break
    notes += ["#" + str(tag) for tag in record.get("tags") or []]
    made = record.get("created_at") or record.get("at")
    if isinstance(made, str):
        notes.append(made[:16].replace("T", " "))
    name = str(record.get("uri") or record.get("topic_id"))
    return f"<{kind} {name}>" if kind else f"<{name}>", _short(text_of(record)), ", ".join(notes)


class Found(List[Record]):
    """What a door found, best first: a list of records. `answer` is the whole answer, with what it
    counted and as of which seq it is."""

    def __init__(self, rows: Iterable[Record], answer: Record) -> None:
        super().__init__(rows)
        self.answer = answer

    def texts(self) -> List[str]:
        """What each says, in one line."""
        return [text_of(row) for row in self]

    @overload
    def __getitem__(self, place: SupportsIndex) -> Record: ...

    @overload
    def __getitem__(self, place: slice) -> "Found": ...

    def __getitem__(self, place: Union[SupportsIndex, slice]) -> Union[Record, "Found"]:
        if isinstance(place, slice):
            return Found(super().__getitem__(place), self.answer)
        return super().__getitem__(place)

    def __repr__(self) -> str:
        if not self:
            return "nothing found"
        return "\n".join(repr(row) for row in self)

    def _repr_html_(self) -> str:
        """For notebooks."""
        rows = []
        for row in self:
            kind, text, notes = _told(row)
            cells = (kind.strip("<>"), text_of(row) or text, notes)
            rows.append("<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in cells) + "</tr>")
        return ("<table><thead><tr><th>memory</th><th>says</th><th></th></tr></thead><tbody>"
                + "".join(rows) + "</tbody></table>")
