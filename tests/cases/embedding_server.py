#!/usr/bin/env python3
"""A small OpenAI-compatible embeddings endpoint on loopback, for cases.

    embedding_server.py DIR    answers each line of its input with its port, logs each request as a
                               line of DIR/log, ends with its input

A vector counts the letters a, b and c of its text, plus one. What DIR/mode holds decides how it
answers: ok (or nothing), down (503), wide (another dimension), nan, zero, huge (too many numbers),
big (413), short:N (refuses texts over N bytes), key:K (refuses requests without that key),
till:N (down behind request N), hang:N (behind that no answer for a minute).
"""

import http.server
import json
import pathlib
import sys
import threading
import time

PLACE = pathlib.Path(sys.argv[1])


def mode():
    file = PLACE / "mode"
    return file.read_text().strip() if file.exists() else "ok"


def requests():
    return len((PLACE / "log").read_text(encoding="utf-8").splitlines())


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts, now = request["input"], mode()
        with open(PLACE / "log", "a", encoding="utf-8") as log:
            log.write(json.dumps({"path": self.path, "model": request.get("model"),
                                  "texts": len(texts)}) + "\n")
        if now.startswith("hang:") and requests() > int(now[5:]):
            time.sleep(60)
        if now == "down" or now.startswith("till:") and requests() > int(now[5:]):
            return self.answer(503, {"error": {"message": "come back later"}})
        if now == "big":
            return self.answer(413, {"error": {"message": "too big"}})
        if now.startswith("key:") and self.headers.get("Authorization") != "Bearer " + now[4:]:
            return self.answer(401, {"error": {"message": "no key"}})
        if now.startswith("short:") and any(len(t.encode()) > int(now[6:]) for t in texts):
            return self.answer(400, {"error": {"message": "too long"}})
        items = []
        for i, text in enumerate(texts):
            vector = [1 + text.count("a"), 1 + text.count("b"), 1 + text.count("c")]
            items.append({"index": i, "embedding": vector + [1] if now == "wide" else vector})
        if now in ("zero", "huge"):
            items[0]["embedding"] = [0, 0, 0] if now == "zero" else [1] * 5000
        if now == "nan":
            items[0]["embedding"][0] = 1e300
        return self.answer(200, {"object": "list", "data": items[::-1], "model": "letters"})


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        pass  # a client that closes does not wait for its answer


server = Server(("127.0.0.1", 0), Handler)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
for _ in sys.stdin:
    (PLACE / "port").write_text(str(server.server_address[1]))
    print(server.server_address[1], flush=True)
