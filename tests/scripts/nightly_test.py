#!/usr/bin/env python3
"""scripts/nightly: a job's command that hangs is ended with all that it has started, and the ledger
says that it failed; the minutes are shared among the jobs that fit. Arguments: the script."""

import importlib.machinery
import importlib.util
import os
import pathlib
import sys
import tempfile
import unittest

LOADER = importlib.machinery.SourceFileLoader("nightly", sys.argv.pop(1))
sys.dont_write_bytecode = True


def loaded():
    nightly = importlib.util.module_from_spec(importlib.util.spec_from_loader("nightly", LOADER))
    LOADER.exec_module(nightly)
    return nightly


class Nightly(unittest.TestCase):
    def setUp(self):
        self.nightly = loaded()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.nightly.PLACE = pathlib.Path(folder.name)

    def job(self):
        job = self.nightly.Job("sim", 0)
        self.addCleanup(job.log.close)
        return job

    def test_a_command_that_ends_well_says_nothing(self):
        self.job().run("true")

    def test_a_command_that_fails(self):
        with self.assertRaisesRegex(self.nightly.Failed, "^false ended with 1; see .*sim.log$"):
            self.job().run("false")

    def test_a_command_that_hangs_is_ended_with_what_it_started(self):
        self.nightly.GRACE = 0.1
        fifo = self.nightly.PLACE / "held"
        os.mkfifo(fifo)
        end = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, end)
        with self.assertRaisesRegex(self.nightly.Failed, "^sh hung: it had not ended after 0 s"):
            self.job().run("sh", "-c", f"tail -f /dev/null > {fifo} & wait")
        os.set_blocking(end, True)
        self.assertEqual(os.read(end, 1), b"")  # at the end of the last that had it open

    def test_the_ledger_has_what_hung(self):
        self.nightly.GRACE = 0.1
        self.nightly.JOBS = {"sim": (0, 1)}
        self.nightly.sim = lambda job: job.run("tail", "-f", "/dev/null")
        self.nightly.Job.left = lambda job: 0
        sys.argv[1:] = ["0.001"]
        self.assertEqual(self.nightly.main(), 1)
        self.assertIn("FAILED", (self.nightly.PLACE / "ledger.txt").read_text())

    def test_every_job_is_there_and_in_the_help(self):
        for name in self.nightly.JOBS:
            self.assertTrue(callable(getattr(self.nightly, name.replace("-", "_"))))
            self.assertRegex(self.nightly.__doc__, rf"\n    {name} ")

    def test_what_does_not_fit_is_left_out(self):
        self.assertEqual(list(self.nightly.plan(["sim", "tsan-caf"], 600)), ["sim"])


if __name__ == "__main__":
    unittest.main()
