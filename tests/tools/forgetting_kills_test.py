#!/usr/bin/env python3
"""A world that is erased, restored, trimmed, forked, rewound and backed up in any order, and killed at any
moment of it: it opens, verifies and replays to its root, and what was erased is nowhere.

    forgetting_kills_test.py MNEME [SECONDS [SEED]]
"""
# Of: tools/command/erase_command.cpp, tools/command/trim_command.cpp, state/branch/rewind.cpp
# Of: state/branch/backup.cpp, state/erasure/erase_field.cpp
# Of: state/branch/unfinished.cpp, state/retention/trim.cpp, state/retention/trimming_note.cpp

import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

MNEME = os.path.abspath(sys.argv[1])
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 20
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
BY = ("--reason", "asked for", "--by", "host", "--json")


class Town:
    """Directories of one world, and what is known of it."""

    def __init__(self, place, draw):
        self.place = place
        self.draw = draw
        self.secrets = {}  # id -> what it says
        self.topics = {}  # id -> what its field `secret` says
        self.copy = "copy"  # where the backup of the world as it is now goes
        self.erased = set()  # ids whose erasure was answered
        self.forks = []
        self.count = 0
        self.done = {}
        self.kills = 0
        self.run("init", "town", "--seed", "1", "--embedder", "none")

    def run(self, *arguments, stdin=None):
        done = subprocess.run([MNEME, *arguments], cwd=self.place, input=stdin, text=True,
                              capture_output=True, check=False, timeout=120)
        return done

    def must(self, *arguments):
        done = self.run(*arguments)
        if done.returncode != 0:
            raise AssertionError(f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def killed(self, *arguments, stdin=None):
        """Its output; killed at a random moment, mostly. None of one that was."""
        child = subprocess.Popen([MNEME, *arguments], cwd=self.place, text=True,
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE)
        wait = self.draw.choice((None, 0.003, 0.01, 0.03, 0.1, 0.3))
        try:
            out, err = child.communicate(stdin, timeout=wait and wait * self.draw.random())
        except subprocess.TimeoutExpired:
            child.kill()
            self.kills += 1
            out, err = child.communicate()
            return None, out
        self.done[arguments[0]] = self.done.get(arguments[0], 0) + 1
        refused = ("already_exists", "not_found", "bad_value", "erased", "busy", "disk_full",
                   "seq_unavailable")
        if child.returncode != 0 and not any(word in out + err for word in refused):
            raise AssertionError(f"{arguments}: {child.returncode}\n{out}{err}")
        return child.returncode, out

    # What is done.

    def write(self, where="town"):
        lines = []
        for _ in range(self.draw.randint(1, 6)):
            self.count += 1
            name = f"01HZZZZZZZZZZZZZZZ{self.count:08d}"
            secret = f"zyx{self.count:06d}needle"
            self.secrets[name] = secret
            lines.append(json.dumps({"op": "write", "id": name, "type": "Note",
                                     "data": {"statement": f"the {secret} of all"},
                                     "tags": [secret], "actor": self.draw.choice(("ana", "bo"))}))
            if self.draw.random() < 0.3:
                lines.append(json.dumps({"op": "checkpoint"}))
        self.killed("shell", where, stdin="\n".join(lines) + "\n")

    def write_topic(self):
        self.count += 1
        name = f"01HZZZZZZZZZZZZZZZ{self.count:08d}"
        secret = f"zyx{self.count:06d}needle"
        self.topics[name] = secret
        self.killed("ingest", "town", "--id", name, "--title", f"topic {self.count}", "--actor", "ana",
                    f"secret={secret}", "city=Bergen")
        self.killed("ingest", "town", "--topic", name, "--actor", "ana", f"secret={secret} again")

    def erase_field(self):
        if not self.topics:
            return
        name = self.draw.choice(list(self.topics))
        self.killed("erase", self.draw.choice(self.worlds()), name, "--field", "secret", *BY)

    def some(self, most):
        names = list(self.secrets)
        return self.draw.sample(names, min(len(names), self.draw.randint(1, most)))

    def erase(self):
        options = ["--with-branches"] if self.draw.random() < 0.4 else []
        where = self.draw.choice(["town", *self.worlds()])
        names = self.some(3)
        status, _ = self.killed("erase", where, *names, *options, *BY)
        if status == 0 and where == "town" and not options:
            self.erased.update(names)

    def forget_and_restore(self):
        name = self.some(1)[0]
        self.killed("tombstone", "town", name, "--reason", "wrong")
        self.killed("restore", "town", name)

    def look(self):
        """What a trim drops: finds that touch."""
        find = json.dumps({"op": "find", "types": ["Note"], "limit": 3, "late_binding": True})
        self.killed("shell", "town", stdin=(find + "\n") * self.draw.randint(5, 20))

    def overwrite(self):
        """What a trim of versions drops."""
        lines = [json.dumps({"op": "put", "namespace": "town", "key": f"k{self.draw.randint(1, 3)}", "type": "Note",
                             "data": {"statement": f"said the {i}th time by {self.draw.randint(1, 99)}"}})
                 for i in range(self.draw.randint(5, 20))]
        self.killed("shell", "town", stdin="\n".join(lines) + "\n")

    def trim(self):
        self.killed("trim", "town", *self.draw.choice(((), ("--versions",))), *BY)

    def trim_beside(self):
        """One that goes on while the world is written to and looked at, by the same program."""
        find = json.dumps({"op": "find", "types": ["Note"], "limit": 3, "late_binding": True})
        lines = [find] * self.draw.randint(0, 20)
        for _ in range(self.draw.randint(1, 3)):
            lines.append(json.dumps({"op": "trim", "reason": "asked for", "by": "host",
                                     "versions": self.draw.random() < 0.5}))
            lines += [find] * self.draw.randint(0, 5)
            if self.draw.random() < 0.3:
                lines.append(json.dumps({"op": "checkpoint"}))
        self.killed("shell", "town", stdin="\n".join(lines) + "\n")

    def fork(self):
        self.count += 1
        name = f"fork{self.count}"
        self.forks.append(name)
        self.killed("fork", self.draw.choice(["town", *self.whole_forks()]), name)

    def rewind(self):
        seq = json.loads(self.must("root", "town", "--json"))["seq"]
        self.count += 1
        kept = f"kept{self.count}"
        self.forks.append(kept)
        self.copy = f"copy{self.count}"  # a backup of before is one of what was kept
        self.killed("rewind", "town", "--to", str(max(0, seq - self.draw.randint(0, 2))),
                    "--keep-as", kept)

    def backup(self):
        self.killed("backup", "town", self.copy)

    def stream(self):
        """A tar stream, which may end anywhere: what it then leaves is no world, or a whole one."""
        with open(self.place / "town.tar", "wb") as out:
            child = subprocess.Popen([MNEME, "backup", "town", "--tar"], cwd=self.place, stdout=out,
                                     stderr=subprocess.DEVNULL)
            if self.draw.random() < 0.5:
                time.sleep(0.05 * self.draw.random())
                child.kill()
                self.kills += 1
            child.wait(timeout=120)
        self.unpack("town.tar", "unpacked")

    def unpack(self, archive, into):
        shutil.rmtree(self.place / into, ignore_errors=True)
        (self.place / into).mkdir()
        subprocess.run(["tar", "-xf", archive, "-C", into], cwd=self.place, stderr=subprocess.DEVNULL,
                       check=False)
        if (self.place / into / "WORLD").exists():
            self.check(into, False)

    def whole_forks(self):
        return [f for f in self.forks if (self.place / f / "WORLD").exists()]

    def worlds(self):
        return ["town", *self.whole_forks()]

    # What must hold.

    def open_all(self):
        for world in self.worlds():
            done = self.run("shell", world, stdin='{"op":"stats"}\n')
            if done.returncode != 0 or '"ok":true' not in done.stdout:
                raise AssertionError(f"{world} does not open\n{done.stdout}{done.stderr}")

    def root(self, world):
        return json.loads(self.must("root", world, "--json"))["root"]

    def check(self, world, replays):
        root = json.loads(self.must("root", world, "--json"))
        report = json.loads(self.must("verify", world, "--json"))
        assert report["root"] == root["root"], (world, report, root)
        if not replays:
            return
        copy = self.place / "replayed"
        shutil.rmtree(copy, ignore_errors=True)
        self.must("replay", world, "--into", str(copy))
        assert json.loads(self.must("root", str(copy), "--json"))["root"] == root["root"], world
        shutil.rmtree(copy)

    def files_with(self, secrets, under):
        found = []
        for file in (self.place / under).rglob("*"):
            if not file.is_file():
                continue
            content = file.read_bytes()
            found += [f"{file}: {s}" for s in secrets if s.encode() in content]
        return found

    def is_erased(self, name, world="town"):
        return "was erased" in self.run("get", world, name).stderr


def main():
    draw = random.Random(SEED)
    with tempfile.TemporaryDirectory(prefix="mneme-forgetting-") as name:
        town = Town(pathlib.Path(name), draw)
        steps = [(town.write, 4), (town.write_topic, 2), (town.erase_field, 2), (town.stream, 1), (town.erase, 4),
                 (town.forget_and_restore, 2), (town.look, 2), (town.overwrite, 3), (town.trim, 2),
                 (town.trim_beside, 3), (town.fork, 2), (town.rewind, 1), (town.backup, 1)]
        town.must("write", "town", "--type", "Note", "statement=the first")
        while not town.secrets:
            town.write()
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            draw.choices([s for s, _ in steps], [w for _, w in steps])[0]()
            if draw.random() < 0.3:
                town.open_all()
                town.check("town", False)
        # Whatever was broken off is finished by who opens it, or made again.
        town.open_all()
        for fork in town.forks:
            if (town.place / fork).exists() and fork not in town.whole_forks():
                shutil.rmtree(town.place / fork)
        gone = draw.sample(list(town.secrets), (len(town.secrets) + 1) // 2)
        for i in range(0, len(gone), 50):
            answer = town.run("erase", "town", *gone[i:i + 50], "--with-branches", *BY)
            if answer.returncode == 0:
                left = json.loads(answer.stdout)
                assert left["branches"] == [], left
        fields = [t for t in town.topics if draw.random() < 0.5]
        for topic in fields:
            town.run("erase", "town", topic, "--field", "secret", "--with-branches", *BY)
        # Those of what is kept elsewhere are brought up to date from there, which nobody does here.
        town.must("backup", "town", town.copy)
        with open(town.place / "town.tar", "wb") as out:
            subprocess.run([MNEME, "backup", "town", "--tar"], cwd=town.place, stdout=out, check=True)
        town.unpack("town.tar", "unpacked")
        needles = [town.secrets[g] for g in gone] + [town.topics[t] for t in fields]
        for world in [*town.worlds(), town.copy, "unpacked"]:
            town.check(world, True)
            wrong = town.files_with(needles, world)
            assert not wrong, wrong[:5]
        assert town.root("unpacked") == town.root(town.copy) == town.root("town")
        print(f"seed {SEED}: {town.kills} kills, {len(town.worlds())} worlds, {town.done}")


if __name__ == "__main__":
    main()
