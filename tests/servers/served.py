"""`mneme serve` and `mneme mcp` as a test sees them: processes, HTTP, messages."""

import http.client
import json
import os
import pathlib
import queue
import signal
import socket
import subprocess
import tempfile
import threading

MNEME = os.environ.get("MNEME", "mneme")
# A safety net: no test waits for as long unless something hangs.
PATIENCE_S = 120


def mneme(*arguments, stdin=None, check=True):
    done = subprocess.run([MNEME, *arguments], input=stdin, capture_output=True, text=True,
                          timeout=PATIENCE_S, check=False)
    if check and done.returncode != 0:
        raise AssertionError(f"mneme {arguments}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done


class Answer:
    def __init__(self, response, body):
        self.status = response.status
        self.headers = {k.lower(): v for k, v in response.getheaders()}
        self.text = body.decode()
        is_json = self.headers.get("content-type", "").startswith("application/json")
        self.json = json.loads(body) if is_json and body else None

    @property
    def code(self):
        return self.json["error"]["code"]


class Served:
    """A running `mneme serve`; a context manager."""

    def __init__(self, directory, *options):
        self.process = subprocess.Popen(
            [MNEME, "serve", str(directory), "--listen", "127.0.0.1:0", "--tools", "all", *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("listening on http://"):
            raise AssertionError(f"{line}{self.process.stderr.read()}")
        self.port = int(line.rsplit(":", 1)[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE_S)
        self.process.stdout.close()
        self.process.stderr.close()

    def request(self, method, path, body=None, key=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        try:
            return self.ask(connection, method, path, body, key, headers)
        finally:
            connection.close()

    @staticmethod
    def ask(connection, method, path, body=None, key=None, headers=None):
        sent = {}
        if key is not None:
            sent["X-API-Key"] = key
        if body is not None and not isinstance(body, (str, bytes)):
            body = json.dumps(body)
        if body is not None:
            sent["Content-Type"] = "application/json"
        sent.update(headers or {})
        connection.request(method, path, body, sent)
        response = connection.getresponse()
        return Answer(response, response.read())

    def post(self, path, body, key=None, headers=None):
        return self.request("POST", path, body, key, headers)

    def get(self, path, key=None, headers=None):
        return self.request("GET", path, None, key, headers)

    def op(self, key=None, **request):
        return self.post("/v1/op", request, key)

    def raw(self, bytes_sent):
        """A socket on which these bytes were sent."""
        s = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S)
        s.sendall(bytes_sent)
        return s

    def raw_status(self, bytes_sent):
        """Status of the first answer, 0 if there was none; then the connection is closed."""
        with self.raw(bytes_sent) as s:
            text = read_all(s)
        return int(text.split(b" ")[1]) if text.startswith(b"HTTP/1.1 ") else 0

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_S)


def read_all(s):
    text = b""
    while True:
        try:
            piece = s.recv(1 << 16)
        except ConnectionResetError:
            return text
        if not piece:
            return text
        text += piece


class Stdio:
    """A running `mneme mcp`; answers are read by a thread."""

    def __init__(self, directory, *options):
        self.process = subprocess.Popen([MNEME, "mcp", str(directory), "--tools", "all", *options],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.messages = queue.Queue()
        self.notifications = []
        self.next_id = 0
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE_S)
        for stream in (self.process.stdin, self.process.stderr):
            stream.close()

    def _read(self):
        for line in self.process.stdout:
            self.messages.put(json.loads(line))
        self.messages.put(None)
        self.process.stdout.close()

    def send(self, *messages):
        self.process.stdin.write("".join(
            (m if isinstance(m, str) else json.dumps(m)) + "\n" for m in messages))
        self.process.stdin.flush()

    def receive(self):
        """The next message; None at the end."""
        return self.messages.get(timeout=PATIENCE_S)

    def ask(self, method, params=None, meta=None):
        """The response to a request; notifications on the way are kept."""
        self.next_id += 1
        message = {"jsonrpc": "2.0", "id": self.next_id, "method": method}
        if params is not None or meta is not None:
            message["params"] = {**(params or {}), **({"_meta": meta} if meta else {})}
        self.send(message)
        while True:
            got = self.receive()
            if got is None:
                raise AssertionError(f"no answer to {method}")
            if "id" in got:
                assert got["id"] == self.next_id, got
                return got
            self.notifications.append(got)

    def start(self, version="2025-11-25"):
        result = self.ask("initialize", {"protocolVersion": version, "capabilities": {},
                                         "clientInfo": {"name": "test", "version": "1"}})["result"]
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return result

    def call(self, tool, **arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]

    def stop(self):
        self.process.stdin.close()
        return self.process.wait(PATIENCE_S)


class Folder:
    """A temporary folder as a pathlib.Path, for setUp and addCleanup."""

    def __init__(self, case):
        self.holder = tempfile.TemporaryDirectory()
        case.addCleanup(self.holder.cleanup)
        self.path = pathlib.Path(self.holder.name)


def make_key(file, *options):
    return mneme("key", "add", str(file), *options).stdout.strip()
