#!/usr/bin/env python3
"""examples/town/town.cpp lives, is killed, goes on, and is the same town.

    town_test.py PROGRAM MNEME
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM, MNEME = sys.argv.pop(1), sys.argv.pop(1)
NAMES = [f"{first} {last}" for first in ("Ana", "Bo", "Cy", "Di", "Eli") for last in ("Berg", "Dahl", "Ek", "Falk", "Gran")]
DONE = [(6, "waking up", "house"), (7, "mending a net", "harbour"), (8, "drinking tea", "cafe")]


def make_town(folder):
    """25 agents who are made up, with a record of their first hours alone."""
    def write(name, rows):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "meta.json").write_text(json.dumps({"start_date": "March 01, 2024", "persona_names": NAMES}))
    write("personas.jsonl", [{"name": name, "currently": f"{name} looks for the key."} for name in NAMES])
    write("memories.jsonl", [{"scope": name, "type": "event", "poignancy": 2, "text": f"{name} saw boat {n}"}
                             for name in NAMES for n in range(5)])
    write("movement.jsonl", [{"who": name, "time": f"March 01, 2024, {hour:02}:00:00",
                              "act": f"{what} @ town:{where}:room:bed"} for name in NAMES for hour, what, where in DONE])


def told(said, name):
    return re.search(rf"^{name} (\w{{16,}})\b", said, re.M).group(1)


class Town(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        self.data = self.folder / "data"
        self.data.mkdir()
        make_town(self.data)

    def lived(self, world, *more):
        done = subprocess.run([PROGRAM, self.data, self.folder / world, *more], text=True, capture_output=True,
                              timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_a_killed_town_goes_on(self):
        whole = self.lived("whole", "2", "--check")
        self.assertIn("25 agents, 150 memories of their past", whole)
        self.assertIn("lived again: the same and the same root", whole)
        self.assertRegex(whole, r"day 1  chat +\.+ \d+")
        for hour in (5, 17, 30):
            with subprocess.Popen([PROGRAM, self.data, self.folder / "killed", "2"], text=True,
                                  stdout=subprocess.PIPE) as town:
                for line in town.stdout:
                    if line.startswith(f"hour {hour}:"):
                        break
                town.kill()
        rest = self.lived("killed", "2", "--check")
        self.assertRegex(rest, r"(?m)^goes on behind hour (3\d|4\d)")
        self.assertEqual(told(rest, "memories"), told(whole, "memories"))
        subprocess.run([MNEME, "replay", self.folder / "killed", "--into", self.folder / "copy"], check=True,
                       capture_output=True)
        root = subprocess.run([MNEME, "root", self.folder / "copy"], check=True, capture_output=True, text=True)
        self.assertIn(told(rest, "root"), root.stdout)
        self.assertNotEqual(told(self.lived("killed", "3"), "memories"), told(whole, "memories"))


if __name__ == "__main__":
    unittest.main()
