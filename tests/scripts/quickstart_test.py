#!/usr/bin/env python3
"""scripts/quickstart runs to its end on a repository with a history, on one without commits, and on
plain files; it refuses what it cannot use. Arguments: the script, the mneme command."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT, MNEME = (str(pathlib.Path(a).resolve()) for a in sys.argv[1:3])
del sys.argv[1:3]

GIT = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "Ana",
       "GIT_AUTHOR_EMAIL": "ana@example.org", "GIT_COMMITTER_NAME": "Ana",
       "GIT_COMMITTER_EMAIL": "ana@example.org"}


def git(folder, *arguments):
    subprocess.run(["git", *arguments], cwd=folder, env=GIT, check=True, capture_output=True)


class Quickstart(unittest.TestCase):
    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.addCleanup(self.holder.cleanup)
        self.folder = pathlib.Path(self.holder.name, "some repository")
        self.folder.mkdir()
        for i in range(3):
            (self.folder / f"file {i}.md").write_text(f"# Tea {i}\n\nThe kettle number {i} is warm.\n")

    def run_it(self, *arguments):
        return subprocess.run([SCRIPT, "--mneme", MNEME, *arguments], capture_output=True, text=True,
                              cwd=self.holder.name, check=False, stdin=subprocess.DEVNULL)

    def done(self, *arguments):
        run = self.run_it(*arguments)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("Done.", run.stdout)
        self.assertIn("trusted", run.stdout)  # the proof, by the Python script
        return run.stdout

    def test_history(self):
        git(self.folder, "init")
        for i in range(3):
            git(self.folder, "add", f"file {i}.md")
            git(self.folder, "commit", "-m", f"Warm kettle {i}")
        world = pathlib.Path(self.holder.name, "kept")
        output = self.done("--world", str(world), str(self.folder))
        self.assertIn("3 memories of 3", output)  # by type, tag and time
        self.assertIn("Warm kettle", output)
        self.assertNotIn("success interaction", output)
        self.assertTrue((world / "WORLD").is_file())

    def test_no_commits_yet(self):
        git(self.folder, "init")
        self.assertIn("file 0.md", self.done(str(self.folder)))

    def test_plain_files(self):
        output = self.done(str(self.folder))
        self.assertIn("no git repository", output)
        self.assertIn("file 0.md", output)
        self.assertFalse((self.folder / ".git").exists())

    def test_refusals(self):
        for arguments in [["no/such/folder"], ["--wrong"], [str(self.folder), "two"],
                          ["--world", str(self.folder)]]:
            run = self.run_it(*arguments)
            self.assertEqual(run.returncode, 2, run.stdout + run.stderr)


if __name__ == "__main__":
    unittest.main()
