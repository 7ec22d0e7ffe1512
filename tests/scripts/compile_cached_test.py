#!/usr/bin/env python3
"""What cmake/compile_cached gives is what was written, in two checkouts that share a cache and change
a precompiled header each in its own way. Argument: the script."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

SCRIPT = str(pathlib.Path(sys.argv.pop(1)).resolve())


class Checkout:
    def __init__(self, top):
        self.build = top / "build"
        self.header = top / "include/value.hpp"
        self.build.mkdir(parents=True)
        self.header.parent.mkdir()
        (self.build / "pch.hxx").write_text("#include <value.hpp>\n")
        (self.build / "pch.hxx.cxx").write_text("/* generated */\n")
        self.main = top / "main.cpp"
        self.environment = {
            **os.environ, "CCACHE_DIR": str(top.parent / "cache"), "CCACHE_BASEDIR": str(top),
            "CCACHE_NOHASHDIR": "1", "CCACHE_CONFIGPATH": "/nonexistent",
            "CCACHE_SLOPPINESS": "pch_defines,time_macros,include_file_mtime,include_file_ctime"}

    def compile(self, *arguments):
        subprocess.run([SCRIPT, "g++", "-std=c++23", "-fpch-preprocess",
                        f"-I{self.header.parent}", "-include", str(self.build / "pch.hxx"), "-MD",
                        *arguments], cwd=self.build, env=self.environment, check=True)

    def value(self, wanted, comment=""):
        """Writes the header, builds, and answers what the program says."""
        self.header.write_text(f"#pragma once\n//{comment}\n"
                               f"inline int value() {{ return {wanted}; }}\n")
        # Once more behind the precompiled header, which knows it by its whole text; and never cached.
        self.main.write_text('#include "include/value.hpp"\n'
                             f"int main() {{ return value(); }}\nlong drawn = {time.time_ns()};\n")
        # ccache caches nothing that is as new as the compilation itself.
        past = time.time() - 10
        os.utime(self.header, (past, past))
        self.compile("-x", "c++-header", "-MT", "pch.hxx.gch", "-MF", "pch.d", "-o", "pch.hxx.gch",
                     "-c", str(self.build / "pch.hxx.cxx"))
        self.compile("-MT", "main.o", "-MF", "main.d", "-o", "main.o", "-c", "../main.cpp")
        subprocess.run(["g++", "main.o", "-o", "main"], cwd=self.build, check=True)
        return subprocess.run([self.build / "main"], check=False).returncode


@unittest.skipUnless(shutil.which("ccache"), "there is no ccache")
class CompileCached(unittest.TestCase):
    def test_changed_headers(self):
        with tempfile.TemporaryDirectory() as top:
            one, other = (Checkout(pathlib.Path(top, name)) for name in ("one", "other"))
            for checkout, wanted in [(one, 0), (other, 0), (one, 1), (other, 2), (one, 0),
                                     (other, 1), (one, 2)]:
                self.assertEqual(checkout.value(wanted), wanted)

    def test_changed_comments(self):
        with tempfile.TemporaryDirectory() as top:
            one = Checkout(pathlib.Path(top, "one"))
            for comment in ("", " said otherwise", ""):
                self.assertEqual(one.value(3, comment), 3)


if __name__ == "__main__":
    unittest.main()
