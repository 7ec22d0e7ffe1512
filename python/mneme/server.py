"""A world that a server has open (`mneme serve`), over HTTP."""

import concurrent.futures
import http.client
import select
import socket
import threading
import urllib.parse
from typing import Any, Callable, Dict, Optional, Tuple

from .encoding import encoded
from .errors import MnemeError, OutcomeUnknown, Shutdown, Unreachable
from .records import Record, parsed


#: What may be asked twice: it changes nothing, or the same again.
_READS = frozenset((
    "get", "resolve", "list", "history", "namespaces", "actors", "get_edge", "edges", "stale_of", "find", "find_many", "context", "load_compact",
    "search", "search_many", "point", "suggest_hashtags", "tags", "weights", "root", "absent",
    "replay_receipt", "prove", "verify", "journal", "stats", "changes"))


class Server:
    """What `library.Engine` is, of a world elsewhere. One connection a thread, kept open."""

    def __init__(self, url: str, key: Optional[str] = None, timeout_s: float = 60.0) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise MnemeError("bad_value", f"not the address of a server: {url!r}; one looks like "
                             "http://127.0.0.1:8080", "url")
        if key is not None and (not key.isascii() or not key.isprintable()):
            raise MnemeError("bad_value", "a key is printable ASCII", "key")
        self._parts = parts
        self._timeout_s = timeout_s
        self.wait_ms = int(min(1.0, timeout_s / 2) * 1_000)  # close() is seen between two calls
        self._headers = {"Content-Type": "application/json"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        self._mine = threading.local()
        self._pool = concurrent.futures.ThreadPoolExecutor(8, "mneme")
        self._closed = False
        self.opened: Dict[str, Any] = {"url": url}

    def _connection(self) -> http.client.HTTPConnection:
        """This thread's; made anew where the server has closed it while nothing was asked."""
        known: Optional[http.client.HTTPConnection] = getattr(self._mine, "connection", None)
        if known is not None and known.sock is not None and _is_readable(known.sock):
            self.leave()
            known = None
        if known is None:
            kind = (http.client.HTTPSConnection if self._parts.scheme == "https"
                    else http.client.HTTPConnection)
            known = kind(str(self._parts.hostname), self._parts.port, timeout=self._timeout_s)
            self._mine.connection = known
        return known

    def _ask(self, body: bytes) -> Tuple[int, bytes]:
        connection = self._connection()
        try:
            connection.request("POST", self._parts.path.rstrip("/") + "/v1/op", body, self._headers)
            response = connection.getresponse()
            return response.status, response.read()
        except BaseException:
            self.leave()  # whatever broke it off: half an answer may be on its way
            raise

    def call(self, op: str, request: Dict[str, Any]) -> Record:
        """The answer to one request. What breaks off is asked again once if it reads; if it writes
        nobody knows whether it was done: OutcomeUnknown."""
        return self._call(op, encoded({"op": op, **request}))

    def _call(self, op: str, body: bytes) -> Record:
        if self._closed:
            raise Shutdown("shutdown", "the world was closed")
        try:
            try:
                status, text = self._ask(body)
            except _BROKEN:
                if op not in _READS:
                    raise
                status, text = self._ask(body)
        except ConnectionRefusedError as problem:
            raise self._unreachable(problem) from problem
        except (OSError, http.client.HTTPException) as problem:
            if op in _READS:
                raise self._unreachable(problem) from problem
            raise OutcomeUnknown(
                "outcome_unknown", f"{self._parts.geturl()} did not answer ("
                f"{problem or type(problem).__name__}): what was asked may have been done"
            ) from problem
        return self._answer_of(status, text)

    def _answer_of(self, status: int, text: bytes) -> Record:
        try:
            answer = parsed(text)
            if isinstance(answer, Record) and "ok" in answer:
                return answer
        except (ValueError, RecursionError):
            pass
        raise Unreachable("unreachable", f"the server at {self._parts.geturl()} answered "
                          f"{status} without an answer of mneme's: is it mneme?")

    def leave(self) -> None:
        """Closes the calling thread's connection; its next request makes another."""
        connection = getattr(self._mine, "connection", None)
        self._mine.connection = None
        if connection is not None:
            connection.close()

    def _unreachable(self, problem: Exception) -> MnemeError:
        return Unreachable("unreachable", f"no answer from {self._parts.geturl()}: "
                           f"{problem or type(problem).__name__}; start one with: mneme serve DIR")

    def call_later(self, op: str, request: Dict[str, Any], then: Callable[[Record], None]) -> None:
        """Calls `then` with the answer, in another thread."""
        body = encoded({"op": op, **request})

        def work() -> None:
            try:
                answer = self._call(op, body)
            except MnemeError as refused:
                answer = Record(ok=False, error=Record(code=refused.code, message=refused.message,
                                                       at=refused.at))
            then(answer)
        try:
            self._pool.submit(work)
        except RuntimeError:
            raise Shutdown("shutdown", "the world was closed") from None

    def close(self) -> None:
        """Lets go of the connections; the server goes on."""
        self._closed = True
        self._pool.shutdown(wait=True)
        self.leave()


_BROKEN = (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError)


def _is_readable(connected: socket.socket) -> bool:
    """Before anything is asked: the other side has closed it, or says what nobody waits for."""
    return bool(select.select([connected], [], [], 0)[0])
