"""A world that a server has open (`mneme serve`), over HTTP."""

import concurrent.futures
import http.client
import json
import threading
import urllib.parse
from typing import Any, Callable, Dict, Optional

from .errors import MnemeError, Unreachable
from .records import Record, parsed


class Server:
    """What `library.Engine` is, of a world elsewhere. One connection a thread, kept open."""

    def __init__(self, url: str, key: Optional[str] = None, timeout_s: float = 60.0) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise MnemeError("bad_value", f"not the address of a server: {url!r}; one looks like "
                             "http://127.0.0.1:8080", "url")
        self._parts = parts
        self._timeout_s = timeout_s
        self._headers = {"Content-Type": "application/json"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        self._mine = threading.local()
        self._pool = concurrent.futures.ThreadPoolExecutor(8, "mneme")
        self.opened = {"url": url}

    def _connection(self) -> http.client.HTTPConnection:
        known: Optional[http.client.HTTPConnection] = getattr(self._mine, "connection", None)
        if known is None:
            kind = (http.client.HTTPSConnection if self._parts.scheme == "https"
                    else http.client.HTTPConnection)
            known = kind(str(self._parts.hostname), self._parts.port, timeout=self._timeout_s)
            self._mine.connection = known
        return known

    def call(self, op: str, request: Dict[str, Any]) -> Record:
        """The answer to one request. A connection that the server has closed meanwhile is made
        anew once, where nothing was sent over it."""
        body = json.dumps({"op": op, **request}, ensure_ascii=False, allow_nan=False,
                          separators=(",", ":")).encode("utf-8", "surrogatepass")
        path = self._parts.path.rstrip("/") + "/v1/op"
        known = getattr(self._mine, "connection", None) is not None
        for is_last in ((False, True) if known else (True,)):
            connection = self._connection()
            try:
                connection.request("POST", path, body, self._headers)
                response = connection.getresponse()
                text = response.read()
                break
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError) as problem:
                self._drop()
                if is_last:
                    raise self._unreachable(problem) from problem
            except (OSError, http.client.HTTPException) as problem:
                self._drop()
                raise self._unreachable(problem) from problem
        try:
            return parsed(text)
        except ValueError:
            raise Unreachable("unreachable", f"the server at {self._parts.geturl()} answered "
                             f"{response.status} without JSON: is it mneme?") from None

    def _drop(self) -> None:
        connection = getattr(self._mine, "connection", None)
        self._mine.connection = None
        if connection is not None:
            connection.close()

    def _unreachable(self, problem: Exception) -> MnemeError:
        return Unreachable("unreachable", f"no answer from {self._parts.geturl()}: "
                           f"{problem or type(problem).__name__}; start one with: mneme serve DIR")

    def call_later(self, op: str, request: Dict[str, Any],
                   then: Callable[[Dict[str, Any]], None]) -> None:
        """Calls `then` with the answer, in another thread."""
        def work() -> None:
            try:
                answer = self.call(op, request)
            except MnemeError as refused:
                answer = Record(ok=False, error=Record(code=refused.code, message=refused.message))
            then(answer)
        self._pool.submit(work)

    def close(self) -> None:
        """Lets go of the connections; the server goes on."""
        self._pool.shutdown(wait=True)
        self._drop()
