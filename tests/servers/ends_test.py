#!/usr/bin/env python3
"""Where requests end: every client gets the answer to what it sent, and no other; what refuses a
request says whether the connection goes on."""
# Of: tools/server/http/http_connection.cpp, tools/server/http/http_server.cpp
# Of: tools/server/access/api_keys.cpp

import contextlib
import json
import os
import resource
import unittest

from served import PATIENCE_S, Folder, Served, Stdio, make_key, mneme, read_all

OF_MCP = {"Accept": "application/json, text/event-stream"}
BEGIN = {"jsonrpc": "2.0", "id": 1, "method": "initialize",
         "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                    "clientInfo": {"name": "t", "version": "1"}}}


def post(path, body, *headers):
    head = [f"POST {path} HTTP/1.1", "Host: localhost", "Content-Type: application/json",
            f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


def heads(text):
    return [part.split(b"\r\n\r\n")[0] for part in text.split(b"HTTP/1.1 ")[1:]]


class Connections(unittest.TestCase):
    def setUp(self):
        self.folder = Folder(self).path

    def serve(self, *options):
        server = Served(self.folder / "w", *options)
        self.addCleanup(server.__exit__)
        return server

    def test_a_refusal_with_an_unread_body_says_that_it_closes(self):
        server = self.serve()
        for request in (post("/v1/nothing", b"{}"), post("/v1/write", b"{}", "Host: localhost"),
                        post("/v1/write", b"{}").replace(b"application/json", b"text/plain")):
            with server.raw(request) as s:
                found = heads(read_all(s))  # the server closes
            self.assertEqual(len(found), 1)
            self.assertIn(b"Connection: close", found[0])
            self.assertNotIn(b"Keep-Alive", found[0])

    def test_the_answer_reaches_a_client_that_still_sends(self):
        server = self.serve("--max-body", "100000")
        for path, size, status in (("/v1/write", 4 << 20, 413), ("/v1/nothing", 90_000, 404)):
            for _ in range(5):
                answer = server.post(path, b"x" * size)
                self.assertEqual(answer.status, status)

    def test_a_malformed_request_gets_one_answer(self):
        server = self.serve()
        more = b"Host: localhost\r\nA: b\r\nC: d\r\n\r\n"
        for line in (b"PROPFIND /health HTTP/1.1\r\n", b"get /health HTTP/1.1\r\n",
                     b"GET /he alth HTTP/1.1\r\n", b"GET /health HTTP/1.2\r\n",
                     b"GET /health HTTP/1.1\r\nX: " + b"x" * 9000 + b"\r\n",
                     b"GET /health HTTP/1.1\r\nHost: localhost\r\n",
                     b"GET /health HTTP/1.1\r\nAccept : x\r\n"):
            with server.raw(line + more) as s:
                found = heads(read_all(s))
            self.assertEqual(len(found), 1, line)
            self.assertIn(found[0][:3], (b"400", b"405", b"414", b"431"), line)
            self.assertIn(b"Connection: close", found[0])

    def test_bodies_under_way_are_bounded_together(self):
        server = self.serve("--max-body", "100000")
        body = json.dumps({"query": "x" * 90_000}).encode()

        def third_of_three():
            """Two bodies are held, all but their ends; what all three are answered."""
            held = [server.raw(post("/v1/search", body)[:-1]) for _ in range(2)]
            self.assertEqual(server.get("/v1/root").status, 200)
            third = server.post("/v1/search", body)
            found = [third.status, third.headers.get("connection")]
            for s in held:
                with s, contextlib.suppress(OSError):  # of one that was refused
                    s.sendall(b"}")
                    found.append(s.recv(12))
            return found

        # What the held ones have sent may still be on its way when the third comes, so that one of
        # them is the one too many.
        wanted = [503, "close", b"HTTP/1.1 200", b"HTTP/1.1 200"]
        self.assertTrue(any(third_of_three() == wanted for _ in range(50)))
        self.assertEqual(server.post("/v1/search", body).status, 200)

    def test_names_of_hosts_are_compared_without_case_and_port(self):
        server = self.serve("--allow-host", "Memory.Example.com", "--allow-host", "b.example.com:80")
        for host, status in (("memory.example.com", 200), ("MEMORY.example.com:99", 200),
                             ("b.example.com:80", 200), ("c.example.com", 403),
                             ("[::1]evil", 403), ("[::1]:80", 200)):
            self.assertEqual(server.get("/health", headers={"Host": host}).status, status, host)
        refused = mneme("serve", str(self.folder / "w2"), "--allow-host", ":80", check=False)
        self.assertEqual(refused.returncode, 2)

    def test_media_types_have_no_case(self):
        server = self.serve()
        found = server.post("/v1/search", {"query": "tea"},
                            headers={"Content-Type": "Application/JSON; charset=utf-8"})
        self.assertEqual(found.status, 200)
        begun = server.post("/mcp", BEGIN, headers={"Accept": "Application/JSON, TEXT/Event-stream"})
        self.assertEqual(begun.status, 200)


class Keys(unittest.TestCase):
    def setUp(self):
        folder = Folder(self).path
        self.keys = folder / "keys.json"
        self.ana = make_key(self.keys, "--actor", "ana")
        self.link = folder / "link.json"
        self.link.symlink_to(self.keys)
        self.server = Served(folder / "w", "--keys", self.keys)
        self.addCleanup(self.server.__exit__)

    def test_a_key_that_is_revoked_through_a_link_is_revoked(self):
        listed = json.loads(mneme("key", "list", str(self.link), "--json").stdout)["keys"]
        mneme("key", "revoke", str(self.link), listed[0]["id"])
        self.assertTrue(self.link.is_symlink())
        self.assertEqual(self.server.get("/v1/root", self.ana).status, 401)

    def test_a_list_of_no_file_is_refused(self):
        done = mneme("key", "list", str(self.keys) + ".none", check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("not_found", done.stderr)

    def test_wrong_types_are_refused_to_every_key(self):
        for key in (self.ana, make_key(self.keys, "--actor", "ana", "--read-only")):
            for wrong in ({"actor": 5}, {"actor": ["q"]}):
                answer = self.server.post("/v1/find", {"types": ["Note"], **wrong}, key)
                self.assertEqual((answer.status, answer.code), (400, "wrong_type"), wrong)
            answer = self.server.post("/v1/query", {"q": "x", "touch": 5}, key)
            self.assertEqual((answer.status, answer.code), (400, "wrong_type"))

    def test_sessions_of_one_key_end_none_of_another(self):
        mine = self.server.post("/mcp", BEGIN, self.ana, OF_MCP).headers["mcp-session-id"]
        bob = make_key(self.keys, "--actor", "bob", "--read-only")
        body = json.dumps(BEGIN).encode()
        many = post("/mcp", body, f"X-API-Key: {bob}", "Accept: */*")
        last = many.replace(b"Host:", b"Connection: close\r\nHost:")
        with self.server.raw(many * 1100 + last) as s:
            self.assertEqual(len(heads(read_all(s))), 1101)
        ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
        answer = self.server.post("/mcp", ping, self.ana, {**OF_MCP, "Mcp-Session-Id": mine})
        self.assertEqual(answer.status, 200)


class Messages(unittest.TestCase):
    # JSON that is not taken, with the id before and behind the mistake.
    UNREAD = ['{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"x":"\\ud83d"}}',
              '{"method":"tools/call","params":{"id":"no","name":"a \\" b","x":18446744073709551616},'
              '"jsonrpc":"2.0","id":%s}',
              '{"method":"tools/call","params":' + '[' * 90 + ']' * 90 + ',"jsonrpc":"2.0", "id" : %s }',
              '{"method":"ping","params":{"x":1e400},"jsonrpc":"2.0","id":%s}',
              '{"method":"ping","params":{"x":1,"x":2},"id":%s}',
              '{"jsonrpc":"2.0","method":5,"id":%s}']

    def test_whoever_sends_what_cannot_be_read_gets_an_answer(self):
        folder = Folder(self).path
        with Stdio(folder / "w") as client:
            client.start()
            for text in self.UNREAD:
                for an_id in ("77", '"a\\"b"'):
                    client.send(text % an_id)
                    answer = client.receive()
                    self.assertEqual(answer["id"], json.loads(an_id), text)
                    self.assertIn(answer["error"]["code"], (-32700, -32600))
            for text in ('{"id":', '{"id":[1]', "nonsense", '{"a":{"id":5', '["id"'):
                client.send(text)
                self.assertIsNone(client.receive()["id"], text)
        with Served(folder / "w") as server:
            answer = server.post("/mcp", (self.UNREAD[0] % "77").encode(), headers=OF_MCP)
            self.assertEqual((answer.status, answer.json["id"]), (400, 77))

    def test_a_last_line_without_an_end_is_answered(self):
        with Stdio(Folder(self).path / "w") as client:
            client.start()
            client.process.stdin.write('{"jsonrpc":"2.0","id":9,"method":"ping"}')
            client.process.stdin.close()
            self.assertEqual(client.receive()["id"], 9)
            self.assertEqual(client.process.wait(PATIENCE_S), 0)

    def test_arguments_are_those_of_the_schema(self):
        with Stdio(Folder(self).path / "w") as client:
            client.start()
            refused = client.call("search", query="x", op="search")
            self.assertTrue(refused["isError"])
            self.assertIn("unknown_key", refused["content"][0]["text"])
            topic = client.call("remember", title="Harbour")["structuredContent"]["topic_id"]
            more = client.call("remember", topic_id=topic, summary="where ships lie")
            self.assertFalse(more["isError"], more)


class StoppedEngine(unittest.TestCase):
    def test_it_says_so_and_recovers_when_started_again(self):
        world = Folder(self).path / "w"
        with Served(world) as server:
            for _ in range(4):
                server.op(op="batch", items=[
                    {"op": "write", "type": "Note", "data": {"statement": os.urandom(2000).hex()}}
                    for _ in range(500)])
            notes = server.op(op="find", types=["Note"], limit=2000).json["memories"]
            for n in notes[::50]:
                server.op(op="update", uri=n["uri"], data={"statement": "changed"})
            self.assertEqual(server.get("/health").status, 200)
            root = server.get("/v1/root").json["root"]
            server.stop()
        table = world / "store" / "versions.wt"
        data = bytearray(table.read_bytes())
        for at in range(len(data) // 4, len(data) * 3 // 4, 4096):
            data[at + 100] ^= 0x40
        table.write_bytes(data)
        with Served(world) as server:
            # What is current comes from the journal; versions of before are the store's.
            answers = [server.op(op="resolve", uri=n["uri"]) for n in notes[::50]]
            found = next(a for a in answers if a.status != 200)
            self.assertEqual((found.status, found.code), (500, "io"))
            health = server.get("/health")
            self.assertEqual((health.status, health.code), (503, "io"))
            self.assertNotIn("retry-after", health.headers)
            self.assertIn("store has stopped", server.op(op="stats").json["stopped"])
            self.assertIn("\nmneme_stopped 1\n", server.get("/metrics").text)
        with Served(world) as server:
            self.assertEqual(server.get("/health").status, 200)
            self.assertEqual(server.get("/v1/root").json["root"], root)
            self.assertEqual(len(server.op(op="find", types=["Note"], limit=2000).json["memories"]), 2000)


class FullDisk(unittest.TestCase):
    def limit(self, server, size):
        """No file may be longer; to a file that would be, it is as if the disk were full."""
        _, most = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE,
                         (most if size is None else size, most))

    def test_writes_go_on_when_there_is_room(self):
        world = Folder(self).path / "w"
        with Served(world) as server:
            def write(size):
                return server.op(op="write", type="Note", data={"statement": os.urandom(size).hex()})
            taken = [write(10).json["id"]]
            segment = next((world / "journal").glob("*.seg"))
            self.limit(server, segment.stat().st_size)
            for _ in range(40):
                answer = write(50_000)
                if answer.status != 200:
                    break
                taken.append(answer.json["id"])
            self.assertEqual((answer.status, answer.code), (507, "disk_full"), answer.text)
            self.assertIn("no room on the disk", answer.json["error"]["message"])
            health = server.get("/health")
            self.assertEqual((health.status, health.code), (503, "disk_full"))
            self.assertIn("\nmneme_disk_full 1\n", server.get("/metrics").text)
            self.assertIn("\nmneme_stopped 0\n", server.get("/metrics").text)
            self.assertIn("no room", server.op(op="stats").json["disk_full"])
            self.assertEqual(server.op(op="get", id=taken[-1]).status, 200)
            # What was written of it is gone, and the zeros written ahead too.
            self.assertLess(segment.stat().st_size, 1 << 20)
            self.assertEqual(write(400_000).status, 507)
            self.limit(server, None)
            self.assertEqual(server.get("/health").status, 503)
            taken.append(write(50_000).json["id"])
            self.assertEqual(server.get("/health").status, 200)
            self.assertIn("\nmneme_disk_full 0\n", server.get("/metrics").text)
            root = server.get("/v1/root").json["root"]
            server.stop()
        with Served(world) as server:
            self.assertEqual(server.get("/v1/root").json["root"], root)
            found = server.op(op="find", types=["Note"], limit=100, form="short").json["memories"]
            self.assertEqual({m["id"] for m in found}, set(taken))


if __name__ == "__main__":
    unittest.main(verbosity=2)
