#!/usr/bin/env python3
"""`mneme serve` and `mneme mcp` under requests that nobody should send: damaged, nested, endless, in
numbers. Everything is answered with a status of the document or broken off; the server stays, and
what it holds stays as it is. Seeded: every run sends the same."""
# Of: tools/server/http/http_connection.cpp, tools/server/http/connection_table.cpp
# Of: tools/protocol/held_answer.hpp

import concurrent.futures
import json
import random
import socket
import time
import unittest

from served import PATIENCE_S, Folder, Served, Stdio, make_key, mneme, read_all

NOTE = "01HZZZZZZZZZZZZZZZZZZZZZA1"
STATUSES = {200, 202, 204, 400, 401, 403, 404, 405, 406, 408, 409, 411, 413, 414, 415, 422, 429, 431, 503}
VALUES = [None, True, False, 0, -1, 1, 2**31, 2**63 - 1, -2**63, 1e308, -0.0, 0.5, "", "x", "\u0000",
          "\ud7ff\U0010ffff", "mneme://Note/" + NOTE + "#1", NOTE, "9" * 400, "\u202e" * 50, [], {},
          [[]], {"a": {}}, ["x"] * 40, [None], [{}], {"": ""}, {"op": "write"}, {"$ref": "x"}]


def mutated(random_source, value, depth=0):
    """The value with something in it replaced, doubled or taken out."""
    if isinstance(value, dict) and value and depth < 4 and random_source.random() < 0.8:
        changed = dict(value)
        key = random_source.choice(sorted(changed))
        roll = random_source.random()
        if roll < 0.15:
            del changed[key]
        elif roll < 0.3:
            changed[key + random_source.choice(["", "x", "_"])] = random_source.choice(VALUES)
        else:
            changed[key] = mutated(random_source, changed[key], depth + 1)
        return changed
    if isinstance(value, list) and value and depth < 4 and random_source.random() < 0.7:
        changed = list(value)
        at = random_source.randrange(len(changed))
        changed[at] = mutated(random_source, changed[at], depth + 1)
        return changed
    return random_source.choice(VALUES)


def damaged(random_source, data):
    """The bytes with some flipped, cut, put in or repeated."""
    data = bytearray(data)
    for _ in range(random_source.randint(1, 4)):
        at = random_source.randrange(len(data) + 1)
        roll = random_source.random()
        if roll < 0.3:
            data[at:at + 1] = bytes([random_source.randrange(256)])
        elif roll < 0.5:
            del data[at:at + random_source.randint(1, 20)]
        elif roll < 0.7:
            data[at:at] = random_source.choice([b"\r\n", b"\0", b"\xff", b":", b"{", b"\r\n\r\n",
                                                b"%", b"%00", b"\x80" * 9, b" HTTP/1.1"])
        else:
            data[at:at] = data[max(0, at - 30):at] * random_source.randint(1, 3)
    return bytes(data)


class OverHttp(unittest.TestCase):
    def setUp(self):
        folder = Folder(self).path
        keys = folder / "keys.json"
        self.host = make_key(keys, "--host")
        self.keys = [make_key(keys, "--actor", "ana"), make_key(keys, "--actor", "ana", "--read-only")]
        self.server = Served(folder / "w", "--keys", keys, "--compat", "reference-memory",
                             "--max-body", str(1 << 20))
        self.addCleanup(self.server.__exit__)
        self.server.op(self.host, op="write", type="Note", id=NOTE, data={"statement": "x"},
                       actor="bob")
        self.before = self.server.get(f"/v1/memories/{NOTE}", self.host).json

    def tearDown(self):
        self.assertIsNone(self.server.process.poll())
        self.assertEqual(self.server.get(f"/v1/memories/{NOTE}", self.host).json, self.before)
        self.assertEqual(self.server.stop(), 0)

    def test_mutated_requests_of_every_op(self):
        source = random.Random(1)
        document = json.loads(self.server.get("/openapi.json").text)
        examples = {path: methods["post"]["requestBody"]["content"]["application/json"]["example"]
                    for path, methods in document["paths"].items()
                    if "example" in methods.get("post", {}).get("requestBody", {}).get(
                        "content", {}).get("application/json", {})}
        self.assertGreater(len(examples), 40)
        for path, example in sorted(examples.items()):
            for key in self.keys:
                for _ in range(8):
                    request = mutated(source, example)
                    text = json.dumps(request)
                    answer = self.server.post(
                        source.choice([path, "/v1/op"]), text, key)
                    self.assertIn(answer.status, STATUSES, (request, answer.text))
                    self.assertEqual(answer.json["ok"], answer.status == 200, answer.text)
                    inner = {"op": "tick", source.choice(["reads", "writes"]): [request]}
                    self.assertIn(self.server.post("/v1/op", inner, key).status, STATUSES, inner)
                    inner = {"op": "batch", "items": [request]}
                    self.assertIn(self.server.post("/v1/op", inner, key).status, STATUSES, inner)

    def test_mutated_messages_of_the_model_context_protocol(self):
        source = random.Random(2)
        accept = {"Accept": "application/json, text/event-stream"}
        opened = self.server.post("/mcp", {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}}}, self.keys[0], accept)
        session = {**accept, "Mcp-Session-Id": opened.headers["mcp-session-id"]}
        tools = self.server.post("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
                                 self.keys[0], session).json["result"]["tools"]
        for tool in tools:
            arguments = {key: source.choice(VALUES) for key in tool["inputSchema"]["properties"]}
            call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
                "name": tool["name"], "arguments": arguments, "_meta": {"progressToken": 1}}}
            for _ in range(25):
                answer = self.server.post("/mcp", json.dumps(mutated(source, call)), self.keys[0],
                                          session)
                self.assertIn(answer.status, STATUSES, answer.text)
        for method in ("resources/list", "resources/read", "resources/templates/list", "prompts/get",
                       "prompts/list", "ping", "notifications/cancelled", "initialize"):
            for key in ("uri", "name", "cursor", "requestId", "arguments", "_meta"):
                for value in VALUES:
                    answer = self.server.post("/mcp", {
                        "jsonrpc": "2.0", "id": "x", "method": method, "params": {key: value}},
                        self.keys[0], session)
                    self.assertIn(answer.status, STATUSES, (method, key, value, answer.text))

    def test_damaged_bytes(self):
        source = random.Random(3)
        body = json.dumps({"op": "find", "types": ["Note"], "limit": 5}).encode()
        whole = (b"POST /v1/op HTTP/1.1\r\nHost: localhost\r\nX-API-Key: " + self.keys[0].encode()
                 + b"\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

        def send(data):
            with self.server.raw(data) as s:
                s.shutdown(socket.SHUT_WR)
                return read_all(s)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for text in pool.map(send, [damaged(source, whole) for _ in range(600)]):
                if text:
                    self.assertTrue(text.startswith(b"HTTP/1.1 "), text[:80])
                    self.assertIn(int(text[9:12]), STATUSES, text)

    def test_deep_and_wide_documents(self):
        for opening, closing in (("[", "]"), ('{"a":', "}"), ('{"and":[', "]}")):
            for depth in (63, 64, 65, 100_000):
                text = f'{{"op":"find","types":["Note"],"limit":1,"where":{opening * depth}1{closing * depth}}}'
                answer = self.server.post("/v1/op", text, self.host)
                self.assertEqual(answer.status, 400, answer.text[:200])
        wide = {"op": "find", "types": ["Note"] * 50_000, "limit": 1}
        self.assertIn(self.server.post("/v1/op", wide, self.host).status, STATUSES)
        many = {"op": "find_many", "items": [{"types": ["Note"], "limit": 1}] * 20_000}
        self.assertEqual(self.server.post("/v1/op", many, self.host).status, 422)
        path = "/v1/memories/" + "x" * 8000 + "?" + "&".join(f"k{i}=1" for i in range(500))
        self.assertEqual(self.server.get(path, self.host).status, 414)

    def test_many_connections_that_say_nothing_or_too_little(self):
        sockets = [self.server.raw(piece) for piece in (b"", b"P", b"POST /v1/op HTTP/1.1\r\nHo") * 200]
        for _ in range(5):
            self.assertEqual(self.server.get("/health").status, 200)
        for s in sockets:
            s.close()


class WhoTakesNoAnswer(unittest.TestCase):
    def test_its_place_is_the_next_ones(self):
        server = Served(Folder(self).path / "w", "--max-connections", "4",
                        "--request-ms", "3600000", "--idle-ms", "3600000")
        self.addCleanup(server.__exit__)
        server.op(op="batch", items=[
            {"op": "write", "type": "Note", "data": {"statement": "x" * 5000}} for _ in range(200)])
        body = json.dumps({"op": "find", "types": ["Note"], "limit": 500}).encode()
        request = (b"POST /v1/op HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                   b"Content-Length: %d\r\n\r\n" % len(body) + body)
        for _ in range(8):  # each asks for more than all buffers hold
            self.addCleanup(server.raw(request * 20).close)
        # Busy only as long as the requests run; then all of them wait for room.
        deadline = time.monotonic() + PATIENCE_S
        while server.get("/health").status == 503:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)


class AnswersUnderWay(unittest.TestCase):
    def test_they_have_room_together(self):
        server = Served(Folder(self).path / "w", "--max-answers", "4000000",
                        "--request-ms", "3600000", "--idle-ms", "3600000")
        self.addCleanup(server.__exit__)
        server.op(op="batch", items=[
            {"op": "write", "type": "Note", "data": {"statement": "x" * 5000}} for _ in range(200)])
        asked = {"op": "find", "types": ["Note"], "limit": 200}
        self.assertEqual(server.op(**asked).status, 200)
        body = json.dumps(asked).encode()
        request = (b"POST /v1/op HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                   b"Content-Length: %d\r\n\r\n" % len(body) + body)
        # None takes its answers. So many, since those that are refused leave room in the buffers.
        idle = [server.raw(request * 200) for _ in range(8)]
        deadline = time.monotonic() + PATIENCE_S
        while (answer := server.op(**asked)).status == 200:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        self.assertEqual((answer.status, answer.json["error"]["code"]), (503, "busy"))
        many = server.op(op="find_many", items=[{"types": ["Note"], "limit": 200}] * 2)
        self.assertEqual([r["error"]["code"] for r in many.json["results"]], ["busy", "busy"])
        # A list of small ones is no small one.
        many = server.op(op="find_many", items=[{"types": ["Note"], "limit": 5}] * 200)
        self.assertIn("busy", [r.get("error", {}).get("code") for r in many.json["results"]])
        tick = server.op(op="tick", reads=[{"op": "find", "types": ["Note"], "limit": 5}] * 200)
        self.assertIn("busy", [r.get("error", {}).get("code") for r in tick.json["reads"]])
        # What is small is answered, what tells of an entry, and what was read beside one.
        tick = server.op(op="tick", reads=[asked | {"op": "find"}], writes=[
            {"op": "write", "type": "Fact", "data": {"subject": "s", "predicate": "p", "statement": "x"}}])
        self.assertEqual(len(tick.json["reads"][0]["memories"]), 200)
        self.assertEqual(server.op(op="find", types=["Note"], limit=1).status, 200)
        touching = server.op(**asked, late_binding=True)
        self.assertEqual((touching.status, len(touching.json["memories"])), (200, 200))
        for s in idle:
            s.close()
        while server.op(**asked).status != 200:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)


class OnStreams(unittest.TestCase):
    def test_damaged_lines_end_nothing(self):
        source = random.Random(4)
        with Stdio(Folder(self).path / "w", "--actor", "ana", "--compat", "reference-memory") as client:
            client.start()
            tools = [t["name"] for t in client.ask("tools/list")["result"]["tools"]]
            sent = 0
            for _ in range(600):
                line = json.dumps({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {
                    "name": source.choice(tools), "arguments": {"id": NOTE, "query": "x", "q": "y"}}})
                if source.random() < 0.5:
                    line = json.dumps(mutated(source, json.loads(line)))
                else:
                    line = damaged(source, line.encode()).decode("latin-1").replace("\n", " ")
                client.send(line)
                sent += 1
            client.send({"jsonrpc": "2.0", "id": "last", "method": "tools/call",
                         "params": {"name": "root", "arguments": {}}})
            while client.receive().get("id") != "last":
                pass
            self.assertEqual(client.stop(), 0)


if __name__ == "__main__":
    unittest.main()
