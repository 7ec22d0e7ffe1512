"""mneme: memory for AI agents. Typed memories with versions and edges, four ways to ask, proofs over
all state, replay to the byte.

    import mneme

    with mneme.open("notes") as world:
        world.write("Note", {"statement": "tea is served at five"}, actor="ana", tags=["tea"])
        for hit in world.search("when is tea?"):
            print(hit)

`open` has the engine in this process (libmneme.so), `connect` asks a server (`mneme serve`); both give
the same World. `world.awaited()` is to be awaited. docs/PYTHON.md has more.
"""

import os
from typing import Any, Dict, Mapping, Optional, Union

from . import asks, errors
from .aio import AsyncWorld
from .asks import Ask, Tick
from .errors import (AlreadyExists, Behind, Busy, Corrupt, DeadlineExceeded, DiskFull, Erased, Forbidden, InvalidRequest,
                     MnemeError, NotFound, OutcomeUnknown, ReadOnly, ScopeViolation, SeqUnavailable, Shutdown,
                     Tombstoned, Trimmed, Unreachable, VersionConflict)
from .feed import AsyncChanges, Changes
from .proof import verify_proof
from .records import Found, Record
from .world import World

__version__ = "0.1.0"

__all__ = [
    "AlreadyExists", "Ask", "AsyncChanges", "AsyncWorld", "Behind", "Busy", "Changes", "Corrupt", "DeadlineExceeded", "DiskFull",
    "Erased",
    "Forbidden", "Found", "InvalidRequest", "MnemeError", "NotFound", "OutcomeUnknown", "ReadOnly", "Record", "ScopeViolation",
    "SeqUnavailable", "Shutdown", "Tick", "Tombstoned", "Trimmed", "Unreachable", "VersionConflict", "World",
    "asks", "connect", "errors", "open", "open_in_memory",
    "verify_proof",
]


def open(directory: Union[str, "os.PathLike[str]"], **options: Any) -> World:
    """Opens the world in a directory, or makes one where there is none or it is empty (create=False: only what is
    there). `~` is the home directory. Of a new world: world_name, seed, embedder ("hash:384", "none", "http:…"), language.
    Also: read_only, manual_clock, per_request, exact_near, audience, embedder_key, cache_bytes,
    retained_seqs, readers, shared. Of a world in PostgreSQL, of which the directory is a copy: log (its
    address; the directory keeps it), follow=True for one that only reads, may_lead=True beside it for one
    that takes the lead when nobody has it.

    Where another program of the same user has the world open, that one is asked, and `opened` says
    `joined`; shared=False, a seed, manual_clock or per_request: Busy."""
    from .library import Engine
    place = os.path.expanduser(os.fsdecode(directory))
    if "\0" in place:
        raise ValueError("a directory has no zero character in its name")
    given = _given(options)
    if given.get("create", True) is True and _is_of_others(place):
        given["create"] = False
    return World(Engine({"directory": place, **given}))


#: What is in a directory in which a world was begun, and nothing of it was said yet.
_BEGUN = frozenset(("LOCK", "LOG", "WORLD.new", "journal"))


def _is_of_others(place: str) -> bool:
    """Whether a directory has something in it, and no world: none is made there."""
    try:
        names = frozenset(os.listdir(place))
    except OSError:  # the engine says what is wrong with it
        return False
    return "WORLD" not in names and not names <= _BEGUN


def open_in_memory(**options: Any) -> World:
    """A world that is gone when it is closed. Options as those of `open`."""
    from .library import Engine
    return World(Engine({"in_memory": True, **_given(options)}))


def connect(url: str, key: Optional[str] = None, timeout_s: float = 60.0) -> World:
    """The world that `mneme serve` serves at `url`."""
    from .server import Server
    return World(Server(url, key, timeout_s))


def _given(options: Mapping[str, Any]) -> Dict[str, Any]:
    return asks.keys(options)
