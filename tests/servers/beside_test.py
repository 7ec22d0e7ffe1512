#!/usr/bin/env python3
"""Servers that only read stand beside whoever writes; and what clients are told in words."""
# Of: tools/server/access/kept_fresh.cpp, tools/server/mcp/line_input.cpp, tools/server/http/http_server.cpp
# Of: tools/server/clients/zep/zep_routes.cpp

import json
import os
import subprocess
import time
import unittest
import urllib.parse

from served import MNEME, PATIENCE_S, Folder, Served, Stdio, mneme


def note(text, **more):
    return {"op": "write", "type": "Note", "data": {"statement": text}, **more}


def until(check):
    """What `check` gives once it is something."""
    end = time.monotonic() + PATIENCE_S
    while not (found := check()):
        if time.monotonic() > end:
            raise AssertionError("it never came")
        time.sleep(0.1)
    return found


class Beside(unittest.TestCase):
    def setUp(self):
        self.world = Folder(self).path / "w"

    def test_serve_reads_beside_a_writer_what_it_writes(self):
        with Served(self.world) as writer:
            writer.op(**note("tea at five"))
            with Served(self.world, "--read-only") as reader:
                self.assertEqual(reader.op(op="search", query="tea").json["results"][0]["content"], "tea at five")
                refused = reader.op(**note("mine"))
                self.assertEqual((refused.status, refused.code), (403, "read_only"))
                writer.op(**note("coffee at six"))
                found = until(lambda: [hit for hit in reader.op(op="search", query="coffee").json["results"]
                                       if "coffee" in hit["content"]])
                self.assertEqual(found[0]["content"], "coffee at six")
                # And again: it goes on looking.
                for drink in ("cocoa", "water"):
                    writer.op(**note(f"{drink} at seven"))
                    self.assertTrue(until(lambda drink=drink: [
                        hit for hit in reader.op(op="search", query=drink).json["results"] if drink in hit["content"]]))
                self.assertEqual(until(lambda: reader.op(op="changes", since=0, wait_ms=5000).json["changes"])[0]["seq"], 1)
                self.assertEqual(reader.get("/health").status, 200)
                self.assertEqual(reader.stop(), 0)
            self.assertEqual(writer.op(**note("after")).status, 200)

    def test_a_reader_keeps_no_writer_away_and_leaves_nothing(self):
        with Served(self.world) as writer:
            writer.op(**note("tea at five"))
            writer.stop()
        before = sorted((p, p.stat().st_mtime_ns) for p in self.world.rglob("*"))
        with Served(self.world, "--read-only") as reader, Stdio(self.world, "--read-only") as client:
            client.start()
            self.assertIn("tea", json.dumps(client.call("search", query="tea")))
            self.assertEqual(reader.op(op="search", query="tea").json["count"], 1)
            self.assertEqual(sorted((p, p.stat().st_mtime_ns) for p in self.world.rglob("*")), before)
            with Served(self.world) as writer:
                self.assertEqual(writer.op(**note("coffee")).status, 200)

    def test_no_world_is_made(self):
        done = mneme("serve", str(self.world), "--read-only", check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertFalse(self.world.exists())


class Words(unittest.TestCase):
    def setUp(self):
        self.folder = Folder(self).path

    def test_a_message_that_is_too_long_is_answered_by_its_id(self):
        with Stdio(self.folder / "w") as client:
            client.start()
            text = "x" * (17 << 20)
            arguments = {"name": "remember", "arguments": {"text": text, "id": 3}}
            first = {"jsonrpc": "2.0", "id": 41, "method": "tools/call", "params": arguments}
            last = {"method": "tools/call", "params": arguments, "jsonrpc": "2.0", "id": "b"}
            nobody = {"jsonrpc": "2.0", "method": "tools/call", "params": {"arguments": {"text": text, "id": 5}}}
            for message, known in ((first, 41), (last, "b"), (nobody, None)):
                client.send(message)
                answer = client.receive()
                self.assertEqual(answer["id"], known)
                self.assertIn("16 MiB", answer["error"]["message"])
            self.assertIn("structuredContent", client.call("remember", text="short"))

    def test_a_file_may_have_a_mebibyte(self):
        with Stdio(self.folder / "w", "--compat", "memory-tool") as client:
            client.start()
            text = "line é of it\n" * 100_000
            text = text.encode()[:1 << 20].decode(errors="ignore")
            text = text[:-64] + "\nmarked\n"
            text += "x" * ((1 << 20) - len(text.encode()))
            made = client.call("memory", command="create", path="/memories/whole.txt", file_text=text)
            self.assertFalse(made["isError"], made)
            changed = client.call("memory", command="str_replace", path="/memories/whole.txt", old_str="marked",
                                  new_str="notice")
            self.assertFalse(changed["isError"], changed)
            over = client.call("memory", command="create", path="/memories/over.txt", file_text=text + "x")
            self.assertTrue(over["isError"])

    def test_a_port_in_use_is_named(self):
        with Served(self.folder / "w") as server:
            done = subprocess.run([MNEME, "serve", str(self.folder / "v"), "--listen", f"127.0.0.1:{server.port}"],
                                  capture_output=True, text=True, timeout=PATIENCE_S, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(f"another program listens on 127.0.0.1 port {server.port} already", done.stderr)

    def test_faults_are_told_together(self):
        with Stdio(self.folder / "w") as client:
            client.start()
            said = client.call("remember", text=None)["content"][0]["text"]
            self.assertIn("text is null", said)
            said = client.call("search", query=5, limitt=3, tags=True)["content"][0]["text"]
            for fault in ("limitt", "expected text, not an integer", "tags"):
                self.assertIn(fault, said)

    def test_names_of_zep_may_have_a_slash(self):
        with Served(self.folder / "w", "--compat", "zep") as server:
            name = "tenant/ana %"
            self.assertEqual(server.post("/api/v2/users", {"user_id": name}).status, 200)
            quoted = urllib.parse.quote(name, safe="")
            self.assertEqual(server.get(f"/api/v2/users/{quoted}").json["user_id"], name)
            server.post("/api/v2/graph", {"user_id": name, "type": "text", "data": "Ana rows"})
            listed = server.get(f"/api/v2/graph/episodes/user/{quoted}?lastn=1")
            self.assertEqual(listed.status, 200)

    def test_errors_have_their_codes_in_the_document(self):
        with Served(self.folder / "w") as server:
            codes = server.get("/openapi.json").json["components"]["schemas"]["error"]["properties"]["error"]["properties"]["code"]["enum"]
            self.assertEqual(len(set(codes)), len(codes))
            for code in ("bad_json", "behind", "unauthorized", server.op(op="find", near=5).code):
                self.assertIn(code, codes)
            wrong = server.op(op="find", query="?!", limit=1)
            self.assertEqual(wrong.json["error"]["at"], "query")


class Home(unittest.TestCase):
    def test_a_tilde_is_the_home(self):
        folder = Folder(self).path
        subprocess.run([MNEME, "init", "~/memory"], env={**os.environ, "HOME": str(folder)}, cwd=folder, check=True,
                       capture_output=True)
        self.assertTrue((folder / "memory/WORLD").exists())


if __name__ == "__main__":
    unittest.main()
