#!/usr/bin/env python3
"""scripts/check_structure.py finds each thing it forbids, in a small tree made for it, and finds
nothing in a clean one. Arguments: the script."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = str(pathlib.Path(sys.argv.pop(1)).resolve())

CLEAN = {
    "messages/README.md": "# messages\n`a.hpp`: one thing\n",
    "messages/a.hpp": "#pragma once\n#include <string>\n",
    "messages/a.cpp": '#include "messages/a.hpp"\n// rand() and std::exp( in a comment are fine\n',
    "tests/README.md": "# tests\n",
    "tests/messages/a_test.cpp": "int a;\n",
    "query/README.md": "# query\n`q`: another\n",
    "query/q.hpp": '#pragma once\n#include "messages/a.hpp"\n',
}


class CheckStructure(unittest.TestCase):
    def run_on(self, changed, *arguments):
        with tempfile.TemporaryDirectory() as top:
            for name, text in {**CLEAN, **changed}.items():
                path = pathlib.Path(top, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                if text is not None:
                    path.write_text(text)
            done = subprocess.run([SCRIPT, *arguments], capture_output=True, text=True, check=False,
                                  env={**os.environ, "MNEME_TREE": top, "GIT_DIR": "/nonexistent"})
            return done.returncode, done.stdout + done.stderr

    def finds(self, changed, *expected, arguments=()):
        status, output = self.run_on(changed, *arguments)
        self.assertEqual(status, 1, output)
        for text in expected:
            self.assertIn(text, output)

    def test_clean_tree(self):
        status, output = self.run_on({})
        self.assertEqual(status, 0, output)
        self.assertIn("0 problems", output)

    def test_include_to_the_right(self):
        self.finds({"messages/a.hpp": '#pragma once\n#include "query/q.hpp"\n'},
                   "messages/a.hpp:2: messages may not use query")

    def test_wings_do_not_see_each_other(self):
        self.finds({"state/README.md": "# state\n", "state/s.hpp": "#pragma once\n",
                    "query/q.hpp": '#pragma once\n#include "state/s.hpp"\n'},
                   "query/q.hpp:2: query may not use state")

    def test_graph(self):
        status, output = self.run_on({}, "--graph")
        self.assertEqual(status, 0, output)
        self.assertIn("query          -> messages 1", output)
        self.assertIn("every arrow points down", output)
        _, output = self.run_on({"messages/a.hpp": '#pragma once\n#include "query/q.hpp"\n'}, "--graph")
        self.assertIn("arrows that do not point down: messages -> query", output)

    def test_wrapped_library(self):
        self.finds({"query/q.cpp": '#include "query/q.hpp"\n#include <caf/all.hpp>\n'},
                   "query/q.cpp:2: <caf/all.hpp> may be included by")
        self.finds({"query/q.cpp": '#include "query/q.hpp"\n#include <wiredtiger.h>\n'},
                   "<wiredtiger.h> may be included by storage/wiredtiger_store.cpp, storage/checksum.cpp, "
                   "bench/ only")

    def test_own_header_first(self):
        self.finds({"messages/a.cpp": '#include <string>\n#include "messages/a.hpp"\n'},
                   'its own header comes first: "messages/a.hpp"')

    def test_path_from_the_top(self):
        self.finds({"messages/a.cpp": '#include "a.hpp"\n'}, "is not a path from the top")

    def test_banned_calls(self):
        for call, instead in {
                "int x = rand();": "random_source",
                "auto t = std::chrono::system_clock::now();": "injected mneme::clock",
                'auto e = std::getenv("X");': "as an option",
                "double y = std::exp(2.0);": "messages/math.hpp",
                "auto i = std::this_thread::get_id();": "owner of the data",
                "bool s = std::isspace(c);": "utf8.hpp",
                'throw std::runtime_error("x");': "result<T>",
                "assert(x > 0);": "ensure()",
                'std::printf("x");': "return the text",
        }.items():
            self.finds({"query/q.cpp": '#include "query/q.hpp"\nvoid f() {\n  ' + call + "\n}\n"},
                       "query/q.cpp:3: banned", instead)

    def test_unordered_iteration(self):
        header = "#pragma once\n#include <unordered_map>\nstruct q { std::unordered_map<int, int> m_; };\n"
        self.finds({"query/q.hpp": header,
                    "query/q.cpp": '#include "query/q.hpp"\nint f(q& a) {\n'
                                   "  for (auto& [k, v] : a.m_) return v;\n  return 0;\n}\n"},
                   "query/q.cpp:3: iterates over the unordered container m_")

    def test_leftovers_paths_and_names(self):
        self.finds({"query/q.cpp": '#include "query/q.hpp"\n// TO' "DO later\n"}, "a leftover note")
        self.finds({"query/notes.md": "see /ho" "me/ana/x\n"}, "a path of one machine")
        self.finds({"query/string_utils.hpp": "#pragma once\n"}, "after its concept")

    def test_command(self):
        table = "| header | why | files |\n|---|---|---|\n| `messages/a.hpp` | a | `x.cpp`, `y.cpp` |\n"
        tools = {"tools/README.md": "# tools\n`y`\n", "include/README.md": "# include\n`mneme/e.hpp`\n",
                 "include/mneme/e.hpp": "#pragma once\n", "tools/y.hpp": "#pragma once\n",
                 "tests/tools/x_test.cpp": "int x;\n", "tests/tools/y_test.cpp": "int y;\n",
                 "tools/x.cpp": '#include "mneme/e.hpp"\n#include "messages/a.hpp"\n',
                 "tools/y.cpp": '#include "tools/y.hpp"\n#include "messages/a.hpp"\n'}
        self.finds(tools, "tools/x.cpp:2: the command uses the public API", "tools/y.cpp:2: the")
        status, output = self.run_on({**tools, "docs/ARCHITECTURE.md": table})
        self.assertEqual(status, 0, output)
        self.finds({**tools, "docs/ARCHITECTURE.md": table, "tools/x.cpp": "int x;\n"},
                   "docs/ARCHITECTURE.md: tools/x.cpp does not include messages/a.hpp")
        self.finds({**tools, "docs/ARCHITECTURE.md": table, "query/q.hpp": "#pragma once\n",
                    "tools/x.cpp": '#include "messages/a.hpp"\n#include "query/q.hpp"\n'},
                   'tools/x.cpp:2: the command uses the public API: "query/q.hpp" is none')

    def test_assertions(self):
        def engine(count):
            return {"tests/query/q_test.cpp": "int q;\n",
                    "query/q.cpp": '#include "query/q.hpp"\n// ensure( in a comment is none\n'
                                   + 'ensure(x, "x holds");\n' * count + "f();\n" * (1500 - count)}
        self.finds(engine(14), "engine: 14 assertions in 150", "fewer than 10 in a thousand")
        status, output = self.run_on(engine(16))
        self.assertEqual(status, 0, output)
        self.assertRegex(output, r"10\.\d assertions in a thousand lines of the engine")
        _, output = self.run_on(engine(16), "--graph")
        self.assertRegex(output, r"assertions in a thousand lines: messages 0\.0, .*query 10\.\d, ")

    def test_folder_without_readme(self):
        self.finds({"index/i.hpp": "#pragma once\n"}, "index: a folder has a README.md")

    def test_a_readme_names_the_headers(self):
        headers = {"query/q_near.hpp": "#pragma once\n", "query/find/f.hpp": "#pragma once\n"}
        self.finds(headers, "query/README.md: says nothing of query/q_near.hpp",
                   "query/README.md: says nothing of query/find/f.hpp")
        for text in ("`q`, `q_near`, `find/`", "`q*`, `find/f.hpp`"):
            status, output = self.run_on({**headers, "query/README.md": text})
            self.assertEqual(status, 0, output)

    def test_tests_mirror_the_source(self):
        self.finds({"tests/README.md": "# tests\n", "tests/query/elsewhere/x_test.cpp": "int x;\n",
                    "query/find/f.cpp": "int f;\n", "tests/query/f_test.cpp": "int g;\n"},
                   "tests what stands in query/elsewhere/, which is no folder",
                   "the test of f belongs beside it: tests/query/find/")

    def test_a_source_has_a_test(self):
        source = {"query/q.cpp": '#include "query/q.hpp"\n'}
        self.finds(source, "query/q.cpp: no test is found by its name: write tests/query/q_test.cpp",
                   "// Of: query/q.cpp")
        for test, text in {
                "tests/query/q_test.cpp": "int q;\n",
                "tests/query/q_near_test.cpp": "int q;\n",
                "tests/messages/a_test.cpp": "// What is asked.\n// Of: messages/a.cpp, query/q.cpp\n",
                "tests/servers/ask_test.py": '"""What is asked."""\n# Of: query/q.cpp\n',
                "tests/cases/ask.case": "# What is asked.\n# Of: query/q.cpp\n$ true\n",
        }.items():
            status, output = self.run_on({**source, test: text})
            self.assertEqual(status, 0, output)
            status, output = self.run_on({**source, test: text}, "--tests-of", "query/q.cpp")
            self.assertEqual((status, output), (0, test + "\n"))
            _, output = self.run_on({**source, test: text}, "--tests-of", "query/q.hpp")
            self.assertEqual(output, test + "\n")
        for test in ("tests/query/question_test.cpp", "tests/messages/q_test.cpp"):
            self.finds({**source, test: "int q;\n"}, "query/q.cpp: no test is found by its name")
        self.finds({"tests/messages/a_test.cpp": "// Of: query/gone.cpp\n"},
                   "tests/messages/a_test.cpp: is said to be a test of query/gone.cpp, which is no file")

    def test_the_test_of_the_longer_name(self):
        sources = {"query/q.cpp": '#include "query/q.hpp"\n', "query/q_near.cpp": "int n;\n",
                   "tests/query/q_near_far_test.cpp": "int f;\n"}
        self.finds(sources, "query/q.cpp: no test is found by its name")
        status, output = self.run_on(sources, "--tests-of", "query/q.cpp", "query/q_near.cpp")
        self.assertEqual(status, 1, output)
        self.assertIn("tests/query/q_near_far_test.cpp\n", output)
        self.assertIn("query/q.cpp: no test names it\n", output)


if __name__ == "__main__":
    unittest.main()
