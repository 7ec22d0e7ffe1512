#!/usr/bin/env python3
"""docs/ARCHITECTURE.md names every message that actors exchange, and no other; every folder has its
place in the code map; every file it names is there. Argument: the top of the tree."""

import pathlib
import re
import sys
import unittest

TOP = pathlib.Path(sys.argv.pop(1))
TEXT = (TOP / "docs/ARCHITECTURE.md").read_text()


def message_types():
    found = set()
    for header in ["actors/messages.hpp", "include/mneme/caf.hpp"]:
        found |= set(re.findall(r"CAF_ALLOW_UNSAFE_MESSAGE_TYPE\(mneme::(\w+)\)",
                                (TOP / header).read_text()))
    return found


def table():
    rows = TEXT.split("## Who may send what to whom")[1]
    cells = [[c.strip() for c in row.strip("|").split("|")] for row in rows.splitlines()
             if row.startswith("| ") and "---" not in row][1:]
    return [{"sender": c[0], "receiver": c[1], "message": c[2], "reply": c[3], "promise": c[4]}
            for c in cells]


class Architecture(unittest.TestCase):
    def test_messages(self):
        named = set()
        for row in table():
            named |= set(re.findall(r"[a-z]+(?:_[a-z]+)+|outcome", row["message"] + " " + row["reply"]))
            self.assertTrue(row["promise"], row)
        self.assertEqual(named, message_types())

    def test_actors_of_the_table_exist(self):
        actors = {p.stem.removesuffix("_actor") for p in (TOP / "actors").glob("*_actor.cpp")}
        for row in table():
            for actor in row["receiver"].split(", "):
                self.assertIn({"checkpointer": "checkpoint"}.get(actor, actor), actors)

    def test_code_map(self):
        mapped = set()
        for section in re.split(r"^### ", TEXT.split("## Code map")[1].split("\n## ")[0], flags=re.M)[1:]:
            rooms = re.findall(r"`([a-z]+)(?:/mneme)?/`", section.splitlines()[0])
            mapped |= set(rooms)
            for folder in re.findall(r"`([a-z]+)/`", section.split("\n", 1)[1]):
                self.assertTrue(any((TOP / place).is_dir() for place in
                                    [folder] + [f"{room}/{folder}" for room in rooms]), folder)
        folders = {p.parent.relative_to(TOP).parts[0] for p in TOP.glob("*/*") if p.suffix in
                   (".cpp", ".hpp")} | {"include"}
        self.assertLessEqual(folders, mapped)
        self.assertTrue(all((TOP / folder).is_dir() for folder in mapped))

    def test_first_ten_minutes(self):
        walk = TEXT.split("## Your first ten minutes\n")[1].split("\n## ")[0]
        self.assertLessEqual(len(walk.splitlines()), 40)
        steps = re.findall(r"`([\w/]+\.cpp)`\s+\(((?:`\w+`(?:,\s+)?)+)\)", walk)
        self.assertGreater(len(steps), 25)
        # Each file is named with its functions, whose text is there.
        self.assertEqual(len(steps), len(re.findall(r"\.cpp`", walk)))
        for file, functions in steps:
            text = (TOP / file).read_text()
            for function in re.findall(r"\w+", functions):
                self.assertRegex(text, rf"(?m)^.*\b{function}\(.*(?:{{$|,$|\($|const$|override)",
                                 f"{file}: {function}")

    def test_named_files_exist(self):
        folders = ["", "include", "include/mneme"] + [p.name for p in TOP.iterdir() if p.is_dir()]
        for name in re.findall(r"`([\w/]+\.(?:hpp|cpp|md))`", TEXT):
            self.assertTrue(any((TOP / f / name).exists() for f in folders), name)


if __name__ == "__main__":
    unittest.main()
