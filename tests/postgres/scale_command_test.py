#!/usr/bin/env python3
"""The command on a world that is kept in PostgreSQL, as docs/SCALE.md shows it: made, lost and joined,
one leader at a time, and no password in a directory. Arguments: the command, and the folder of
PostgreSQL's programs."""
# Of: tools/server/access/log_address.cpp

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import cluster

MNEME, PROGRAMS = sys.argv[1:3]
del sys.argv[1:3]


class Scale(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cluster.Cluster(PROGRAMS)

    @classmethod
    def tearDownClass(cls):
        cls.cluster.end()

    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)

    def at(self, name):
        return os.path.join(self.place.name, name)

    def run_command(self, *arguments):
        return subprocess.run([MNEME, *arguments], capture_output=True, text=True, check=False,
                              timeout=60)

    def done(self, *arguments):
        ran = self.run_command(*arguments)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout

    def refused(self, *arguments):
        ran = self.run_command(*arguments)
        self.assertNotEqual(ran.returncode, 0, ran.stdout)
        return ran.stderr + ran.stdout

    def test_lost_and_joined(self):
        log = self.cluster.address("town")
        self.done("init", self.at("town"), "--log", log)
        self.done("write", self.at("town"), "--type", "Note", "statement=The mill is closed")
        root = self.done("root", self.at("town"))
        shutil.rmtree(self.at("town"))
        self.done("init", self.at("town"), "--log", log)
        self.assertEqual(self.done("root", self.at("town")), root)
        # Another directory goes on, and this one follows when it is opened.
        self.done("init", self.at("elsewhere"), "--log", log)
        self.done("write", self.at("elsewhere"), "--type", "Note", "statement=It is open")
        self.assertEqual(self.done("root", self.at("town")), self.done("root", self.at("elsewhere")))
        self.assertIn("It is open", self.done("search", self.at("town"), "open"))
        self.assertEqual(self.done("verify", self.at("town")).count("corrupt"), 0)
        self.assertIn("no world in", self.refused("verify", self.at("nowhere")))
        # Damage of the log is none of a directory.
        self.cluster.run("UPDATE mneme.frame SET payloads = overlay(payloads placing 'XXXX'::bytea"
                         " from position('mill'::bytea in payloads))"
                         " WHERE log = 'town' AND position('mill'::bytea in payloads) > 0")
        said = self.refused("init", self.at("third"), "--log", log)
        self.assertIn("the log's frame ", said)
        self.assertNotIn("mneme verify", said)

    def test_one_leader(self):
        log = self.cluster.address("led")
        self.done("init", self.at("one"), "--log", log)
        self.done("init", self.at("two"), "--log", log)
        with subprocess.Popen([MNEME, "shell", self.at("one"), "--json"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as leader:
            leader.stdin.write(json.dumps({"op": "stats"}) + "\n")
            leader.stdin.flush()
            self.assertTrue(json.loads(leader.stdout.readline())["ok"])
            self.assertIn("leads this log", self.refused("write", self.at("two"), "--type", "Note",
                                                         "statement=not me"))
            leader.stdin.close()
            leader.wait()
        self.done("write", self.at("two"), "--type", "Note", "statement=now me")

    def test_trimmed_by_its_leader(self):
        log = self.cluster.address("trimmed")
        self.done("init", self.at("town"), "--log", log)
        self.done("write", self.at("town"), "--type", "Note", "statement=The mill is closed")
        find = '{"op":"find","types":["Note"],"limit":5,"late_binding":true}\n'
        subprocess.run([MNEME, "shell", self.at("town"), "--json"], input=find * 50, text=True,
                       capture_output=True, check=True, timeout=60)
        root = self.done("root", self.at("town"))
        self.assertRegex(self.done("trim", self.at("town"), "--dry-run"), r"dropped +50")
        self.cluster.run("CREATE ROLE writer LOGIN; GRANT USAGE ON SCHEMA mneme TO writer;"
                         " GRANT SELECT, INSERT, UPDATE ON mneme.log TO writer;"
                         " GRANT SELECT, INSERT ON mneme.frame, mneme.blob TO writer;"
                         " CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA mneme TO reader;"
                         " GRANT SELECT ON mneme.log, mneme.frame TO reader")
        self.done("init", self.at("writer"), "--log", log.replace("postgres@", "writer@"))
        self.assertIn("UPDATE on mneme.frame", self.refused("trim", self.at("writer"), "--dry-run"))
        self.assertIn("UPDATE on mneme.log", self.refused("init", self.at("reader"), "--log",
                                                          log.replace("postgres@", "reader@")))
        self.assertEqual(self.done("root", self.at("town")), root)
        self.assertRegex(self.done("trim", self.at("town"), "--by", "host"), r"dropped +50")
        root = self.done("root", self.at("town"))
        self.done("verify", self.at("town"))
        self.done("init", self.at("other"), "--log", log)
        self.assertEqual(self.done("root", self.at("other")), root)

    def test_joined_from_a_backup(self):
        log = self.cluster.address("joined")
        self.done("init", self.at("town"), "--log", log)
        self.done("write", self.at("town"), "--type", "Note", "statement=The mill is closed")
        self.done("backup", self.at("town"), self.at("backup"))
        self.done("write", self.at("town"), "--type", "Note", "statement=It is open")
        root = self.done("root", self.at("town"))
        self.assertIn("--log", self.refused("init", self.at("two"), "--from", self.at("backup")))
        self.assertIn("nothing else", self.refused("init", self.at("two"), "--log", log, "--seed", "1",
                                                   "--from", self.at("backup")))
        joined = json.loads(self.done("init", self.at("two"), "--log", log, "--json",
                                      "--from", self.at("backup")))
        self.assertEqual(joined, {"ok": True, "seq": 1})
        self.assertEqual(self.done("root", self.at("two")), root)
        # One that was killed before its end says what to do, and that does it.
        os.remove(os.path.join(self.at("two"), "WORLD"))
        pathlib.Path(self.at("two"), "UNFINISHED").touch()
        for command in (["init", self.at("two"), "--log", log], ["root", self.at("two")]):
            self.assertIn("give that command again", self.refused(*command))
        self.done("init", self.at("two"), "--log", log, "--from", self.at("backup"))
        self.assertEqual(self.done("root", self.at("two")), root)
        self.done("write", self.at("backup"), "--type", "Note", "statement=in no log")
        self.refused("init", self.at("three"), "--log", log, "--from", self.at("backup"))

    def test_from_python(self):
        """The package leads, follows and takes the lead in one process."""
        script = r"""
import sys, time, mneme
log, one, two, three = sys.argv[1:]
leader = mneme.open(one, log=log, seed=1)
follower = mneme.open(two, log=log, follow=True)
next_one = mneme.open(three, log=log, follow=True, may_lead=True)
note = leader.write("Note", {"statement": "The mill is closed"})
for copy in (follower, next_one):
    assert copy.get(note.id, at_least=note.seq).version.data.statement == "The mill is closed"
assert follower.root(at_least=note.seq).root == leader.root().root
try:
    follower.write("Note", {"statement": "not me"})
except mneme.MnemeError as refused:
    assert refused.code == "read_only", refused
assert follower.stats().log.role == "follower" and leader.stats().log.role == "leader"
leader.close()
until = time.monotonic() + 30
while next_one.stats().log.role != "leader" and time.monotonic() < until:
    time.sleep(.05)
after = next_one.write("Note", {"statement": "It is open"})
assert follower.search("open", at_least=after.seq).texts()[0] == "It is open"
follower.close()
next_one.close()
with mneme.open(two) as alone:  # the directory knows its log, and nobody else leads it
    assert alone.write("Note", {"statement": "As before"}).seq == after.seq + 1
print("done")
"""
        root = pathlib.Path(MNEME).resolve().parent
        ran = subprocess.run([sys.executable, "-c", script, self.cluster.address("python"),
                              self.at("one"), self.at("two"), self.at("three")],
                             env={**os.environ, "PYTHONPATH": str(root / "python"),
                                  "MNEME_LIBRARY": str(root / "libmneme.so")},
                             capture_output=True, text=True, check=False, timeout=120)
        self.assertEqual(ran.stdout, "done\n", ran.stderr)
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_document(self):
        """From nothing to a failover, in the commands that docs/SCALE.md shows."""
        top = pathlib.Path(__file__).resolve().parents[2]
        sys.path.insert(0, str(top / "tests/docs"))
        import run_examples  # pylint: disable=import-outside-toplevel
        os.environ["LOG"] = self.cluster.address("document")
        self.assertGreaterEqual(run_examples.run(top / "docs/SCALE.md", MNEME), 5)

    def test_refusals(self):
        said = self.refused("init", self.at("p"), "--log", "postgresql://me:secret@host/db")
        self.assertIn("pgpass", said)
        self.assertNotIn("secret", said)
        for option in ("password=secret", "passw%6Frd=secret", "sslpassword=secret"):
            said = self.refused("init", self.at("p"), "--log", f"postgresql://me@host/db?{option}#p")
            self.assertIn("pgpass", said)
        self.assertIn("pgpass", self.refused("serve", self.at("p"), "--log",
                                             "postgresql://me:secret@host/db"))
        self.assertFalse(os.path.exists(self.at("p")))
        self.assertIn("postgresql://", self.refused("init", self.at("q"), "--log", "nowhere"))
        away = self.refused("init", self.at("r"), "--log",
                            f"postgresql://postgres@{self.place.name.replace('/', '%2F')}/db")
        self.assertIn("cannot be reached", away)
        # What is wrong for good is not called busy.
        nobody = self.cluster.address("refusals").replace("postgres@", "nobody@")
        said = self.refused("init", self.at("t"), "--json", "--log", nobody)
        self.assertIn("bad_value", said)
        self.assertIn("nobody", said)
        self.done("init", self.at("s"), "--log", self.cluster.address("refusals"))
        self.assertIn("copy of a log already", self.refused("init", self.at("s"), "--log",
                                                            self.cluster.address("refusals")))
        self.assertIn("embedder", self.refused("init", self.at("u"), "--embedder", "hash:64", "--log",
                                               self.cluster.address("refusals")))
        self.done("write", self.at("s"), "--type", "Note", "statement=kept")
        self.assertIn("log", self.refused("rewind", self.at("s"), "--to", "1"))


unittest.main()
