"""The engine in this process: libmneme.so by its C interface (mneme/mneme.h)."""

import concurrent.futures
import ctypes
import ctypes.util
import os
import pathlib
import threading
from typing import Any, Callable, Dict, List, Optional

from .encoding import encoded
from .errors import MnemeError, Shutdown, error_of
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


def _op_bytes(op: str) -> bytes:
    if "\0" in op:
        raise ValueError(f"{op!r} is no op")
    return op.encode("utf-8", "surrogatepass")


def _take(library: ctypes.CDLL, answer: int) -> Record:
    """What an answer of the library says; it is freed."""
    size = ctypes.c_size_t()
    place = library.mneme_answer_bytes(answer, ctypes.byref(size))
    try:
        return parsed(ctypes.string_at(place, size.value))
    finally:
        library.mneme_answer_free(answer)


def _take_parts(library: ctypes.CDLL, answer: int) -> Record:
    """The same of a tick, whose `reads` stay texts for the time being: each has a line of its own."""
    size = ctypes.c_size_t()
    place = library.mneme_answer_bytes(answer, ctypes.byref(size))
    try:
        lines = ctypes.string_at(place, size.value).split(b"\n")
    finally:
        library.mneme_answer_free(answer)
    said = parsed(lines[0] + (lines[-1] if len(lines) > 1 else b""))
    if len(lines) > 1:
        said["reads"] = lines[1:-1:2]  # between them are the commas
    return said


class _Waiting:
    """Calls that nobody waits for in his own thread: by number, so that the library keeps no pointer
    to anything of Python's, and nothing of an engine's is kept alive by them."""

    def __init__(self) -> None:
        self._by_number: Dict[int, Callable[[Record], None]] = {}
        self._next = 0
        self._guard = threading.Lock()
        self.callback = _CALLBACK(self._answered)

    def add(self, then: Callable[[Record], None]) -> int:
        with self._guard:
            self._next += 1
            self._by_number[self._next] = then
            return self._next

    def _answered(self, number: int, answer: int) -> None:
        said = _take(load(), answer)
        with self._guard:
            then = self._by_number.pop(number)
        then(said)


_waiting = _Waiting()


class Engine:
    """An open world of this process. The interpreter is free for other threads while it works."""

    wait_ms = 1_000  # a signal is seen between two calls

    def __init__(self, options: Dict[str, Any]) -> None:
        self._library = load()
        self._handle = ctypes.c_void_p()
        self._calls = 0  # under way: what they use is given back when there is none
        self._idle = threading.Condition()
        self._pid = os.getpid()
        request = encoded(options)
        answer = _take(self._library, self._library.mneme_open(request, len(request), _JSON,
                                                               ctypes.byref(self._handle)))
        if not answer.pop("ok"):
            raise error_of(answer)
        self.opened: Dict[str, Any] = answer

    def _enter(self) -> ctypes.c_void_p:
        if os.getpid() != self._pid:
            raise Shutdown("shutdown", "an engine does not survive a fork: open the world in the "
                           "child, or start it by spawn")
        with self._idle:
            if not self._handle:
                raise Shutdown("shutdown", "the world was closed")
            self._calls += 1
            return self._handle

    def _leave(self) -> None:
        with self._idle:
            self._calls -= 1
            if self._calls == 0:
                self._idle.notify_all()

    def call(self, op: str, request: Dict[str, Any]) -> Record:
        """The answer to one request, in the calling thread."""
        name, body = _op_bytes(op), encoded(request)
        handle = self._enter()
        try:
            return _take(self._library,
                         self._library.mneme_call(handle, name, body, len(body), _JSON))
        finally:
            self._leave()

    def call_in_parts(self, request: Dict[str, Any]) -> Record:
        """The answer to a tick, with the texts of what its reads found."""
        body = encoded(request)
        handle = self._enter()
        try:
            return _take_parts(self._library,
                               self._library.mneme_call(handle, b"tick", body, len(body), _JSON))
        finally:
            self._leave()

    def call_later(self, op: str, request: Dict[str, Any], then: Callable[[Record], None]) -> None:
        """Calls `then` with the answer, in a thread of the library. It must not close the world."""
        self._send(_op_bytes(op), encoded(request), then)

    def _send(self, name: bytes, body: bytes, then: Callable[[Record], None]) -> None:
        handle = self._enter()
        try:
            self._library.mneme_call_async(handle, name, body, len(body), _JSON, _waiting.callback,
                                           _waiting.add(then))
        finally:
            self._leave()

    def prepared(self, op: str, request: Dict[str, Any]) -> Callable[[], Callable[[], Record]]:
        """The request, encoded. Called, it is sent, and answers what waits for the answer."""
        name, body = _op_bytes(op), encoded(request)

        def send() -> Callable[[], Record]:
            answer: "concurrent.futures.Future[Record]" = concurrent.futures.Future()
            self._send(name, body, answer.set_result)
            return answer.result
        return send

    def tick_arrays(self, round_: ctypes.Structure) -> Record:
        """Runs a mneme_round, whose arrays it fills."""
        handle = self._enter()
        try:
            return _take(self._library, self._library.mneme_tick_arrays(
                handle, ctypes.addressof(round_), _JSON))
        finally:
            self._leave()

    def close(self) -> None:
        """Answers what was asked, and closes. Twice is once."""
        if os.getpid() != self._pid:
            return
        with self._idle:
            handle, self._handle = self._handle, ctypes.c_void_p()
        if not handle:
            return
        answer = _take(self._library, self._library.mneme_close(handle, _JSON))
        if not answer["ok"] and answer["error"]["code"] == "unsupported":
            with self._idle:
                self._handle = handle  # asked for by a callback: it is open still
            raise error_of(answer)
        with self._idle:
            self._idle.wait_for(lambda: self._calls == 0)
        self._library.mneme_free(handle)
        if not answer.pop("ok"):
            raise error_of(answer)

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            try:
                self.close()
            except MnemeError:
                pass  # there is nobody to tell; what was acknowledged is in the journal
