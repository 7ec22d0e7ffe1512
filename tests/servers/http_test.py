#!/usr/bin/env python3
"""`mneme serve` from outside: keys, visibility, statuses, limits, stopping."""
# Of: tools/server/http/http_server.cpp, tools/server/http/routes.cpp, tools/server/http/cross_origin.cpp
# Of: tools/server/http/serve_command.cpp, tools/server/http/stop_signal.cpp
# Of: tools/server/http/metrics.cpp, tools/server/http/openapi.cpp, tools/server/access/api_keys.cpp
# Of: tools/server/access/gateway.cpp, tools/server/access/key_command.cpp
# Of: tools/server/access/key_notes.cpp, tools/server/access/permission.cpp
# Of: tools/server/access/served_world.cpp, tools/server/answer_schema.cpp
# Of: tools/server/json_schema.cpp

import concurrent.futures
import http.client
import json
import re
import threading
import time
import unittest

import json_schema
from served import PATIENCE_S, Folder, Served, make_key, mneme, read_all

ANA = "01HZZZZZZZZZZZZZZZZZZZZZA1"
ANA_TOPIC = "01HZZZZZZZZZZZZZZZZZZZZZA2"
PUBLIC = "01HZZZZZZZZZZZZZZZZZZZZZA3"
BOB = "01HZZZZZZZZZZZZZZZZZZZZZB1"
ABSENT = "01HZZZZZZZZZZZZZZZZZZZZZZ9"
TAGS = ["tea", "leaf", "cup", "steam", "rain", "moss", "clay", "storm"]


def note(text, **more):
    return {"op": "write", "type": "Note", "data": {"statement": text}, **more}


def fill(server, key):
    """A private and a public memory and a topic of ana's, one memory of bob's."""
    zones = ["Core"] + ["Mid"] * 6 + ["Outer"]
    requests = [{"op": "assign_tag", "tag": t, "zone": z} for t, z in zip(TAGS, zones)]
    requests += [
        note("ana hides her diary", actor="ana", id=ANA, hashtags=TAGS, tags=["diary"],
             frames=[{"verb": "find", "kind": "service", "ref": "attic"}]),
        note("tea is served at five", actor="ana", id=PUBLIC, visibility="actor_public"),
        note("bob has a bicycle", actor="bob", id=BOB),
        {"op": "ingest", "placement": "new_topic", "topic_id": ANA_TOPIC, "title": "Diary",
         "actor": "ana", "fields": {"place": {"value": "attic"}}},
        {"op": "add_edge", "src": ANA, "type": "references", "dst": PUBLIC, "actor": "ana"},
    ]
    for request in requests:
        answer = server.op(key, **request)
        assert answer.status == 200, answer.text


class WithKeys(unittest.TestCase):
    def setUp(self):
        self.folder = Folder(self).path
        self.world = self.folder / "w"
        self.keys = self.folder / "keys.json"
        self.host = make_key(self.keys, "--host")
        self.ana = make_key(self.keys, "--actor", "ana")
        self.bob = make_key(self.keys, "--actor", "bob")

    def serve(self, *options):
        server = Served(self.world, "--keys", self.keys, *options)
        self.addCleanup(server.__exit__)
        return server


class Authentication(WithKeys):
    def routes(self, server):
        """Every method of every path of the document, and the one that it has no words for."""
        paths = json.loads(server.get("/openapi.json").text)["paths"]
        found = [(method.upper(), path.replace("{id}", ANA))
                 for path, methods in paths.items() for method in methods]
        return found + [("POST", "/mcp"), ("DELETE", "/mcp"), ("POST", "/v1/nothing"),
                        ("GET", "/"), ("PUT", "/v1/op")]

    def state(self, server):
        stats = server.op(self.host, op="stats").json
        activation = server.get(f"/v1/memories/{ANA}", self.host).json["memory"]["activation"]
        return stats, server.get("/v1/root", self.host).json, activation

    def test_a_bad_or_missing_key_is_401_and_nothing_moves(self):
        server = self.serve()
        fill(server, self.host)
        before = self.state(server)
        body = {**note("let me in"), "query": "diary", "q": "diary", "hashtags": TAGS, "touch": True}
        revoked = make_key(self.keys, "--actor", "eve")
        listed = json.loads(mneme("key", "list", str(self.keys), "--json").stdout)["keys"]
        mneme("key", "revoke", str(self.keys), [k["id"] for k in listed if k["actor"] == "eve"][0])
        shown = [None, "", "wrong", self.host[:-1], self.host + "0", self.host.upper(), revoked]
        open_to_all = {("GET", "/health"), ("GET", "/openapi.json")}
        for method, path in self.routes(server):
            for key in shown:
                if not key and (method, path) in open_to_all:
                    continue
                sent = body if method in ("POST", "PUT") else None
                answer = server.request(method, path, sent, key)
                self.assertEqual(answer.status, 401, (method, path, key, answer.text))
                self.assertEqual(answer.code, "unauthorized")
        for header in ("Bearer wrong", "Bearer", "Basic " + self.host, self.host):
            answer = server.post("/v1/write", body, headers={"Authorization": header})
            self.assertEqual(answer.status, 401)
        self.assertEqual(self.state(server), before)
        self.assertIn('mneme_requests_total{door="write",status="200"} 3',
                      server.get("/metrics", self.host).text)

    def test_a_key_is_taken_in_either_header(self):
        server = self.serve()
        self.assertEqual(server.get("/v1/root", self.ana).status, 200)
        for scheme in ("Bearer", "bearer"):
            answer = server.get("/v1/root", headers={"Authorization": f"{scheme} {self.ana}"})
            self.assertEqual(answer.status, 200)

    def test_keys_are_stored_hashed_and_revoked_at_once(self):
        stored = self.keys.read_text()
        for secret in (self.host, self.ana, self.bob):
            self.assertNotIn(secret, stored)
            self.assertNotIn(secret.removeprefix("mneme_"), stored)
        self.assertEqual(self.keys.stat().st_mode & 0o077, 0)
        server = self.serve()
        self.assertEqual(server.get("/v1/root", self.bob).status, 200)
        listed = json.loads(mneme("key", "list", str(self.keys), "--json").stdout)["keys"]
        bobs = [k["id"] for k in listed if k["actor"] == "bob"]
        mneme("key", "revoke", str(self.keys), bobs[0])
        self.assertEqual(server.get("/v1/root", self.bob).status, 401)
        self.assertEqual(server.get("/v1/root", self.ana).status, 200)
        carl = make_key(self.keys, "--actor", "carl")
        self.assertEqual(server.get("/v1/root", carl).status, 200)
        self.keys.write_text("{")  # a damaged file lets nobody in
        self.assertEqual(server.get("/v1/root", self.ana).status, 401)

    def test_keys_that_are_made_at_once_all_stay(self):
        with concurrent.futures.ThreadPoolExecutor(12) as at_once:
            made = list(at_once.map(
                lambda n: make_key(self.keys, "--actor", f"agent {n}"), range(12)))
        listed = json.loads(mneme("key", "list", str(self.keys), "--json").stdout)["keys"]
        self.assertLessEqual({f"agent {n}" for n in range(12)}, {k["actor"] for k in listed})
        server = self.serve()
        for key in made:
            self.assertEqual(server.get("/v1/root", key).status, 200)

    def test_without_keys_only_loopback_is_bound(self):
        for address in ("0.0.0.0:0", "[::]:0", "192.0.2.1:0", "example.com:0"):
            done = mneme("serve", str(self.world), "--listen", address, check=False)
            self.assertEqual(done.returncode, 2, address)
            self.assertIn("--keys", done.stderr)
        self.assertFalse(self.world.exists())
        with Served(self.world) as server:
            self.assertEqual(server.get("/health").json, {"ok": True})
            server.stop()
            self.assertIn("everybody on this machine", server.process.stderr.read())


class Visibility(WithKeys):
    """An asker sees only what its actor may see, through every route."""

    def setUp(self):
        super().setUp()
        self.server = self.serve()
        fill(self.server, self.host)

    def ask(self, key, **request):
        return self.server.op(key, **request)

    def assert_hidden(self, answer):
        self.assertEqual((answer.status, answer.code), (404, "not_found"), answer.text)

    def test_reads_show_what_the_actor_may_see(self):
        finds = {"types": ["Note"], "limit": 9, "count": True}
        reads = [
            {"op": "find", **finds},
            {"op": "find", "near": "ana hides her diary", "limit": 9},
            {"op": "find_many", "items": [finds]},
            {"op": "search", "query": "diary attic bicycle tea", "similarity_floor": 0},
            {"op": "search", "memory_ids": [ANA, BOB, PUBLIC]},
            {"op": "search_many", "items": [{"query": "diary", "similarity_floor": 0}]},
            {"op": "retrieve", "q": "diary"}, {"op": "retrieve_many", "items": [{"q": "diary"}]},
            {"op": "retrieve", "q": "x", "topic_ids": [ANA_TOPIC]},
            {"op": "chroma", "hashtags": TAGS, "k": 9},
            {"op": "chroma_many", "items": [{"hashtags": TAGS, "k": 9}]},
            {"op": "context", "verb": "find", "objects": {"service": "attic"}},
            {"op": "edges", "id": PUBLIC}, {"op": "stale_of", "id": PUBLIC},
            {"op": "tick", "reads": [{"op": "find", **finds}, {"op": "get", "id": ANA},
                                     {"op": "context"}]},
        ]
        for request in reads:
            mine = self.ask(self.ana, **request)
            theirs = self.ask(self.bob, **request)
            self.assertEqual((mine.status, theirs.status), (200, 200), (request, theirs.text))
            shown = json.dumps({k: v for k, v in theirs.json.items() if k != "query"})
            for hidden in ("hides her", ANA_TOPIC, "attic"):
                self.assertNotIn(hidden, shown, request)
            if ANA not in json.dumps(request):
                self.assertNotIn(ANA, shown, request)
            self.assertNotIn("bicycle", json.dumps(
                {k: v for k, v in mine.json.items() if k != "query"}), request)
        found = self.ask(self.bob, op="find", **finds).json
        self.assertEqual({m["id"] for m in found["memories"]}, {PUBLIC, BOB})
        self.assertEqual(found["total"], 2)
        self.assertIn(ANA, self.ask(self.ana, op="chroma", hashtags=TAGS, k=9).text)

    def test_single_reads_of_others_are_not_found(self):
        for key, answers in ((self.bob, 404), (self.ana, 200), (self.host, 200)):
            got = [
                self.server.get(f"/v1/memories/{ANA}", key),
                self.server.get(f"/v1/proof?id={ANA}", key),
                self.ask(key, op="get", id=ANA),
                self.ask(key, op="resolve", uri=f"mneme://Note/{ANA}#1"),
                self.ask(key, op="edges", id=ANA),
                self.ask(key, op="get_edge", src=ANA, type="references", dst=PUBLIC),
                self.ask(key, op="prove", ids=[ANA]),
                self.ask(key, op="prove", edges=[{"src": ANA, "type": "references", "dst": PUBLIC}]),
                self.ask(key, op="prove", fields=[{"topic": ANA_TOPIC, "name": "place"}]),
            ]
            for answer in got:
                self.assertEqual(answer.status, answers, answer.text)

    def test_writes_to_what_is_not_seen_are_not_found(self):
        uri = f"mneme://Note/{ANA}#1"
        before = self.server.get("/v1/root", self.host).json
        writes = [
            {"op": "update", "uri": uri, "data": {"statement": "x"}},
            {"op": "update_head", "uri": uri, "visibility": "actor_public"},
            {"op": "tombstone", "uri": uri, "reason": "x"},
            {"op": "tombstone", "uri": f"mneme://Note/{BOB}#1", "superseded_by": ANA},
            {"op": "add_edge", "src": BOB, "type": "references", "dst": ANA},
            {"op": "add_edge", "src": ANA, "type": "references", "dst": BOB},
            {"op": "remove_edge", "src": ANA, "type": "references", "dst": PUBLIC},
            {"op": "ingest", "placement": "extend_topic", "topic_id": ANA_TOPIC,
             "fields": {"a": {"value": 1}}},
            {"op": "ingest", "placement": "new_topic", "title": "t", "links": [{"topic_id": ANA_TOPIC}]},
            {"op": "ingest", "placement": "new_topic", "title": "t",
             "fields": {"a": {"value": 1, "ref_topic_id": ANA_TOPIC}}},
            {"op": "restore", "id": ANA},
            {"op": "unarchive", "id": ANA_TOPIC},
            {"op": "promote", "chunk": BOB, "memory": ANA},
        ]
        for write in writes:
            self.assert_hidden(self.ask(self.bob, **write))
            if write["op"] not in ("unarchive", "promote"):
                item = self.ask(self.bob, op="batch", items=[note("fine"), write])
                self.assert_hidden(item)
                self.assertTrue(item.json["error"]["at"].startswith("items[1]"), item.text)
                self.assert_hidden(self.ask(self.bob, op="tick", writes=[write]))
            absent = json.loads(json.dumps(write).replace(ANA, ABSENT).replace(ANA_TOPIC, ABSENT))
            self.assert_hidden(self.ask(self.bob, **absent))
        self.assertEqual(self.server.get("/v1/root", self.host).json, before)

    def test_only_a_memory_of_its_own_supersedes_another(self):
        before = self.server.get("/v1/root", self.host).json
        edge = {"op": "add_edge", "src": PUBLIC, "type": "supersedes", "dst": BOB}
        unread = {"op": "write", "nothing": 1}
        for request, at in ((edge, "src"),
                            ({"op": "batch", "items": [note("x"), edge]}, "items[1].src"),
                            ({"op": "tick", "writes": [unread, note("x"), edge]}, "writes[2].src")):
            answer = self.ask(self.bob, **request)
            self.assertEqual((answer.status, answer.code), (403, "actor_mismatch"), answer.text)
            self.assertEqual(answer.json["error"]["at"], at)
        self.assertEqual(self.server.get("/v1/root", self.host).json, before)
        edge["src"], edge["dst"] = edge["dst"], edge["src"]
        self.assertEqual(self.ask(self.bob, **edge).status, 200)

    def test_what_an_item_fails_to_make_opens_nothing_to_the_next(self):
        uri = f"mneme://Note/{ANA}#1"
        before = self.server.get("/v1/root", self.host).json
        claims = [
            note("mine", id=ANA),
            {"op": "batch", "items": [note("mine", id=ANA)]},
            {"op": "write", "type": "Note", "data": {}, "topic_id": ANA},
            {"op": "ingest", "placement": "new_topic", "title": "t", "topic_id": ANA_TOPIC},
            {"op": "ingest", "placement": "new_topic", "title": "t", "id": ANA},
        ]
        reaches = [
            {"op": "update", "uri": uri, "data": {"statement": "x"}},
            {"op": "update_head", "uri": uri, "visibility": "actor_public"},
            {"op": "tombstone", "uri": uri, "reason": "x"},
            {"op": "add_edge", "src": ANA, "type": "references", "dst": BOB},
            {"op": "ingest", "placement": "extend_topic", "topic_id": ANA_TOPIC,
             "fields": {"a": {"value": 1}}},
        ]
        for claim in claims:
            for reach in reaches:
                self.assert_hidden(self.ask(self.bob, op="tick", writes=[claim, reach]))
                self.assertNotEqual(self.ask(self.bob, op="batch", items=[claim, reach]).status, 200)
        self.assertEqual(self.server.get("/v1/root", self.host).json, before)

    def test_answers_do_not_count_what_is_not_seen(self):
        finds = {"types": ["Note"], "where": {"has_tag": "diary"}, "limit": 9, "explain": True,
                 "count": True}
        reads = [{"op": "find", **finds}, {"op": "find_many", "items": [finds]},
                 {"op": "chroma", "hashtags": TAGS}, {"op": "chroma_many", "items": [{"hashtags": TAGS}]},
                 {"op": "tick", "reads": [{"op": "find", **finds}, {"op": "chroma", "hashtags": TAGS}]}]
        for request in reads:
            answer = self.ask(self.bob, **request)
            self.assertEqual(answer.status, 200, answer.text)
            for member in ('"candidates_scanned"', '"plan"'):
                self.assertNotIn(member, answer.text, request)
            self.assertIn('"candidates_scanned"', self.ask(self.host, **request).text)
        self.assertEqual(self.ask(self.bob, op="find", **finds).json["total"], 0)

    def test_a_wrong_type_is_told_as_to_the_host(self):
        wrong = {"op": "ingest", "placement": 5, "title": "t"}
        for key in (self.bob, self.host):
            for request in (wrong, {"op": "batch", "items": [wrong]}):
                answer = self.ask(key, **request)
                self.assertEqual((answer.status, answer.code), (400, "wrong_type"), answer.text)

    def test_an_asker_is_the_actor_of_its_key(self):
        for request in ({"op": "find", "types": ["Note"], "limit": 1}, note("x"),
                        {"op": "search", "query": "x"}, {"op": "context"}):
            answer = self.ask(self.bob, **request, actor="ana")
            self.assertEqual((answer.status, answer.code), (403, "actor_mismatch"))
            self.assertEqual(self.ask(self.bob, **request, actor="bob").status, 200)
        for key in ("created_by", "by"):
            for op in (note("x"), {"op": "tombstone", "uri": f"mneme://Note/{BOB}#1"}):
                self.assertEqual(self.ask(self.bob, **op, **{key: "ana"}).status, 403)
        inner = self.ask(self.bob, op="batch", items=[note("x", actor="ana")])
        self.assertEqual(inner.json["error"]["at"], "items[0].actor")
        self.assertEqual(self.ask(self.bob, op="tick", reads=[
            {"op": "find", "types": ["Note"], "limit": 1, "actor": "ana"}]).status, 403)
        written = self.ask(self.bob, **note("mine")).json
        memory = self.ask(self.host, op="get", id=written["id"]).json["memory"]
        self.assertEqual((memory["actor_scope"], memory["version"]["created_by"]), ("bob", "bob"))
        batch = self.ask(self.bob, op="batch", items=[
            note("one", id=ABSENT), {"op": "add_edge", "src": ABSENT, "type": "references", "dst": BOB}])
        self.assertEqual(batch.status, 200, batch.text)

    def test_an_op_that_is_null_is_that_of_the_route(self):
        finds = {"op": None, "types": ["Note"], "limit": 9}
        for path, body in (("/v1/find", finds), ("/v1/find_many", {"op": None, "items": [finds]})):
            answer = self.server.post(path, body, self.bob)
            self.assertEqual(answer.status, 200, answer.text)
            self.assertNotIn("hides her", answer.text)
        self.assertEqual(self.server.post("/v1/stats", {"op": None}, self.bob).status, 403)
        self.assertEqual(self.server.post("/v1/get", {"op": None, "id": ANA}, self.bob).status, 404)
        for body in (finds, {"op": "tick", "reads": [finds]}):
            self.assertNotIn("hides her", self.server.post("/v1/op", body, self.bob).text)

    def test_what_is_of_the_world_is_for_a_key_of_the_host(self):
        for request in ({"op": "journal"}, {"op": "stats"}, {"op": "checkpoint"}, {"op": "revise"},
                        {"op": "forget"}, {"op": "decay"}, {"op": "prove", "seqs": [1]},
                        {"op": "ingest_source", "path": "/etc"}, {"op": "clock", "now": 1},
                        {"op": "snapshot"}):
            answer = self.ask(self.bob, **request)
            self.assertEqual((answer.status, answer.code), (403, "forbidden"), request)
        self.assertEqual(self.server.get("/metrics", self.bob).status, 403)
        answer = self.ask(self.host, op="ingest_source", path="/etc")
        self.assertEqual((answer.status, answer.code), (422, "unsupported"))

    def test_a_read_only_key_leaves_no_trace(self):
        reader = make_key(self.keys, "--actor", "ana", "--read-only")
        auditor = make_key(self.keys, "--host", "--read-only")
        nothing_new = {"type": "Note", "data": {"statement": "nothing of the kind"}}
        before = self.server.op(self.host, op="stats").json
        for key in (reader, auditor):
            for request in (note("x"), {"op": "ingest", "placement": "new_topic", "title": "x"},
                            {"op": "batch", "items": [note("x")]},
                            {"op": "tick", "writes": [note("x")]},
                            {"op": "attest", "intent_id": "i", "outcome": "success",
                             "cited": [f"mneme://Note/{PUBLIC}#1"]},
                            {"op": "find", "types": ["Note"], "limit": 1, "late_binding": True},
                            {"op": "retrieve", "q": "diary", "touch": True},
                            {"op": "chroma_many", "items": [{"hashtags": TAGS, "touch": True}]}):
                answer = self.ask(key, **request)
                self.assertEqual((answer.status, answer.code), (403, "read_only"), request)
            for request in ({"op": "retrieve", "q": "diary"}, {"op": "chroma", "hashtags": TAGS},
                            {"op": "retrieve_many", "items": [{"q": "diary"}]},
                            {"op": "find", "types": ["Note"], "limit": 1},
                            {"op": "forget_matching", "words": "the diary", "dry_run": True},
                            {"op": "supersede_matching", "write": nothing_new, "dry_run": True}):
                self.assertEqual(self.ask(key, **request).status, 200, request)
            for request in ({"op": "forget_matching", "words": "the diary"},
                            {"op": "forget_matching", "words": "the diary", "dry_run": False},
                            {"op": "supersede_matching", "write": nothing_new}):
                answer = self.ask(key, **request)
                self.assertEqual((answer.status, answer.code), (403, "read_only"), request)
        erased = {"op": "erase", "owned_by": "ana", "reason": "r", "by": "host"}
        self.assertEqual(self.ask(auditor, **erased, dry_run=True).status, 200)
        for request in ({}, {"dry_run": False}, {"dry_run": True, "with_branches": True}):
            answer = self.ask(auditor, **erased, **request)
            self.assertEqual((answer.status, answer.code), (403, "read_only"), request)
        self.assertEqual(self.ask(reader, **erased, dry_run=True).status, 403)
        self.assertEqual(self.ask(auditor, op="journal").status, 200)
        answer = self.ask(auditor, op="snapshot")
        self.assertEqual((answer.status, answer.code), (403, "read_only"))
        self.assertEqual(self.server.op(self.host, op="stats").json, before)

    def test_a_key_is_for_an_actor_who_can_have_a_name(self):
        before = self.keys.read_bytes()
        for actor in (" ", "a\nb"):
            refused = mneme("key", "add", str(self.keys), "--actor", actor, check=False)
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn("bad_value", refused.stderr)
        self.assertEqual(self.keys.read_bytes(), before)

    def test_a_key_with_a_scope_sees_through_it(self):
        self.server.stop()
        secret, public = self.folder / "ana.key", self.folder / "agents.json"
        secret.write_text("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=")
        public.write_text(json.dumps(
            {"ana": mneme("scope", "public", "--key", str(secret)).stdout.strip()}))
        manifest = json.loads(mneme("snapshot", str(self.world), "--json").stdout)["manifest"]
        scope = mneme("scope", "sign", "--key", str(secret), json.dumps({
            "actor": "ana", "snapshot_root": manifest["overall_root"], "include": {"tags": ["work"]},
            "expires_at": "2200-01-01T00:00:00Z", "budget_tokens": 500, "granted_by": "ana",
            "granted_to": "sub", "writable": True})).stdout
        refused = mneme("key", "add", str(self.keys), "--actor", "ana", "--scope", scope, check=False)
        self.assertIn("actor_mismatch", refused.stderr)
        key = make_key(self.keys, "--actor", "sub", "--scope", scope)
        server = self.serve("--scope-keys", public)
        for number, tags in enumerate((["work"], ["home"])):
            shared = note(f"note {tags[0]}", actor="ana", visibility="scoped", tags=tags,
                          id=f"01HZZZZZZZZZZZZZZZZZZZZZC{number}")
            self.assertEqual(server.op(self.host, **shared).status, 200)
        found = server.op(key, op="find", types=["Note"], limit=9)
        self.assertEqual(found.status, 200, found.text)
        self.assertEqual([m["tags"] for m in found.json["memories"]], [["work"]], found.text)
        self.assertEqual(server.op(key, op="get", id="01HZZZZZZZZZZZZZZZZZZZZZC0").status, 200)
        outside = server.op(key, op="get", id="01HZZZZZZZZZZZZZZZZZZZZZC1")
        self.assertEqual((outside.status, outside.code), (403, "scope_violation"))
        own = server.op(key, op="find", types=["Note"], limit=9, scope=json.loads(scope))
        self.assertEqual((own.status, own.code), (403, "forbidden"))
        self.assertEqual(server.op(key, op="prove", ids=[ANA]).status, 403)
        # A key without one gives its own with the request: what is shown is what is changed.
        plain = make_key(self.keys, "--actor", "sub")
        asked = {"op": "forget_matching", "words": "the note on work", "scope": json.loads(scope)}
        shown = server.op(plain, dry_run=True, **asked)
        self.assertEqual([m["id"] for m in shown.json["selected"]], ["01HZZZZZZZZZZZZZZZZZZZZZC0"])
        self.assertEqual(server.op(plain, **asked).json["forgotten"], 1)
        gone = server.op(self.host, op="get", id="01HZZZZZZZZZZZZZZZZZZZZZC0").json["memory"]
        self.assertEqual(gone["tombstone"]["by"], "sub")
        outside = server.op(plain, op="tombstone", uri="mneme://Note/01HZZZZZZZZZZZZZZZZZZZZZC1#1",
                            scope=json.loads(scope))
        self.assertEqual((outside.status, outside.code), (403, "scope_violation"))


class Statuses(unittest.TestCase):
    """The codes of the line protocol, with a status that fits."""

    def setUp(self):
        self.world = Folder(self).path / "w"
        self.server = Served(self.world)
        self.addCleanup(self.server.__exit__)

    def check(self, answer, status, code):
        self.assertEqual((answer.status, answer.code), (status, code), answer.text)
        self.assertFalse(answer.json["ok"])

    def test_requests(self):
        s = self.server
        self.check(s.post("/v1/op", "{"), 400, "bad_json")
        self.check(s.post("/v1/op", b'{"op":"\xff"}'), 400, "bad_utf8")
        self.check(s.post("/v1/op", {"op": "nothing"}), 400, "unknown_op")
        self.check(s.post("/v1/op", {}), 400, "missing_key")
        self.check(s.post("/v1/op", ""), 400, "bad_json")
        self.check(s.post("/v1/find", {"limt": 1}), 400, "unknown_key")
        self.check(s.post("/v1/find", {"op": "search"}), 400, "bad_value")
        self.check(s.post("/v1/find?limit=3", {"limit": 1}), 400, "unknown_key")
        self.check(s.post("/v1/write?actor=ana", {"type": "Note", "data": {"statement": "x"}}), 400, "unknown_key")
        self.check(s.post("/v1/find", {"limit": "1"}), 400, "wrong_type")
        self.check(s.get("/v1/memories/x"), 400, "bad_id")
        self.check(s.get(f"/v1/memories/{ANA}"), 404, "not_found")
        self.check(s.get(f"/v1/memories/{ANA}?at_seq=x"), 400, "wrong_type")
        self.check(s.get(f"/v1/memories/{ANA}?nothing=1"), 400, "unknown_key")
        self.check(s.get("/v1/root?at_seq=99"), 404, "seq_unavailable")
        self.check(s.get("/v1/root?at_seq=99999999999999999999999"), 400, "out_of_range")
        self.check(s.get("/v1/root?at_seq=0&at_seq=1"), 400, "bad_value")
        self.check(s.post("/v1/find", {"types": ["Note"]}), 422, "unbounded")
        self.check(s.post("/v1/query", {"q": " "}), 422, "empty_query")
        self.check(s.post("/v1/query", {}), 400, "missing_key")
        self.check(s.post("/v1/chroma", {"hashtags": ["a"]}), 422, "bad_hashtags")

    def test_conflicts(self):
        s = self.server
        uri = s.op(**note("x", id=ANA)).json["uri"]
        self.check(s.op(**note("x", id=ANA)), 409, "already_exists")
        change = {"op": "update", "uri": uri, "data": {"statement": "y"}}
        self.check(s.op(**change, expect_version=7), 409, "version_conflict")
        self.check(s.op(op="add_edge", src=ANA, type="references", dst=ANA), 422, "self_edge")
        s.op(op="tombstone", uri=uri)
        self.check(s.op(**change), 409, "tombstoned")

    def test_too_often_says_when_to_come_back(self):
        uri = self.server.op(**note("x")).json["uri"]
        attest = {"op": "attest", "intent_id": "i", "outcome": "success", "cited": [uri]}
        answers = [self.server.op(**attest) for _ in range(40)]
        limited = [a for a in answers if a.status != 200]
        self.assertTrue(limited)
        for answer in limited:
            self.check(answer, 429, "rate_limited")
            self.assertEqual(answer.headers["retry-after"], "1")

    def test_http_itself(self):
        s = self.server
        self.check(s.get("/v1/nothing"), 404, "not_found")
        self.check(s.get("/"), 404, "not_found")
        for method, path, allowed in (("GET", "/v1/find", "POST"), ("PUT", "/v1/op", "POST"),
                                      ("POST", "/health", "GET"), ("DELETE", "/v1/root", "GET, POST"),
                                      ("OPTIONS", "/v1/op", "POST"), ("PUT", "/mcp", "GET, POST, DELETE")):
            answer = s.request(method, path)
            self.check(answer, 405, "method_not_allowed")
            self.assertEqual(answer.headers["allow"], allowed)
        for header in ({"Content-Type": "text/plain"},
                       {"Content-Type": "application/x-www-form-urlencoded"},
                       {"Content-Encoding": "gzip"}):
            self.check(s.post("/v1/op", {"op": "stats"}, headers=header), 415, "bad_content_type")
        self.assertEqual(s.request("HEAD", "/health").status, 200)
        self.assertEqual(s.raw_status(b"NONSENSE\r\n\r\n"), 400)

    def test_host_and_origin(self):
        port = self.server.port
        for host in ("localhost", f"localhost:{port}", "127.0.0.1", f"[::1]:{port}", "LOCALHOST"):
            self.assertEqual(self.server.get("/health", headers={"Host": host}).status, 200, host)
        for host in ("evil.example", f"evil.example:{port}", "127.0.0.1.evil.example", "localhost.",
                     "", "[::1", "0.0.0.0"):
            self.check(self.server.get("/health", headers={"Host": host}), 403, "forbidden")
        self.assertEqual(self.server.raw_status(b"GET /health HTTP/1.0\r\n\r\n"), 403)
        for origin, status in (("http://localhost:3000", 200), ("http://evil.example", 403),
                               ("null", 403), ("https://127.0.0.1", 200)):
            self.assertEqual(
                self.server.get("/health", headers={"Origin": origin}).status, status, origin)

    def test_a_page_of_an_origin_that_is_served_may_read(self):
        page = {"Origin": "http://localhost:3000"}
        asks = {**page, "Access-Control-Request-Method": "POST",
                "Access-Control-Request-Headers": "content-type, x-api-key"}
        told = self.server.request("OPTIONS", "/v1/op", headers=asks)
        self.assertEqual(told.status, 204)
        self.assertEqual(told.headers["access-control-allow-origin"], "http://localhost:3000")
        self.assertEqual(told.headers["access-control-allow-headers"], "content-type, x-api-key")
        self.assertIn("POST", told.headers["access-control-allow-methods"])
        done = self.server.post("/v1/op", {"op": "root"}, headers=page)
        self.assertEqual(done.headers["access-control-allow-origin"], "http://localhost:3000")
        self.assertEqual(done.headers["vary"], "Origin")
        refused = self.server.post("/v1/op", {"op": "nothing"}, headers=page)
        self.assertIn("access-control-allow-origin", refused.headers)
        evil = self.server.request("OPTIONS", "/v1/op",
                                   headers={**asks, "Origin": "http://evil.example"})
        self.assertEqual(evil.status, 403)
        self.assertNotIn("access-control-allow-origin", evil.headers)
        self.assertNotIn("access-control-allow-origin", self.server.get("/health").headers)
        self.check(self.server.request("OPTIONS", "/nothing", headers=asks), 404, "not_found")
        self.check(self.server.request("OPTIONS", "/v1/op", headers=page), 405,
                   "method_not_allowed")

    def test_a_host_that_is_allowed(self):
        self.server.stop()
        with Served(self.world, "--allow-host", "box.example") as server:
            for host, status in (("box.example", 200), ("localhost", 200), ("evil.example", 403)):
                self.assertEqual(server.get("/health", headers={"Host": host}).status, status)


class Limits(unittest.TestCase):
    def setUp(self):
        self.world = Folder(self).path / "w"

    def serve(self, *options):
        server = Served(self.world, *options)
        self.addCleanup(server.__exit__)
        return server

    def test_sizes(self):
        server = self.serve("--max-body", "1000", "--max-header", "2000")
        head = b"POST /v1/op HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        # Refused by the length alone: not a byte of the body is awaited.
        self.assertEqual(server.raw_status(head + b"Content-Length: 1001\r\n\r\n"), 413)
        self.assertEqual(server.raw_status(head + b"Content-Length: 99999999999999999999\r\n\r\n"),
                         411)
        self.assertEqual(server.raw_status(head + b"Content-Length: -1\r\n\r\n"), 411)
        self.assertEqual(server.raw_status(
            head + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}"), 411)
        self.assertEqual(server.raw_status(
            head + b"Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}"), 411)
        self.assertEqual(server.raw_status(head + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 411)
        self.assertEqual(server.raw_status(head + b"X: " + b"x" * 2000 + b"\r\n\r\n"), 431)
        self.assertEqual(server.raw_status(b"GET /" + b"x" * 5000), 431)
        self.assertEqual(server.post("/v1/op", {"op": "stats"}).status, 200)
        counts = server.get("/metrics").text
        self.assertIn('mneme_connections_refused_total{reason="header_too_long"} 2', counts)
        self.assertIn('mneme_connections_refused_total{reason="too_large"} 1', counts)

    def test_a_slow_request_is_broken_off(self):
        server = self.serve("--request-ms", "200", "--idle-ms", "60000")
        self.assertEqual(server.raw_status(b"GET /hea"), 408)
        begun = (b"POST /v1/op HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                 b"Content-Length: 50\r\n\r\n{")
        self.assertIn(server.raw_status(begun), (0, 408))
        self.assertEqual(server.get("/health").status, 200)

    def test_slow_clients_do_not_block_others(self):
        server = self.serve("--max-connections", "4", "--request-ms", "3600000",
                            "--idle-ms", "3600000")
        begun = (b"POST /v1/op HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                 b"Content-Length: 50\r\n\r\n{")
        for piece in (b"", b"GET", begun, b"") * 5:
            self.addCleanup(server.raw(piece).close)
        for _ in range(8):
            self.assertEqual(server.post("/v1/write", note("x")).status, 200)
        self.assertIn('reason="evicted"', server.get("/metrics").text)

    def test_connections_are_kept_and_pipelined(self):
        server = self.serve()
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        for _ in range(3):
            self.assertEqual(server.ask(connection, "POST", "/v1/write", note("x")).status, 200)
        connection.close()
        both = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
        with server.raw(both + both.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")) as s:
            self.assertEqual(read_all(s).count(b'{"ok":true}'), 2)


class Stopping(unittest.TestCase):
    def setUp(self):
        self.world = Folder(self).path / "w"

    def test_a_graceful_stop_finishes_what_is_under_way_and_closes_the_world(self):
        server = Served(self.world)
        self.addCleanup(server.__exit__)
        begun = threading.Event()

        def write(number):
            connection = http.client.HTTPConnection("127.0.0.1", server.port)
            acknowledged = []
            try:
                while True:
                    answer = server.ask(connection, "POST", "/v1/batch", {
                        "items": [note(f"note {number} {i}") for i in range(50)]})
                    if answer.status == 503:
                        return acknowledged  # the server has begun to end
                    acknowledged += [r["id"] for r in answer.json["results"]]
                    begun.set()
            except (OSError, http.client.HTTPException):
                return acknowledged  # the server went away between two requests
            finally:
                connection.close()
        idle = server.raw(b"")
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            writers = [pool.submit(write, n) for n in range(4)]
            self.assertTrue(begun.wait(60))
            deadline = time.monotonic() + PATIENCE_S
            while re.search(r"^mneme_queue [1-9]", server.get("/metrics").text, re.M) is None:
                self.assertLess(time.monotonic(), deadline)
            self.assertEqual(server.stop(), 0)
            acknowledged = [i for w in writers for i in w.result()]
        idle.close()
        stats = json.loads(mneme("stats", str(self.world), "--json").stdout)
        self.assertEqual(stats["memories"], stats["seq"])
        for segment in (self.world / "journal").iterdir():  # what was written ahead is cut
            self.assertNotEqual(segment.stat().st_size % (1 << 20), 0)
        # Every request whose answer was begun came whole: nothing was written that nobody heard of.
        self.assertEqual(stats["memories"], len(acknowledged))

    def test_a_request_runs_no_longer_than_the_server_lets_it(self):
        # 9,000 edges are not read in a millisecond.
        hub = "%026d" % 1
        with Served(self.world, "--deadline-ms", "1") as server:
            made = server.post("/v1/batch", {"items": [
                {"op": "add_edge", "src": hub, "type": "references", "dst": "%026d" % n}
                for n in range(2, 9002)]})
            self.assertEqual(made.status, 200, made.text[:200])
            for asked in ({}, {"deadline_ms": 3600000}, {"deadline_ms": None}):
                late = server.post("/v1/edges", {"id": hub, **asked})
                self.assertEqual((late.status, late.code), (504, "deadline_exceeded"))
            self.assertEqual(server.stop(), 0)
        with Served(self.world) as server:
            whole = server.post("/v1/edges", {"id": hub})
            self.assertEqual((whole.status, len(whole.json["edges"])), (200, 9000))

    def test_kill_9_loses_nothing_that_was_acknowledged(self):
        acknowledged = []
        for _ in range(2):
            server = Served(self.world)
            self.addCleanup(server.__exit__)
            enough = threading.Event()

            def write(number, server=server, enough=enough):
                connection = http.client.HTTPConnection("127.0.0.1", server.port)
                done = []
                try:
                    while True:
                        answer = server.ask(connection, "POST", "/v1/write", note(f"{number}"))
                        if answer.status == 200:
                            done.append(answer.json["id"])
                        if len(done) == 20:
                            enough.set()
                except (OSError, http.client.HTTPException):
                    return done
                finally:
                    connection.close()
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                writers = [pool.submit(write, n) for n in range(4)]
                self.assertTrue(enough.wait(60))
                server.process.kill()
                acknowledged += [i for w in writers for i in w.result()]
            server.process.wait()
            mneme("verify", str(self.world))
        self.assertGreater(len(acknowledged), 40)
        with Served(self.world) as server:
            for memory_id in acknowledged:
                self.assertEqual(server.get(f"/v1/memories/{memory_id}").status, 200)

    def test_a_second_server_is_busy(self):
        with Served(self.world) as server:
            done = mneme("serve", str(self.world), "--listen", "127.0.0.1:0", check=False)
            self.assertEqual(done.returncode, 3)
            self.assertIn(str(server.process.pid), done.stderr)


class Document(unittest.TestCase):
    """/openapi.json is true of real requests and answers."""

    SETTING = [
        note("a", id="00000000000000000000000001"), note("b", id="00000000000000000000000002"),
        {"op": "write", "id": "00000000000000000000000004", "type": "Chunk",
         "data": {"content": "b", "path": "p"}},
        {"op": "ingest", "placement": "new_topic", "topic_id": "00000000000000000000000003",
         "title": "c", "fields": {"depth": {"value": 1}}},
        {"op": "add_edge", "src": "00000000000000000000000001", "type": "references",
         "dst": "00000000000000000000000002"},
        {"op": "compact", "in_context": [], "load_bearing": [], "intent_id": "trip",
         "step_id": "1"},
    ] + [{"op": "assign_tag", "tag": t, "zone": z}
         for t, z in zip(TAGS, ["Core"] + ["Mid"] * 6 + ["Outer"])] + [
        note("coloured", hashtags=TAGS)]
    FAILS_HERE = {"clock": 422, "ingest_source": 422}

    def setUp(self):
        self.server = Served(Folder(self).path / "w")
        self.addCleanup(self.server.__exit__)
        self.document = self.server.get("/openapi.json").json

    def check(self, method, path, answer):
        responses = self.document["paths"][path][method]["responses"]
        self.assertIn(str(answer.status), responses, (path, answer.text))
        schema = responses[str(answer.status)]["content"]["application/json"]["schema"]
        self.assertEqual(json_schema.problems(answer.json, schema, self.document), [],
                         (path, answer.text))

    def test_every_op_and_every_page(self):
        for request in self.SETTING:
            self.assertEqual(self.server.op(**request).status, 200, request)
        ops = {p.removeprefix("/v1/") for p in self.document["paths"]} \
            - {"op", "query", "proof", "memories/{id}"}
        ops = {o for o in ops if not o.startswith("/")}
        schemas = self.document["components"]["schemas"]
        last = ["remove_edge", "tombstone"]  # what later examples need is still there before them
        for op in sorted(ops - set(last)) + last:
            example = self.example(op)
            self.assertEqual(
                json_schema.problems(example, schemas[op + "_request"], self.document), [], op)
            self.assertEqual(json_schema.problems(
                example, schemas["request"], self.document), [], op)
            answer = self.server.post(f"/v1/{op}", example)
            self.assertEqual(answer.status, self.FAILS_HERE.get(op, 200), (op, answer.text))
            self.check("post", f"/v1/{op}", answer)
            self.check("post", "/v1/op", self.server.post("/v1/op", example))
            wrong = {**example, "no_such_key": 1}
            self.assertNotEqual(
                json_schema.problems(wrong, schemas[op + "_request"], self.document), [], op)
            answer = self.server.post(f"/v1/{op}", wrong)
            self.assertEqual((answer.status, answer.code), (400, "unknown_key"))
            self.check("post", f"/v1/{op}", answer)
        reads = {o for o in ops if self.document["paths"][f"/v1/{o}"]["post"]["x-mneme-reads"]}
        self.assertLessEqual({"get", "find_many", "search", "stats", "list"}, reads)
        self.assertEqual(reads & {"tick", "batch", "retrieve", "chroma_many", "write", "erase", "clock"}, set())
        self.check("post", "/v1/query", self.server.post("/v1/query", {"q": "harbour"}))
        one = "00000000000000000000000001"
        for path, url in (("/v1/memories/{id}", f"/v1/memories/{one}?raw=true&at_seq=5"),
                          ("/v1/memories/{id}", "/v1/memories/00000000000000000000000003?history=true&events=true"),
                          ("/v1/memories/{id}", "/v1/memories/x"), ("/v1/root", "/v1/root"),
                          ("/v1/root", "/v1/root?at_seq=1"), ("/health", "/health"),
                          ("/v1/proof", f"/v1/proof?id={one}&seq=1&seq=2"),
                          ("/v1/proof", "/v1/proof")):
            self.check("get", path, self.server.get(url))
        proof = self.server.get(f"/v1/proof?id={one}&seq=1&seq=2").json["proofs"]
        self.assertEqual([p["namespace"] for p in proof], ["memories", "journal", "journal"])

    def test_answers_with_all_that_can_be_asked_for(self):
        for request in self.SETTING:
            self.server.op(**request)
        for path, request in (
                ("find", {"types": ["Note"], "near": "a", "limit": 5, "explain": True,
                          "count": True, "form": "short"}),
                ("find", {"from": "00000000000000000000000001", "follow": {}, "budget_tokens": 50}),
                ("find", {"types": ["Note"], "limit": 1, "late_binding": True}),
                ("search", {"query": "a", "explain": True, "include_metadata": True,
                            "budget_tokens": 100}),
                ("retrieve", {"q": "c", "explain": True}),
                ("chroma", {"text": "recent: " + " ".join(TAGS), "k": 3}),
                ("tick", {"reads": [{"op": "get", "id": ANA}], "writes": [note("x")]})):
            answer = self.server.post(f"/v1/{path}", request)
            self.assertEqual(answer.status, 200, answer.text)
            self.check("post", f"/v1/{path}", answer)

    def example(self, op):
        body = self.document["paths"][f"/v1/{op}"]["post"]["requestBody"]
        return body["content"]["application/json"]["example"]

    def test_metrics_are_prometheus_text(self):
        self.server.op(**note("x"))
        self.server.op(op="find")
        lines = self.server.get("/metrics").text.splitlines()
        values = {}
        for line in lines:
            if line.startswith("#"):
                self.assertRegex(line, r"^# (HELP|TYPE) mneme_\w+ .+$")
            else:
                self.assertRegex(line, r'^mneme_\w+(\{(\w+="[^"]*",?)+\})? [0-9.e+-]+$')
                name, value = line.rsplit(" ", 1)
                values[name] = float(value)
        self.assertEqual(values['mneme_requests_total{door="write",status="200"}'], 1)
        self.assertEqual(values['mneme_requests_total{door="find",status="422"}'], 1)
        self.assertEqual(values['mneme_request_seconds_count{door="write"}'], 1)
        self.assertEqual(values['mneme_request_seconds_bucket{door="write",le="+Inf"}'], 1)
        self.assertEqual((values["mneme_seq"], values["mneme_memories"]), (1, 1))
        self.assertGreaterEqual(values["mneme_connections"], 1)  # the others may be closing still
        for name, value in (("mneme_queue", 0), ("mneme_index_rows", 1),
                            ("mneme_index_vectors", 1), ("mneme_index_edges", 0),
                            ("mneme_vector_builds_failed_total", 0),
                            ("mneme_index_fields", 0), ("mneme_checkpoint_seq", 0),
                            ("mneme_journal_segments", 1), ("mneme_embeddings_pending", 0),
                            ("mneme_requests_running", 0),
                            ('mneme_memories_by_type{type="Note"}', 1)):
            self.assertEqual(values[name], value, name)
        for name in ("mneme_journal_bytes", "mneme_store_bytes"):
            self.assertGreater(values[name], 0, name)
        self.assertGreater(values["mneme_store_bytes"], values["mneme_journal_bytes"])


if __name__ == "__main__":
    unittest.main()
