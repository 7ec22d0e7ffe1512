"""The engine in this process: libmneme.so by its C interface (mneme/mneme.h)."""

import ctypes
import ctypes.util
import json
import os
import pathlib
import threading
from typing import Any, Callable, Dict, List, Optional

from .errors import MnemeError, error_of
from .records import Record, parsed

_JSON = 0
_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)

_loaded: Optional[ctypes.CDLL] = None
_loading = threading.Lock()


def _places() -> List[str]:
    named = os.environ.get("MNEME_LIBRARY")
    if named:
        return [named]
    package = pathlib.Path(__file__).absolute().parent
    beside = [str(package / "libmneme.so"), str(package.parent.parent / "libmneme.so")]
    found = [place for place in beside if os.path.exists(place)]
    installed = ctypes.util.find_library("mneme")
    return found + ([installed] if installed else []) + ["libmneme.so.1"]


def load() -> ctypes.CDLL:
    """The library, loaded once; ImportError that says what to do where it is nowhere."""
    global _loaded
    with _loading:
        if _loaded is not None:
            return _loaded
        problems = []
        for place in _places():
            try:
                library = ctypes.CDLL(place)
                _declare(library)
            except (OSError, AttributeError) as problem:
                problems.append(f"{place}: {problem}")
                continue
            _loaded = library
            return library
    raise ImportError("libmneme.so was not found; build it (cmake --build --preset check --target "
                      "mneme_library), install it, or name it in MNEME_LIBRARY. Tried: "
                      + "; ".join(problems))


def _declare(library: ctypes.CDLL) -> None:
    handle, text, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
    for name, result, arguments in (
            ("mneme_version", text, []),
            ("mneme_open", handle, [text, size, ctypes.c_int, ctypes.POINTER(handle)]),
            ("mneme_call", handle, [handle, text, text, size, ctypes.c_int]),
            ("mneme_call_async", None,
             [handle, text, text, size, ctypes.c_int, _CALLBACK, handle]),
            ("mneme_tick_arrays", handle, [handle, handle, ctypes.c_int]),
            ("mneme_close", handle, [handle, ctypes.c_int]),
            ("mneme_free", None, [handle]),
            ("mneme_answer_bytes", handle, [handle, ctypes.POINTER(size)]),
            ("mneme_answer_free", None, [handle])):
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments


def _bytes_of(request: Dict[str, Any]) -> bytes:
    return json.dumps(request, ensure_ascii=False, allow_nan=False,
                      separators=(",", ":")).encode("utf-8", "surrogatepass")


class Engine:
    """An open world of this process. The interpreter is free for other threads while it works."""

    def __init__(self, options: Dict[str, Any]) -> None:
        self._library = load()
        self._handle = ctypes.c_void_p()
        # Calls that nobody waits for: by number, so that what the library keeps is no pointer.
        self._waiting: Dict[int, Callable[[Dict[str, Any]], None]] = {}
        self._next = 0
        self._guard = threading.Lock()
        self._callback = _CALLBACK(self._answered)
        self._pid = os.getpid()
        request = _bytes_of(options)
        answer = self._take(self._library.mneme_open(request, len(request), _JSON,
                                                     ctypes.byref(self._handle)))
        if not answer.pop("ok"):
            raise error_of(answer)
        self.opened: Dict[str, Any] = answer

    def _take(self, answer: int) -> Record:
        size = ctypes.c_size_t()
        place = self._library.mneme_answer_bytes(answer, ctypes.byref(size))
        try:
            return parsed(ctypes.string_at(place, size.value))
        finally:
            self._library.mneme_answer_free(answer)

    def _usable(self) -> None:
        if not self._handle:
            raise error_of({"error": {"code": "shutdown", "message": "the world was closed"}})
        if os.getpid() != self._pid:
            raise MnemeError("shutdown", "an engine does not survive a fork: open the world in the "
                             "child, or start it by spawn")

    def call(self, op: str, request: Dict[str, Any]) -> Record:
        """The answer to one request, in the calling thread."""
        self._usable()
        body = _bytes_of(request)
        return self._take(self._library.mneme_call(self._handle, op.encode(), body, len(body),
                                                   _JSON))

    def call_later(self, op: str, request: Dict[str, Any],
                   then: Callable[[Dict[str, Any]], None]) -> None:
        """Calls `then` with the answer, in a thread of the library."""
        self._usable()
        body = _bytes_of(request)
        with self._guard:
            self._next += 1
            number = self._next
            self._waiting[number] = then
        self._library.mneme_call_async(self._handle, op.encode(), body, len(body), _JSON,
                                       self._callback, number)

    def tick_arrays(self, round_: ctypes.Structure) -> Record:
        """Runs a mneme_round, whose arrays it fills."""
        self._usable()
        return self._take(self._library.mneme_tick_arrays(self._handle, ctypes.addressof(round_),
                                                          _JSON))

    def _answered(self, number: int, answer: int) -> None:
        said = self._take(answer)
        with self._guard:
            then = self._waiting.pop(number)
        then(said)

    def close(self) -> None:
        """Answers what was asked, and closes. Twice is once."""
        handle, self._handle = self._handle, ctypes.c_void_p()
        if not handle or os.getpid() != self._pid:
            return
        answer = self._take(self._library.mneme_close(handle, _JSON))
        self._library.mneme_free(handle)
        if not answer.pop("ok"):
            raise error_of(answer)

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            try:
                self.close()
            except MnemeError:
                pass  # there is nobody to tell; what was acknowledged is in the journal
