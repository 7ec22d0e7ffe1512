"""Tests scripts/check_headers.py on small trees.

    python3 tests/scripts/check_headers_test.py PATH/TO/check_headers.py
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = sys.argv.pop(1)
# One that others include, so that it is precompiled for them.
BASE = {"include/mneme/text.hpp": "#pragma once\n#include <string>\nstd::string text();\n"}


class CheckHeaders(unittest.TestCase):
    def run_on(self, files, *options):
        with tempfile.TemporaryDirectory() as top:
            for name, text in {**BASE, **files}.items():
                path = pathlib.Path(top, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            done = subprocess.run([SCRIPT, *options], capture_output=True, text=True, check=False,
                                  env={**os.environ, "MNEME_TREE": top, "GIT_DIR": "/nonexistent"})
            return done.returncode, done.stdout + done.stderr

    def finds(self, name, text):
        status, output = self.run_on({name: text})
        self.assertEqual(status, 1, output)
        self.assertIn(f"{name}: does not compile alone: ", output)
        self.assertIn("1 problems", output)

    def test_headers_that_are_right(self):
        status, output = self.run_on({
            "query/near.hpp": '#pragma once\n#include "mneme/text.hpp"\nstd::string near();\n',
            "query/far.hpp": '#pragma once\n#include "query/near.hpp"\nstd::string far();\n'})
        self.assertEqual(status, 0, output)
        self.assertIn("3 of 3 compiled alone", output)
        self.assertIn("0 problems", output)
        self.assertNotIn(", 0 of them precompiled", output)

    def test_header_that_needs_another(self):
        self.finds("query/near.hpp", "#pragma once\nstd::string near();\n")

    def test_what_is_precompiled_for_others_hides_nothing(self):
        self.finds("query/near.hpp",
                   '#pragma once\n#include "mneme/text.hpp"\nstd::vector<std::string> near();\n')

    def test_what_stands_under_a_condition_is_not_taken_as_included(self):
        self.finds("query/near.hpp", '#pragma once\n#ifdef NEVER\n#include "mneme/text.hpp"\n'
                   '#endif\nstd::string near();\n')

    def test_header_that_its_source_includes_first_is_left_to_it(self):
        files = {"query/near.hpp": "#pragma once\nstd::string near();\n",
                 "query/near.cpp": '#include "query/near.hpp"\n#include <string>\n'}
        status, output = self.run_on(files)
        self.assertEqual(status, 0, output)
        self.assertIn("1 of 2 compiled alone", output)
        status, output = self.run_on(files, "--all")
        self.assertEqual(status, 1, output)
        self.assertIn("2 of 2 compiled alone", output)
        files["query/near.cpp"] = '#include <string>\n#include "query/near.hpp"\n'
        self.assertEqual(self.run_on(files)[0], 1)

    def test_header_that_cannot_be_included_twice(self):
        self.finds("query/near.hpp", '#include "mneme/text.hpp"\nstruct near {};\n')


if __name__ == "__main__":
    unittest.main()
