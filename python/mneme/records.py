"""Answers as Python likes them: dictionaries whose keys are attributes, too, and lists that print as
tables."""

import functools
import gc
import html
import json
import threading
from typing import (Any, Dict, Iterable, List, Mapping, SupportsIndex, Tuple, Union,
                    overload)

_WIDTH = 60
#: Of an answer that is no memory: how long a text of it is printed, one further in, and how many items of a list.
_LONG = 240
_DEEP = 64
_ITEMS = 3
#: Bytes of an answer of some hundred objects.
_MUCH = 1 << 16


def parsed(text: Union[str, bytes]) -> "Record":
    """The answer that a text says, with a Record for each object in it."""
    # Another thread might mean to turn the collector off meanwhile.
    if len(text) < _MUCH or not gc.isenabled() or threading.active_count() > 1:
        return _loaded(text)
    # Nothing of it can be garbage yet, and a collector would look all of it through again and again. Afterwards it
    # is as new as what else is: the collector goes over all only once it has gone over much that was new.
    gc.disable()
    try:
        return _loaded(text)
    finally:
        gc.enable()


def _loaded(text: Union[str, bytes]) -> "Record":
    answer: Record = _decoder().decode(text if isinstance(text, str) else text.decode("utf-8", "surrogatepass"))
    return answer


@functools.lru_cache(maxsize=None)
def _decoder() -> json.JSONDecoder:
    return json.JSONDecoder(object_hook=Record)


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
            return f"<{_members(self)}>"
        return " ".join(part for part in (kind, repr(text) if text else "", rest) if part)

    def _repr_html_(self) -> str:
        """For notebooks."""
        if _told(self)[0]:
            return _memories_table([self])
        return _table(("", ""), [(key, _said(value)) for key, value in self.items()
                                 if value is not None])


def text_of(record: Mapping[str, Any]) -> str:
    """What a memory, a hit or an item says, in one line."""
    for key in ("content", "text", "title", "summary_text"):
        if isinstance(record.get(key), str):
            return _line(record[key])
    forms = record.get("forms")
    if isinstance(forms, dict) and forms.get("medium"):
        return _line(str(forms["medium"]))
    version = record.get("version")
    data = (version if isinstance(version, dict) else record).get("data")
    if not isinstance(data, dict):
        return ""
    return _line(str(data.get("statement") or data.get("title") or data.get("content") or ""))


def _line(text: str) -> str:
    return " ".join(text.split())


def _short(text: str) -> str:
    return text if len(text) <= _WIDTH else text[:_WIDTH - 1] + "…"


def _members(record: Mapping[str, Any], is_deep: bool = False) -> str:
    """What an answer that is no memory has; what it has not (None) is left out."""
    return " ".join(f"{key}={_said(value, is_deep)}" for key, value in record.items() if value is not None)


def _said(value: Any, is_deep: bool = False) -> str:
    """A value in few words, in fewer where it stands within another."""
    if isinstance(value, str):
        longest = _DEEP if is_deep else _LONG
        return repr(value if len(value) <= longest else value[:longest - 1] + "…")
    if isinstance(value, Record) and _told(value)[0]:
        return repr(value)
    if isinstance(value, dict):
        return f"{{{len(value)} keys}}" if is_deep else "{" + _members(value, True) + "}"
    if isinstance(value, list):
        if is_deep and len(value) > _ITEMS:
            return f"[{len(value)} items]"
        rest = [f"… {len(value)} items"] if len(value) > _ITEMS else []
        return "[" + ", ".join([_said(item, True) for item in value[:_ITEMS]] + rest) + "]"
    return repr(value)


def _told(record: Mapping[str, Any]) -> Tuple[str, str, str]:
    """What it is, what it says, and the rest that people look for."""
    if "src" in record and "dst" in record:
        ended = ", ended" if record.get("tombstoned") else ""
        return f"<{record['src']} {record.get('type')} {record['dst']}>", "", ended.strip(", ")
    if "kind" in record and "at" in record and "actor" in record and "seq" in record:
        what = record.get("uri") or record.get("id") or record.get("tag") or ""
        fields = ", ".join(map(str, _listed(record.get("fields"))))
        by = f"by {record['actor']}" if record["actor"] else ""
        return f"<change {record['seq']} {record['kind']}>", "", \
            " ".join(part for part in (str(what), fields, by) if part)
    if "seq" in record and "kind" in record:
        by = f"by {record['created_by']}" if record.get("created_by") else ""
        return f"<entry {record['seq']} {record['kind']}>", "", by
    if "data" in record and "created_by" in record:
        by = f"by {record['created_by']}" if record["created_by"] else ""
        fields = ", ".join(str(change.get("field")) for change in _listed(record.get("changes"))
                           if isinstance(change, dict))
        changed = f"changed {fields}" if fields else ""
        return f"<version {record.get('version')}>", _short(text_of(record)), \
            ", ".join(part for part in (by, changed, _minute(record.get("created_at"))) if part)
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
    notes += ["#" + str(tag) for tag in _listed(record.get("tags"))]
    made = _minute(record.get("created_at") or record.get("at"))
    if made:
        notes.append(made)
    name = str(record.get("uri") or record.get("topic_id"))
    return f"<{kind} {name}>" if kind else f"<{name}>", _short(text_of(record)), ", ".join(notes)


def _listed(value: Any) -> List[Any]:
    """A caller's own record may have anything under a key of mneme's."""
    return value if isinstance(value, list) else []


def _minute(time: Any) -> str:
    return time[:16].replace("T", " ") if isinstance(time, str) else ""


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    def line(cell: str, cells: Iterable[str]) -> str:
        return "<tr>" + "".join(f"<{cell}>{html.escape(c)}</{cell}>" for c in cells) + "</tr>"
    return (f"<table><thead>{line('th', heads)}</thead><tbody>"
            + "".join(line("td", row) for row in rows) + "</tbody></table>")


def _memories_table(records: Iterable[Record]) -> str:
    told = [(_told(row), row) for row in records]
    return _table(("memory", "says", ""), [(kind.strip("<>"), text_of(row) or text, notes)
                                           for (kind, text, notes), row in told])


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
        if any(_told(row)[0] for row in self) or not self:
            return _memories_table(self)
        heads = list(dict.fromkeys(key for row in self for key in row))
        return _table(heads, [["" if row.get(key) is None else _said(row[key], True) for key in heads]
                              for row in self])
