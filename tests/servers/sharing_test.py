#!/usr/bin/env python3
"""Several programs on one world: who comes first answers the others, whoever is asked next takes over,
and nothing that was acknowledged is lost.

    sharing_test.py [unittest's arguments]      SHARING_SECONDS=N: of kills, 8 by default
"""
# Of: tools/server/access/shared_door.cpp, tools/server/access/shared_request.cpp
# Of: tools/server/access/told_branch.cpp, tools/server/access/world_turns.cpp
# Of: tools/sharing/world_socket.cpp, tools/sharing/frame_stream.cpp

import json
import os
import random
import socket
import stat
import struct
import threading
import time
import unittest

from served import PATIENCE_S, Folder, Served, Stdio, mneme

SECONDS = float(os.environ.get("SHARING_SECONDS", "8"))
UNKNOWN = "01HZZZZZZZZZZZZZZZZZZZZZZZ"


def text_of(result):
    return result["content"][0]["text"]


def framed(message):
    return struct.pack(">I", len(message)) + message


class Programs(unittest.TestCase):
    def setUp(self):
        self.world = Folder(self).path / "w"

    def program(self, *options, world=None):
        made = Stdio(world or self.world, *options)
        self.addCleanup(made.__exit__)
        made.start()
        return made

    def remember(self, by, text, **more):
        made = by.call("remember", text=text, **more)
        self.assertFalse(made.get("isError"), made)
        return made["structuredContent"]["id"]

    def command(self, *arguments, status=0):
        done = mneme(*arguments, "--json", check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def test_a_second_program_joins_the_first(self):
        first, second = self.program(), self.program("--actor", "bo")
        seen = self.remember(first, "the harbour opens at six", visibility="actor_public")
        own = self.remember(second, "the mill is closed")
        self.assertIn("harbour", text_of(second.call("search", query="harbour")))
        told = self.command("get", str(self.world), own)
        self.assertEqual(told["memory"]["actor_scope"], "bo")
        hidden = self.remember(first, "a secret of ana's", actor="ana", visibility="private")
        self.assertNotIn("secret", text_of(second.call("search", query="secret of ana")))
        self.assertIn("secret", text_of(first.call("search", query="secret of ana")))
        self.assertTrue(second.call("remember", text="x", actor="ana")["isError"])
        self.assertNotEqual(hidden, own)
        self.assertEqual(self.command("stats", str(self.world))["memories"], 3)
        self.assertNotEqual(seen, own)

    def test_what_two_programs_change_at_once_is_there_once(self):
        programs = [self.program("--compat", "reference-memory,memory-tool") for _ in range(2)]
        start = threading.Barrier(len(programs))
        said, rounds = [[], []], 6

        def file(by, command, **arguments):
            return by.call("memory", command=command, **arguments)

        def work(k):
            by = programs[k]
            for i in range(rounds):
                entity = {"name": f"e{i}", "entityType": "t", "observations": []}
                path = f"/memories/f{i}"
                start.wait(PATIENCE_S)
                said[k].append([
                    by.call("create_entities", entities=[entity]),
                    by.call("add_observations", observations=[
                        {"entityName": "e0", "contents": [f"{k}-{i}"]}]),
                    file(by, "create", path=path, file_text="of both"),
                    file(by, "insert", path="/memories/f0", insert_line=0, insert_text=f"{k}-{i}"),
                    file(by, "rename", old_path=path, new_path=f"{path}-{k}") if i > 0 else None])

        threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
        for t in threads:
            t.start()
        for t in threads:
            t.join(PATIENCE_S)
        self.assertEqual([len(s) for s in said], [rounds] * 2)
        entities = json.loads(text_of(programs[0].call("read_graph")))["entities"]
        self.assertEqual(sorted(e["name"] for e in entities), [f"e{i}" for i in range(rounds)])
        all_of = sorted(f"{k}-{i}" for k in range(2) for i in range(rounds))
        self.assertEqual(sorted(next(e for e in entities if e["name"] == "e0")["observations"]), all_of)
        shown = text_of(file(programs[1], "view", path="/memories/f0"))
        for text in all_of:
            self.assertIn(text, shown)
        for i in range(rounds):
            ends = [[not answers[i][which]["isError"] for answers in said]
                    for which in ((2, 4) if i > 0 else (2,))]
            # The second may come after the first's rename: then its path is free again.
            if ends[0] != [True, True]:
                self.assertEqual([sum(of) for of in ends], [1] * len(ends), said)

    def test_who_joins_is_held_to_what_the_world_was_made_with(self):
        first = self.program()
        for embedder in ("hash:64", "bogus"):
            done = mneme("mcp", str(self.world), "--embedder", embedder, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("this world's embedder is hash:384", done.stderr)
        self.remember(self.program("--embedder", "hash:384"), "the mill is closed")
        self.assertIn("mill", text_of(first.call("search", query="mill")))

    def test_commands_are_answered_beside_a_program_and_beside_a_server(self):
        for holder in (self.program, lambda: Served(self.world)):
            held = holder()
            made = self.command("write", str(self.world), "--type", "Note", "statement=tea at five")
            self.assertTrue(made["ok"])
            found = self.command("search", str(self.world), "tea")
            self.assertTrue(found["results"])
            refused = self.command("get", str(self.world), UNKNOWN, status=2)
            self.assertEqual(refused["error"]["code"], "not_found")
            self.assertEqual(refused["error"]["at"], "id")
            held.__exit__()

    def test_a_world_is_trimmed_by_the_program_that_has_it_open(self):
        for holder in (self.program, lambda: Served(self.world)):
            held = holder()
            self.command("write", str(self.world), "--type", "Note", "statement=tea at five")
            for _ in range(40):
                self.command("find", str(self.world),
                             '{"types":["Note"],"limit":5,"late_binding":true}')
            shown = self.command("trim", str(self.world), "--dry-run")
            self.assertGreaterEqual(shown["dropped"], 40)
            self.assertFalse(shown["changed"])
            done = self.command("trim", str(self.world), "--reason", "a year has passed", "--by", "host")
            self.assertEqual((done["dropped"], done["changed"]), (shown["dropped"], True))
            self.assertEqual(self.command("root", str(self.world))["seq"], done["seq"])
            held.__exit__()
            self.assertTrue(self.command("verify", str(self.world))["ok"])

    def test_an_erasure_reaches_a_branch_that_a_program_has_open(self):
        topic = "01HZZZZZZZZZZZZZZZZZZZZZZT"
        note = self.remember(self.program(), "the zyxneedle of all", actor="ana")
        for n, holder in enumerate((self.program, lambda world: Served(world))):
            branch = self.world.parent / f"branch{n}"
            self.command("fork", str(self.world), str(branch))
            held = holder(world=branch)
            self.command("write", str(branch), "--type", "Note", "statement=zyxneedle here", "--actor", "ana")
            self.command("ingest", str(branch), "--title", "Bob", "--id", topic, "phone=zyxneedle")
            request = ("erase", str(self.world), "--with-branches", "--reason", "asked for", "--by", "host")
            shown = self.command(*request, "--owned-by", "ana", "--dry-run")["in_branches"]
            self.assertEqual((shown[-1]["outcome"], shown[-1]["memories"]), ("erased", 2))
            self.assertTrue(self.command("get", str(branch), note)["ok"])
            told = self.command(*request, "--owned-by", "ana")["in_branches"][-1]
            self.assertEqual((told["path"], told["outcome"]), (str(branch), "erased"))
            self.assertEqual(told["seq"], self.command("root", str(branch))["seq"])
            self.assertEqual(self.command("get", str(branch), note, status=2)["error"]["code"], "erased")
            field = self.command(*request, topic, "--field", "phone")["in_branches"][-1]
            self.assertEqual((field["outcome"], field["memories"]), ("erased", 1))
            held.__exit__()
            for directory in (self.world, branch):
                for file in directory.rglob("*"):
                    if file.is_file():
                        self.assertNotIn(b"zyxneedle", file.read_bytes(), str(file))
            self.assertTrue(self.command("verify", str(branch))["ok"])
            note = self.remember(self.program(), "the zyxneedle again", actor="ana")

    def test_when_the_first_ends_the_next_takes_over(self):
        programs = [self.program() for _ in range(3)]
        known = [self.remember(programs[0], "one")]
        while programs:
            last = programs.pop(0)
            self.assertEqual(last.stop(), 0)
            for left in programs:
                known.append(self.remember(left, f"said when {len(programs)} were left"))
        self.assertEqual(sorted(os.listdir(self.world)),
                         sorted(name for name in os.listdir(self.world) if name != "SOCKET"))
        for memory in known:
            self.command("get", str(self.world), memory)

    def test_a_killed_one_leaves_a_socket_that_means_nothing(self):
        first = self.program()
        kept = self.remember(first, "kept")
        first.process.kill()
        first.process.wait(PATIENCE_S)
        self.assertTrue((self.world / "SOCKET").exists())
        self.command("get", str(self.world), kept)
        second = self.program()
        self.assertIn("kept", text_of(second.call("search", query="kept")))

    def test_the_socket_is_its_owners(self):
        self.program()
        mode = os.stat(self.world / "SOCKET").st_mode
        self.assertTrue(stat.S_ISSOCK(mode))
        self.assertEqual(stat.S_IMODE(mode), 0o600)

    def test_a_directory_may_have_a_long_name(self):
        deep = self.world.parent / ("d" * 120) / ("e" * 120)
        deep.mkdir(parents=True)
        first, second = self.program(world=deep / "w"), self.program(world=deep / "w")
        self.remember(first, "far away")
        self.assertIn("far", text_of(second.call("search", query="far")))

    def test_bad_bytes_are_refused_and_end_nobody(self):
        first = self.program()
        asked = [b"", b"{", b"[]", b"{}", b'"x"', b"\xff" * 40, b'{"client":{},"op":1,"request":{}}',
                 b'{"client":{"scope":"x"},"op":"stats","request":{}}',
                 b'{"client":{"actor":""},"op":"stats","request":{}}',
                 b'{"client":{},"op":"no_such_op","request":{}}',
                 b'{"client":{"read_only":true},"op":"write","request":{}}',
                 b'{"client":{},"op":"stats","request":[]}', b"[" * 100_000]
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(PATIENCE_S)
            s.connect(str(self.world / "SOCKET"))
            for message in asked:
                s.sendall(framed(message))
                size = struct.unpack(">I", s.recv(4, socket.MSG_WAITALL))[0]
                answer = json.loads(s.recv(size, socket.MSG_WAITALL))
                self.assertFalse(answer["body"]["ok"], message)
                self.assertIn("code", answer["body"]["error"])
        for broken in (framed(b"{}")[:3], struct.pack(">I", 0xFFFFFFFF) + b"x", framed(b"x" * 100)[:50]):
            with socket.socket(socket.AF_UNIX) as s:
                s.connect(str(self.world / "SOCKET"))
                s.sendall(broken)
        self.remember(first, "goes on")

    def test_many_ask_at_once(self):
        first, second = self.program(), self.program()
        self.remember(first, "asked for by many")
        failed = []

        def ask():
            for _ in range(5):
                done = mneme("search", str(self.world), "many", "--json", check=False)
                if done.returncode != 0:
                    failed.append(done.stdout + done.stderr)
        threads = [threading.Thread(target=ask) for _ in range(8)]
        for t in threads:
            t.start()
        for i in range(20):
            self.remember(second, f"meanwhile {i}")
        for t in threads:
            t.join()
        self.assertEqual(failed, [])


class Writer(threading.Thread):
    """A program that writes until it is told to stop, and is started anew where it was killed."""

    def __init__(self, world, name):
        super().__init__()
        self.world = world
        self.program_name = name
        self.now = None
        self.acknowledged = {}
        self.unknown = 0
        self.refused = []
        self.is_done = False

    def run(self):
        count = 0
        while not self.is_done:
            try:
                with Stdio(self.world) as self.now:
                    self.now.start()
                    while not self.is_done:
                        count += 1
                        text = f"{self.program_name} says {count}"
                        made = self.now.call("remember", text=text)
                        if not made.get("isError"):
                            self.acknowledged[made["structuredContent"]["id"]] = text
                        elif "outcome_unknown" in text_of(made):
                            self.unknown += 1
                        else:
                            self.refused.append(text_of(made))
            except (AssertionError, BrokenPipeError, OSError, ValueError):
                continue  # it was killed


class Kills(unittest.TestCase):
    def test_three_programs_are_killed_in_turn(self):
        world = Folder(self).path / "w"
        draw = random.Random(int(os.environ.get("SHARING_SEED", "1")))
        writers = [Writer(world, name) for name in ("ana", "bo", "cy")]
        for w in writers:
            w.start()
        until, kills = time.monotonic() + SECONDS, 0
        while time.monotonic() < until:
            time.sleep(draw.uniform(0.02, 0.5))
            running = writers[kills % 3].now
            if running is not None and running.process.poll() is None:
                running.process.kill()
            kills += 1
        for w in writers:
            w.is_done = True
        for w in writers:
            w.join(PATIENCE_S)
            self.assertFalse(w.is_alive(), "a program hangs")
            self.assertEqual(w.refused, [])
        acknowledged = {k: v for w in writers for k, v in w.acknowledged.items()}
        self.assertGreater(len(acknowledged), 10)
        self.assertTrue(json.loads(mneme("verify", str(world), "--json").stdout)["ok"])
        lines = "".join(json.dumps({"op": "get", "id": m}) + "\n" for m in acknowledged)
        answers = mneme("shell", str(world), "--json", stdin=lines).stdout.splitlines()
        for (memory, text), line in zip(acknowledged.items(), answers, strict=True):
            answer = json.loads(line)
            self.assertTrue(answer["ok"], f"{memory} was acknowledged and is lost")
            self.assertEqual(answer["memory"]["version"]["data"]["statement"], text)
        print(f"{kills} kills, {len(acknowledged)} acknowledged, "
              f"{sum(w.unknown for w in writers)} unknown")


if __name__ == "__main__":
    unittest.main()
